import { EXIT } from '../../../schemas/errors.ts';
import { tellAlarms } from '../../../workers/upkeep/start-alarms.ts';
import { checkExpected } from '../../../workers/schedule/check-expected.ts';
import type { App } from '../../app.ts';
import { PipelineError } from '../../kernel/errors.ts';
import { readOverview } from '../../ledger/overview/overview.ts';
import { type Call, type CliCommand, JSON_OPTION, print, settingsOf } from '../command.ts';
import { fileSummaryTable, readFileSummaries } from '../print/file-summary.ts';
import { openCommandLog } from '../open-command-log.ts';
import { type ProgressLine, progressLine } from '../print/progress.ts';
import { withStopSignal } from '../process/stop-signal.ts';
import { troubleStatus } from '../print/trouble-status.ts';
import { waitUntilIdle } from '../process/wait-until-idle.ts';
import { withApp } from '../process/with-app.ts';
import { withWorkers } from '../process/with-workers.ts';

export const run: CliCommand = {
  name: 'run',
  about: 'Take everything that lies in the folders now to its end, then stop (for cron)',
  options: [
    ['--once', 'say that one run is meant; "start" keeps watching'],
    ['--timeout <seconds>', 'give up after this long; the work goes on at the next run', '3600'],
    JSON_OPTION,
  ],
  examples: ['run --once', 'run --once --timeout 600 --json'],
  async run(call) {
    if (!call.options['once']) throw new PipelineError('USAGE', 'run', 'it is not said for how long', { next: NEXT });
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

const NEXT =
  'Say "paydrop run --once" to take what lies in the folders now to its end, or "paydrop start" to keep watching.';

function readTimeout(call: Call): number {
  const timeoutMs = Number(call.options['timeout']) * 1_000;
  if (timeoutMs > 0) return timeoutMs;
  throw new PipelineError('USAGE', 'run', '--timeout wants a number of seconds above 0');
}

async function runOnce(
  call: Call,
  app: App,
  { timeoutMs, stop, progress }: { timeoutMs: number; stop: AbortSignal; progress: ProgressLine },
): Promise<number> {
  const startedAt = app.clock.now();
  const isIdle = await withWorkers(app, (workers) =>
    waitUntilIdle(app, workers, timeoutMs, (text) => progress.show(text), stop),
  ).finally(() => progress.clear());
  await checkExpected(app);
  // The workers may have ended before their last check for alarms.
  await tellAlarms(app);
  const files = await readFileSummaries(app.ledger, startedAt, app.settings.paths.out);
  print(call, files, () => (files.length === 0 ? NOTHING : fileSummaryTable(files)));
  if (!isIdle) throw unfinished(stop);
  const rejected = files.filter((file) => file.state === 'rejected').length;
  const status = troubleStatus(await readOverview(app.ledger), rejected);
  if (status >= EXIT.held) console.error('Something waits for a person: see "paydrop status".');
  return status;
}

const NOTHING = 'No file came to a new state.';

function unfinished(stop: AbortSignal): PipelineError {
  const action = 'bring everything to its end';
  if (!stop.aborted) return new PipelineError('TIMED_OUT', action);
  return new PipelineError('TIMED_OUT', action, 'it was stopped', { next: 'The work goes on at the next run.' });
}
