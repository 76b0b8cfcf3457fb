import { counted } from '../kernel/counted.ts';
import {
  type AgainPlan,
  dropAgain,
  type KeptBack,
  planAgain,
  planResubmission,
  type ResubmissionPlan,
  resubmitRows,
  type Selection,
  SELECTIONS,
  type Wanted,
} from './resubmit.ts';
import { keptBackJson, sayKeptBack, sayUnproven, UNPROVEN_NEXT } from './say-kept-back.ts';
import type { AppAction, Filled } from './action.ts';
import { fileFacts, sumWords } from './subject-words.ts';
import { saidState } from '../../schemas/shown.ts';
import type { App } from '../app.ts';
import { PipelineError } from '../kernel/errors.ts';
import { readResubmissions, type ResubmissionRow } from '../ledger/row/resubmissions.ts';
import type { FileRow } from '../ledger/engine/records.ts';

/** The choice for the file of an earlier resubmission that never came back. */
const AGAIN = 'drop-again';

/** Drops the rows of a finished file that were certainly not charged as a new file. */
export const resubmit: AppAction<'file'> = {
  needs: 'app',
  from: ['completed', 'partly_cancelled', 'cancelled'],
  comparesJournal: true,
  picks: [
    {
      name: 'only',
      label: 'Which rows',
      kind: 'choice',
      choices: [
        { value: '', label: 'all that were certainly not charged and may be sent again' },
        ...Object.entries(SELECTIONS).map(([value, means]) => ({ value, label: `${value}: ${means}` })),
        { value: AGAIN, label: 'none: write again the file of an earlier resubmission that was never taken' },
      ],
    },
  ],
  plan: async (context, { file }, { filled }) => {
    if (isAgain(filled)) {
      const missing = await findMissing(context, file);
      const { name, rows, cents } = missing.earlier;
      if (missing.shown.length > 0)
        return {
          says: sayNotAgain(missing),
          facts: await fileFacts(context, file),
          binds: { rows: missing.shown },
          button: correctWords(missing),
        };
      const sum = sumWords(context, file.account, rows, cents);
      return {
        says: [`${name} with ${sum} is written into ${file.folder} again, with the same bytes.`],
        facts: await fileFacts(context, file),
        binds: { rows: missing.earlier },
        button: `Drop ${name} again`,
      };
    }
    const plan = await chooseRows(context, file, selectionOf(filled));
    const { lines, cents, barred } = plan;
    const sum = sumWords(context, file.account, lines.length, cents);
    return {
      says: [
        `Sends ${sum} again in a new file, which is checked and acknowledged like any other. Each row is sent again once.`,
        'Never included: approved, pending, unknown, duplicate and invalid rows, and declined rows whose code forbids another try.',
        ...(barred > 0 ? [`Left out: ${counted(barred, 'row')} already resubmitted, or barred.`] : []),
        ...sayKeptBack(plan),
      ],
      facts: [...(await fileFacts(context, file)), ['Lines', linesOf(lines)]],
      binds: { rows: [lines, plan.shown] },
      button: lines.length > 0 ? `Resubmit ${sum}` : correctWords(plan),
    };
  },
  run: async (app, { file }, { filled }, because) => {
    if (isAgain(filled)) {
      const missing = await findMissing(app, file);
      const { name, rows, cents } = missing.earlier;
      const isDropped = await dropAgain(app, file, missing, because);
      const json = { fileId: file.file_id, name, rows, cents, droppedAgain: isDropped, ...keptBackJson(missing) };
      if (isDropped) return { says: `Dropped again: ${name}.`, json };
      const [says = '', ...details] = sayNotAgain(missing);
      return { says, details, status: 'exception', json };
    }
    const only = selectionOf(filled);
    const plan = await chooseRows(app, file, only);
    const dropped = await resubmitRows(app, file, plan, { ...because, evidence: { only } });
    const { lines, cents } = plan;
    const keptBack = sayKeptBack(plan);
    const sum = sumWords(app, file.account, lines.length, cents);
    const where = dropped ? ` They are in ${dropped.name} in ${file.folder}.` : '';
    return {
      says: `Resubmitted: ${sum}.${where}`,
      details: [
        ...(plan.barred > 0 ? [`Left out: ${counted(plan.barred, 'row')} already resubmitted, or barred.`] : []),
        ...keptBack,
      ],
      status: keptBack.length > 0 ? 'exception' : 'ok',
      json: {
        fileId: file.file_id,
        from: file.name,
        name: dropped?.name ?? null,
        rows: lines.length,
        cents,
        barred: plan.barred,
        lines,
        ...keptBackJson(plan),
      },
    };
  },
};

function sayNotAgain(plan: AgainPlan): string[] {
  return [
    `${plan.earlier.name} is not dropped again: it needs all of its rows. Drop the other rows by hand.`,
    ...sayKeptBack(plan),
  ];
}

function correctWords({ shown }: KeptBack): string {
  return `Correct the outcome of ${counted(shown.length, 'row')}`;
}

function isAgain({ only }: Filled): boolean {
  return only === AGAIN;
}

/** Returns undefined for all rows; unknown choices were rejected before. */
function selectionOf({ only = '' }: Filled): Selection | undefined {
  return Object.hasOwn(SELECTIONS, only) ? (only as Selection) : undefined;
}

/** Most lines to list for comparison with the result file; the rest is counted. */
const SHOWN = 30;

function linesOf(lines: readonly number[]): string {
  const more = lines.length - SHOWN;
  return lines.slice(0, SHOWN).join(', ') + (more > 0 ? ` and ${more} more` : '');
}

/**
 * Returns the rows of a finished file that may be sent again. Refuses while a file of an earlier resubmission is in
 * progress: two at once could hold the same row. The plan has no lines if only outcomes need correction.
 * @throws PipelineError MOVE_REFUSED, also when there is no such row
 */
export async function chooseRows(app: App, file: FileRow, only?: Wanted): Promise<ResubmissionPlan> {
  const waiting = await findWaiting(app, file);
  if (waiting) throw refuseWaiting(file, waiting);
  const plan = await planResubmission(app, file, only);
  if (plan.lines.length === 0 && plan.shown.length === 0) throw nothingLeft(file, plan);
  return plan;
}

/**
 * Returns the file of an earlier resubmission that never came back, and whether its rows may still be sent.
 * @throws PipelineError MOVE_REFUSED when none is missing, and when the service does not show that they may
 */
export async function findMissing(app: App, file: FileRow): Promise<AgainPlan> {
  const waiting = await findWaiting(app, file);
  const action = `drop a file of "${file.file_id}" again`;
  const next = `See "paydrop why ${file.file_id}".`;
  if (!waiting) throw new PipelineError('MOVE_REFUSED', action, 'none is missing', { next });
  const plan = await planAgain(app, file, waiting);
  if (plan.shown.length > 0 || plan.unproven.length === 0) return plan;
  throw new PipelineError('MOVE_REFUSED', action, plan.unproven.map(sayUnproven).join('; '), { next: UNPROVEN_NEXT });
}

async function findWaiting({ ledger }: App, file: FileRow): Promise<ResubmissionRow | undefined> {
  refuseUnfinished(file);
  return (await readResubmissions(ledger, file.file_id)).find(isWaiting);
}

/** Returns whether a resubmission is still expected. One with a row that was charged after all never comes. */
function isWaiting(row: ResubmissionRow): boolean {
  return row.new_file_id === null && row.charged === 0;
}

function refuseUnfinished({ file_id: fileId, state }: FileRow): void {
  if (state === 'completed' || state === 'partly_cancelled' || state === 'cancelled') return;
  const next = state === 'rejected' ? 'Correct it and drop it again.' : 'Wait until it is completed.';
  throw new PipelineError('MOVE_REFUSED', `resubmit rows of file "${fileId}"`, `its state is ${saidState(state)}`, {
    next,
  });
}

function refuseWaiting({ file_id: fileId, folder }: FileRow, { name, rows }: ResubmissionRow): PipelineError {
  const reason = `"${name}" with ${counted(rows, 'row')} of it has not been taken from ${folder}`;
  const next = 'Let paydrop run. If the file is no longer in that folder, use --drop-again.';
  return new PipelineError('MOVE_REFUSED', `resubmit rows of file "${fileId}"`, reason, { next });
}

function nothingLeft({ file_id: fileId }: FileRow, { barred, unproven }: ResubmissionPlan): PipelineError {
  const action = `resubmit rows of file "${fileId}"`;
  if (unproven.length > 0)
    return new PipelineError('MOVE_REFUSED', action, unproven.map(sayUnproven).join('; '), { next: UNPROVEN_NEXT });
  const reason = barred > 0 ? 'every such row was already resubmitted, or is barred' : 'it has no such rows';
  return new PipelineError('MOVE_REFUSED', action, reason, { next: `See "paydrop why ${fileId}".` });
}
