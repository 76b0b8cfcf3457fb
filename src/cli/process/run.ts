import { join } from 'node:path';
import { EXIT, saidCode } from '../../../schemas/errors.ts';
import { readObstacles } from '../../../workers/upkeep/alarms/obstacles.ts';
import { tellAlarms } from '../../../workers/upkeep/start-alarms.ts';
import { checkExpected } from '../../../workers/schedule/check-expected.ts';
import type { App } from '../../app.ts';
import { PipelineError } from '../../kernel/errors.ts';
import { readOverview } from '../../ledger/overview/overview.ts';
import { type Call, type CliCommand, JSON_OPTION, print, settingsOf } from '../command.ts';
import { openCommandLog } from '../open-command-log.ts';
import { type ProgressLine, progressLine } from '../print/progress.ts';
import { withStopSignal } from './stop-signal.ts';
import { obstacleStatus, troubleStatus } from '../show/status.ts';
import { waitUntilIdle, withWorkers } from './with-workers.ts';
import { withApp } from './with-app.ts';
import { type Shown, SHOWN_OUTCOMES, saidWord } from '../../../schemas/shown.ts';
import { type Outcome, OUTCOMES } from '../../../schemas/lifecycle.ts';
import { formatCents } from '../../kernel/money.ts';
import type { OutcomeTotals, Totals } from '../../rows/rows.ts';
import type { Ledger } from '../../ledger/engine/open-ledger.ts';
import { readBatches, readOutcomeTotals, readOutputs } from '../../ledger/file/read-file.ts';
import type { PlainFileRow } from '../../ledger/engine/records.ts';
import { readShown, type ShownFile } from '../../explain/read-blocks.ts';
import { splitOpenRows } from '../../explain/read-story.ts';
import { textTable } from '../print/table.ts';
import { sayErr } from '../print/say.ts';

export const run: CliCommand = {
  name: 'run',
  about: 'Process all files in the folders, then stop (for cron)',
  options: [
    ['--once', 'required for a single run; "start" keeps watching'],
    ['--timeout <seconds>', 'stop after this time; the next run continues the work', '3600'],
    JSON_OPTION,
  ],
  notes: [
    'Does not wait for what needs a person, or for a file that keeps failing; "paydrop status" lists both (exit status 3 to 5).',
  ],
  examples: ['run --once', 'run --once --timeout 600 --json'],
  async run(call) {
    if (!call.options['once']) throw new PipelineError('USAGE', 'run', 'it is not clear for how long', { next: NEXT });
    const timeoutMs = readTimeout(call);
    const settings = settingsOf(call);
    const progress = progressLine();
    // A user at a terminal has the progress line and needs only warnings.
    const log = openCommandLog(process.stderr.isTTY ? 'warn' : 'info', progress);
    return withStopSignal((stop) =>
      withApp(settings, { log, env: process.env }, (app) => runOnce(call, app, { timeoutMs, stop, progress })),
    );
  },
};

const NEXT = 'Use "paydrop run --once" to process the files in the folders, or "paydrop start" to keep watching.';

function readTimeout(call: Call): number {
  const timeoutMs = Number(call.options['timeout']) * 1_000;
  if (timeoutMs > 0) return timeoutMs;
  throw new PipelineError('USAGE', 'run', '--timeout needs a number of seconds above 0');
}

async function runOnce(
  call: Call,
  app: App,
  { timeoutMs, stop, progress }: { timeoutMs: number; stop: AbortSignal; progress: ProgressLine },
): Promise<number> {
  const startedAt = app.clock.now();
  const isIdle = await withWorkers(
    app,
    (workers) => waitUntilIdle(app, workers, timeoutMs, (text) => progress.show(text), stop, startedAt),
    { stays: false },
  ).finally(() => progress.clear());
  await checkExpected(app);
  // The workers may have ended before their last check for alarms.
  await tellAlarms(app);
  const files = await readFileSummaries(app, startedAt, app.settings.paths.out);
  print(call, files, () => (files.length === 0 ? NOTHING : fileSummaryTable(files)));
  if (!isIdle) throw unfinished(stop);
  const rejected = files.filter((file) => file.state === 'rejected').length;
  const trouble = troubleStatus(await readOverview(app.ledger), rejected);
  const status = Math.max(trouble, obstacleStatus(await readObstacles(app.ledger, app.settings)));
  if (status >= EXIT.held) sayErr('Something needs attention: see "paydrop status".');
  return status;
}

const NOTHING = 'No file changed its state.';

function unfinished(stop: AbortSignal): PipelineError {
  const action = 'finish the work';
  if (!stop.aborted) return new PipelineError('TIMED_OUT', action);
  return new PipelineError('TIMED_OUT', action, 'it was stopped', { next: 'The next run continues the work.' });
}

/** Result of a payment file, in one row. Money is integer cents. */
export type FileSummary = {
  fileId: string;
  name: string;
  account: string;
  operation: string;
  state: string;
  shown: Shown;
  reasonCode: string | null;
  rows: number;
  validCents: number;
  outcomes: OutcomeTotals;
  /** Rows of batches that have not ended yet; their money may have moved. */
  open: Totals;
  /** Paths of the output files. */
  outputs: string[];
};

/**
 * Reads files of the ledger in the order in which they were taken.
 * @param since only those whose state changed at this time or later
 * @param outFolder where the output files are
 */
export async function readFileSummaries(
  { ledger, settings }: Pick<App, 'ledger' | 'settings'>,
  since: Date,
  outFolder: string,
): Promise<FileSummary[]> {
  const { rows: files } = await ledger.pool.query<PlainFileRow>(
    'SELECT * FROM file WHERE state_at >= $1 ORDER BY file_no',
    [since],
  );
  const summaries: FileSummary[] = [];
  for (const file of await readShown(ledger, settings, files)) summaries.push(await summarize(ledger, file, outFolder));
  return summaries;
}

async function summarize(ledger: Ledger, file: PlainFileRow & ShownFile, outFolder: string): Promise<FileSummary> {
  const batches = await readBatches(ledger, file.file_id);
  return {
    fileId: file.file_id,
    name: file.name,
    account: file.account,
    operation: file.operation,
    state: file.state,
    shown: file.shown,
    reasonCode: file.reason_code,
    rows: file.records ?? 0,
    validCents: file.valid_cents ?? 0,
    ...splitOpenRows(await readOutcomeTotals(ledger, file.file_no), batches),
    outputs: (await readOutputs(ledger, file.file_id)).map((output) => join(outFolder, output.name)),
  };
}

export function fileSummaryTable(files: readonly FileSummary[]): string {
  const rows = files.map((file) => [
    file.name,
    file.account,
    file.operation,
    saidWord(file.shown),
    String(file.rows),
    describeOutcomes(file),
    formatCents(file.validCents),
  ]);
  return textTable(['File', 'Account', 'Operation', 'State', 'Rows', 'Outcomes', 'Valid total'], rows, [4, 6]);
}

function describeOutcomes({ state, shown, reasonCode, outcomes, open }: FileSummary): string {
  if (state === 'rejected' || state === 'held' || state === 'cancelled')
    return `nothing sent: ${reasonCode === null ? saidWord(shown) : saidCode(reasonCode)}`;
  const names = Object.keys(OUTCOMES) as Outcome[];
  const counts = names
    .filter((name) => outcomes[name])
    .map((name) => `${outcomes[name]!.rows} ${SHOWN_OUTCOMES[name].word.toLowerCase()}`);
  return [...counts, ...(open.rows > 0 ? [`${open.rows} without outcome yet`] : [])].join(', ');
}
