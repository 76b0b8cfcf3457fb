import { EXIT } from '../../../schemas/errors.ts';
import {
  type AgainPlan,
  dropAgain,
  resubmitRows,
  type KeptBack,
  type ResubmissionPlan,
  type Selection,
  SELECTIONS,
} from '../../actions/resubmit.ts';
import type { App } from '../../app.ts';
import { counted } from '../../kernel/counted.ts';
import { PipelineError } from '../../kernel/errors.ts';
import type { AuditReason } from '../../ledger/engine/move.ts';
import { findFile } from '../../ledger/file/search.ts';
import type { FileRow } from '../../ledger/engine/records.ts';
import { type Call, type CliCommand, JSON_OPTION, print, settingsOf } from '../command.ts';
import { compareJournalFirst } from '../compare-journal-first.ts';
import { openCommandLog } from '../open-command-log.ts';
import { operatorName } from '../operator-name.ts';
import { REASON_OPTION, readReason } from '../read-reason.ts';
import { chooseRows, findMissing } from '../../actions/choose-rows.ts';
import { keptBackJson, sayKeptBack } from '../../actions/say-kept-back.ts';
import { sumOf } from '../../explain/why/sentence.ts';
import { withApp } from '../process/with-app.ts';

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
rows, and declined rows whose code says never to try again. Of rows that are not charged
because reports of the service lacked them, the service is asked once more.`,
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
    return withApp(settingsOf(call), options, async (app) => {
      await compareJournalFirst(app.ledger, app.settings);
      const file = await findFile(app.ledger, words);
      const because = { actor: operatorName(), reason, evidence: { only } };
      if (call.options['dropAgain']) return again(call, app, file, because);
      const plan = await chooseRows(app, file, only);
      const dropped = call.options['dryRun'] ? undefined : await resubmitRows(app, file, plan, because);
      return show(call, file, plan, dropped?.name);
    });
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

async function again(call: Call, app: App, file: FileRow, because: AuditReason): Promise<number> {
  const plan = await findMissing(app, file);
  const isDropped = call.options['dryRun'] ? false : await dropAgain(app, file, plan, because);
  const { name, rows, cents } = plan.earlier;
  const said = { fileId: file.file_id, name, rows, cents, droppedAgain: isDropped, ...keptBackJson(plan) };
  print(call, said, () => [sayAgain(call, plan, isDropped), ...sayKeptBack(plan)].join('\n'));
  return statusOf(plan);
}

function sayAgain(call: Call, plan: AgainPlan, isDropped: boolean): string {
  if (isDropped) return `Dropped again: ${plan.earlier.name}.`;
  if (call.options['dryRun'] && statusOf(plan) === EXIT.ok) return `Would be dropped again: ${plan.earlier.name}.`;
  return `Not dropped again: ${plan.earlier.name}. It comes with all of its rows or not at all; drop the others by hand.`;
}

function show(call: Call, file: FileRow, plan: ResubmissionPlan, name?: string): number {
  const { lines, cents, barred } = plan;
  const said = { fileId: file.file_id, from: file.name, name: name ?? null, rows: lines.length, cents, barred, lines };
  print(call, { ...said, ...keptBackJson(plan) }, () =>
    [
      `${call.options['dryRun'] ? 'Would be resubmitted' : 'Resubmitted'}: ${sumOf(lines.length, cents)}.`,
      ...(name === undefined ? [] : [`They lie as ${name} in ${file.folder}.`]),
      ...(barred > 0 ? [`Left out: ${counted(barred, 'row')} resubmitted before, or barred.`] : []),
      ...sayKeptBack(plan),
    ].join('\n'),
  );
  return statusOf(plan);
}

/** Returns a failure status if rows were kept back, because a person has to check them. */
function statusOf({ shown, unproven }: KeptBack): number {
  return shown.length > 0 || unproven.length > 0 ? EXIT.exception : EXIT.ok;
}
