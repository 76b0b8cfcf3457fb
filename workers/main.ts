import type { App } from '../src/app.ts';
import { checkFolders } from './check-folders.ts';
import { deliverFile } from './deliver.ts';
import { intakeFile } from './intake.ts';
import { pollBatch } from './poll.ts';
import { submitBatch } from './submit.ts';
import { runSchedule } from './schedule.ts';
import { countDueRuns } from './schedule/due-runs.ts';
import { compareJournal, longestCallMs, sweep } from './sweep.ts';
import { crashPoint } from '../src/kernel/crash-point.ts';
import { reasonOf } from '../src/kernel/errors.ts';
import { startWatcher } from './watch.ts';

export type Workers = {
  /** Lists every folder now. @returns how many drops are still settling, and runs of schedules are due or being made */
  look(): Promise<number>;
  /** Takes nothing new, waits for what is running. */
  stop(): Promise<void>;
};

/**
 * Starts every station in this process. The order matters: nothing may be submitted before the journal was compared
 * with the ledger and the batches of dead workers were taken back.
 */
export async function startWorkers(app: App): Promise<Workers> {
  await checkFolders(app.settings);
  await compareJournal(app);
  crashPoint('start.journal-compared');
  const { concurrency, schedules } = app.settings;
  const stopping = new AbortController();
  await app.queue.plan(Object.entries(schedules).map(([schedule, times]) => ({ schedule, ...times })));
  const sweeper = await startSweeper(app);
  const stations = [
    app.queue.work('intake', concurrency.intake, (job) => intakeFile(app, job)),
    app.queue.work('submit', concurrency.submit, (job) => submitBatch(app, job)),
    app.queue.work('poll', concurrency.poll, (job) => pollBatch(app, job)),
    app.queue.work('deliver', concurrency.deliver, (job) => deliverFile(app, job)),
    app.queue.work('schedule', RUNS_AT_ONCE, (job) => runSchedule(app, job, stopping.signal)),
  ];
  const watcher = await startWatcher(app);
  return {
    look: async () => (await watcher.look()) + (await countDueRuns(app)),
    stop: async () => {
      stopping.abort();
      // All at once: nothing new may be sent while a large drop is sealed or a sweep waits for the database. A call that
      // is on its way is waited for up to its limit (F78); what is left then is found by the next start.
      const closing = stations.map((station) => station.close({ waitMs: longestCallMs(app) }));
      await Promise.all([watcher.stop(), sweeper.stop(), ...closing]);
    },
  };
}

/** Each holds a lock while it lasts (withFreeLock). */
const RUNS_AT_ONCE = 2;

/** The sweep at start must succeed; later ones may fail with the database and are tried again. */
async function startSweeper(app: App): Promise<{ stop(): Promise<void> }> {
  await sweep(app, { atStart: true });
  let running: Promise<void> = Promise.resolve();
  let timer: NodeJS.Timeout;
  let stopped = false;
  const plan = () => {
    timer = setTimeout(() => {
      running = sweep(app)
        .catch((error: unknown) => app.log.error({ code: 'LEDGER_UNREACHABLE' }, `sweep failed: ${reasonOf(error)}`))
        .finally(() => {
          if (!stopped) plan();
        });
    }, app.settings.sweepMs);
  };
  plan();
  return {
    stop: async () => {
      stopped = true;
      clearTimeout(timer);
      await running;
    },
  };
}
