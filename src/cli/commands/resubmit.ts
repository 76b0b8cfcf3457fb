import { EXIT } from '../../../schemas/errors.ts';
import {
  dropAgain,
  resubmitRows,
  type ResubmissionPlan,
  type Selection,
  SELECTIONS,
} from '../../../workers/resubmit.ts';
import type { App } from '../../app.ts';
import { PipelineError } from '../../kernel/errors.ts';
import { findFile } from '../../ledger/queries/search.ts';
import type { FileRow } from '../../ledger/records.ts';
import { type Call, type CliCommand, JSON_OPTION, print, settingsOf } from '../command.ts';
import { compareJournalFirst } from '../compare-journal-first.ts';
import { openCommandLog } from '../open-command-log.ts';
import { operatorName } from '../operator-name.ts';
import { REASON_OPTION, readReason } from '../read-reason.ts';
import { chooseRows, findMissing } from '../../operator/choose-rows.ts';
import { rowsOf, sumOf } from '../../operator/why/sentence.ts';
import { withApp } from '../with-app.ts';

export const resubmit: CliCommand = {
  name: 'resubmit',
  about: 'Drop the rows of a finished file that were certainly not charged as a new file',
  takes: [['<file>', 'its id, the first letters of it, or its name']],
  required: [REASON_OPTION],
  options: [
    ['--only <which>', `${Object.keys(SELECTIONS).join(', ')}; left out, all of them`],
    ['--dry-run', 'say which rows it would be, and write nothing'],
    ['--drop-again', 'write the file of an earlier resubmission that never came back'],
    JSON_OPTION,
  ],
  notes: [
    `The new file is checked, acknowledged and sent like any other. Each row goes out again
once. Never among them: rows that are approved, pending, unknown or duplicate, invalid
rows, and declined rows whose code says never to try again.`,
  ],
  examples: [
    'resubmit monday.csv --dry-run --reason "what would it be?"',
    'resubmit monday.csv --only retryable --reason "the line to the bank is up again"',
  ],
  async run(call) {
    const [words = ''] = call.arguments;
    const only = readSelection(call);
    const reason = readReason(call, 'resubmit rows');
    const options = { log: openCommandLog('warn'), env: process.env };
    await withApp(settingsOf(call), options, async (app) => {
      await compareJournalFirst(app.ledger, app.settings);
      const file = await findFile(app.ledger, words);
      if (call.options['dropAgain']) return again(call, app, file);
      const plan = await chooseRows(app, file, only);
      if (call.options['dryRun']) return show(call, file, plan);
      const { name } = await resubmitRows(app, file, plan, { actor: operatorName(), reason, evidence: { only } });
      show(call, file, plan, name);
    });
    return EXIT.ok;
  },
};

function readSelection(call: Call): Selection | undefined {
  const { only } = call.options;
  if (only === undefined) return undefined;
  if (Object.hasOwn(SELECTIONS, String(only))) return only as Selection;
  throw new PipelineError(
    'USAGE',
    `use --only "${String(only)}"`,
    `it is none of ${Object.keys(SELECTIONS).join(', ')}`,
  );
}

async function again(call: Call, app: App, file: FileRow): Promise<void> {
  const waiting = await findMissing(app, file);
  await dropAgain(app, file, waiting);
  const { name, rows, cents } = waiting;
  print(call, { fileId: file.file_id, name, rows, cents, droppedAgain: true }, () => `Dropped again: ${name}.`);
}

function show(call: Call, file: FileRow, { lines, cents, barred }: ResubmissionPlan, name?: string): void {
  const said = { fileId: file.file_id, from: file.name, name: name ?? null, rows: lines.length, cents, barred, lines };
  print(call, said, () =>
    [
      `${name === undefined ? 'Would be resubmitted' : 'Resubmitted'}: ${sumOf(lines.length, cents)}.`,
      ...(barred > 0 ? [`Left out: ${rowsOf(barred)} resubmitted before, or barred.`] : []),
      ...(name === undefined ? [] : [`They lie as ${name} in ${file.folder}.`]),
    ].join('\n'),
  );
}
