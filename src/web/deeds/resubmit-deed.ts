import { dropAgain, resubmitRows, type Selection, SELECTIONS } from '../../../workers/resubmit.ts';
import { chooseRows, findMissing } from '../../operator/choose-rows.ts';
import { capital, rowsOf } from '../../operator/why/sentence.ts';
import type { DeedHandler, Filled } from './deed-handler.ts';
import { fileFacts, sumWords } from './subject-words.ts';

/** Among the choices, for the file of an earlier resubmission that never came back. */
const AGAIN = 'drop-again';

/** Drops the rows of a finished file that were certainly not charged as a new file. */
export const resubmit: DeedHandler<'file'> = {
  from: ['completed', 'partly_cancelled', 'cancelled'],
  comparesJournal: true,
  picks: [
    {
      name: 'only',
      label: 'Which rows',
      kind: 'choice',
      choices: [
        { value: '', label: 'all that were certainly not charged and may go out again' },
        ...Object.entries(SELECTIONS).map(([value, means]) => ({ value, label: `${value}: ${means}` })),
        { value: AGAIN, label: 'none: write the file of an earlier resubmission that never came back' },
      ],
    },
  ],
  plan: async (desk, { file }, { filled }) => {
    if (isAgain(filled)) {
      const { name, rows, cents } = await findMissing(desk.app, file);
      const sum = sumWords(desk, file.account, rows, cents);
      return {
        says: [`${name} with ${sum} is written into ${file.folder} once more, as the same bytes.`],
        facts: fileFacts(desk, file),
        button: `Drop ${name} again`,
      };
    }
    const { lines, cents, barred } = await chooseRows(desk.app, file, selectionOf(filled));
    const sum = sumWords(desk, file.account, lines.length, cents);
    return {
      says: [
        `${capital(sum)} go out again as a new file, which is checked, acknowledged and sent like any other. Each row goes out again once.`,
        'Never among them: rows that are approved, pending, unknown or duplicate, invalid rows, and declined rows whose code says never to try again.',
        ...(barred > 0 ? [`Left out: ${rowsOf(barred)} resubmitted before, or barred.`] : []),
      ],
      facts: [...fileFacts(desk, file), ['Lines', linesOf(lines)]],
      button: `Resubmit ${sum}`,
    };
  },
  run: async ({ app, ...desk }, { file }, { filled }, because) => {
    if (isAgain(filled)) {
      const missing = await findMissing(app, file);
      await dropAgain(app, file, missing);
      const { name, rows, cents } = missing;
      return { says: `Dropped again: ${name}.`, json: { fileId: file.file_id, name, rows, cents, droppedAgain: true } };
    }
    const only = selectionOf(filled);
    const plan = await chooseRows(app, file, only);
    const { name } = await resubmitRows(app, file, plan, { ...because, evidence: { only } });
    const sum = sumWords({ app, ...desk }, file.account, plan.lines.length, plan.cents);
    return {
      says: `Resubmitted: ${sum}. They lie as ${name} in ${file.folder}.`,
      json: { fileId: file.file_id, name, rows: plan.lines.length, cents: plan.cents, lines: plan.lines },
    };
  },
};

function isAgain({ only }: Filled): boolean {
  return only === AGAIN;
}

/** The choices were looked at before, so anything else is all of them. */
function selectionOf({ only = '' }: Filled): Selection | undefined {
  return Object.hasOwn(SELECTIONS, only) ? (only as Selection) : undefined;
}

/** So many a person compares with the result file; the rest is counted. */
const SHOWN = 30;

function linesOf(lines: readonly number[]): string {
  const more = lines.length - SHOWN;
  return lines.slice(0, SHOWN).join(', ') + (more > 0 ? ` and ${more} more` : '');
}
