import { does, EVERY_ROLE, type Payload, type QueueName, type Role, ROLES } from '../schemas/jobs.ts';
import type { App } from '../src/app.ts';
import { checkDataFolder } from './watch/check-data-folder.ts';
import { bindHere } from './bind-here.ts';
import { followSettings } from './follow-settings.ts';
import { checkFolders, checkKeys } from './watch/check-folders.ts';
import { runDeliverJob } from './deliver/deliver.ts';
import { runIntakeJob } from './intake/intake.ts';
import { runPollJob } from './poll/poll.ts';
import { runSubmitJob } from './submit/submit.ts';
import { openShredder } from './upkeep/shred.ts';
import { countDueRuns, runSchedule } from './schedule/schedule.ts';
import { admitHere, compareJournal, isBarred } from './admit-here.ts';
import { longestCallMs, sweep } from './upkeep/sweep.ts';
import { crashPoint } from '../src/kernel/crash-point.ts';
import { schedulesHere } from '../src/config/schedules-here.ts';
import { isPlanOutdated, PipelineError, reasonOf } from '../src/kernel/errors.ts';
import { note, noteEnd, noting } from './note-failures.ts';
import type { QueueWorker } from '../src/queue/open-queue.ts';
import type { BatchKey } from '../src/ledger/engine/move.ts';
import { withRefusalExplained } from '../src/ledger/engine/explain-refusal.ts';
import type { WorkItem } from '../src/ledger/alarm/note-failure.ts';
import { startAlarms } from './upkeep/start-alarms.ts';
import { startTransfers } from './transfer/start-transfers.ts';
import { type OnScan, startWatcher, type Watcher } from './watch/watch.ts';

export type Workers = {
  /**
   * Scans every folder now, local and remote.
   * @returns how many drops are still settling, and runs of schedules are due or in progress
   */
  look(): Promise<number>;
  /** Takes nothing new and waits for what is running. */
  stop(): Promise<void>;
};

/**
 * Starts the stages of this process. Order matters: before anything is submitted, the journal is compared with the
 * ledger and the batches of dead workers are taken back.
 * @param onScan receives each listing of a watched folder
 * @param reprocess sends payments again; it lies above the stages, because a person can do the same by hand
 */
export async function startWorkers(
  app: App,
  roles: ReadonlySet<Role> = EVERY_ROLE,
  onScan?: OnScan,
  reprocess?: Reprocess,
): Promise<Workers> {
  const atSite = [...roles].some((role) => ROLES[role].atSite);
  if (atSite) await checkDataFolder(app);
  if (atSite) await checkFolders(app.settings);
  if (does(roles, 'intake')) await checkKeys(app);
  await bindHere(app);
  await (does(roles, 'submit') ? admitHere(app) : compareJournal(app));
  crashPoint('start.journal-compared');
  const { concurrency } = app.settings;
  const stopping = new AbortController();
  const planSchedules = async () => {
    if (does(roles, 'schedule'))
      await app.queue.plan(schedulesHere(app.settings).map(([schedule, times]) => ({ schedule, ...times })));
  };
  await planSchedules();
  const submitters: QueueWorker[] = [];
  // A host that may not send ends each job at once, so it would win most jobs from the hosts that may.
  const leaveToOthers = () => submitters.forEach((worker) => worker.setPaused(isBarred(app)));
  const sweeper = await startSweeper(app, { atSite, sends: does(roles, 'submit') }, leaveToOthers);
  const stage = <Name extends FileQueue>(name: Name, handle: (app: App, job: Payload<Name>) => Promise<void>) =>
    does(roles, name)
      ? [app.queue.work(name, concurrency[name], (job) => app.telemetry.trace(name, job, () => handle(app, job)))]
      : [];
  /** A job covers several files, each with its own trace. */
  const jobs = (name: 'intake' | 'deliver', run: typeof runIntakeJob) =>
    does(roles, name) ? [app.queue.work(name, concurrency[name], (job) => run(app, job, stopping.signal))] : [];
  submitters.push(
    ...stage('submit', (_app, job) => noting(app, submitItem(job), () => runSubmitJob(app, job, stopping.signal))),
  );
  leaveToOthers();
  const stages = [
    ...jobs('intake', runIntakeJob),
    ...submitters,
    ...(does(roles, 'poll') ? [app.queue.work('poll', concurrency.poll, (job) => runPollJob(app, job))] : []),
    ...jobs('deliver', runDeliverJob),
    ...(does(roles, 'schedule')
      ? [app.queue.work('schedule', RUNS_AT_ONCE, (job) => runSchedule(app, job, stopping.signal))]
      : []),
    ...(reprocess && does(roles, 'reprocess')
      ? [app.queue.work('reprocess', RUNS_AT_ONCE, (job) => reprocess(app, job, stopping.signal))]
      : []),
  ];
  const transfers = startTransfers(app, roles);
  const watcher = does(roles, 'list') ? await startWatcher(app, onScan) : BLIND;
  const alarms = startAlarms(app);
  const followed = await followSettings(app, roles, atSite, async () => {
    await planSchedules();
    await transfers.follow();
    // Not awaited: a large drop in another folder may be taken meanwhile.
    void watcher.look();
  });
  return {
    look: async () => (await transfers.look()) + (await watcher.look()) + (await countDueRuns(app)),
    stop: async () => {
      stopping.abort();
      // All at once: nothing new may be sent while a large drop is sealed or a sweep waits for the database. A call in
      // progress gets its full time limit; the next start finds what is left.
      const closing = stages.map((stage) => stage.close({ waitMs: longestCallMs(app) }));
      await Promise.all([followed.stop(), watcher.stop(), transfers.stop(), sweeper.stop(), alarms.stop(), ...closing]);
    },
  };
}

function submitItem({ fileId, batchNo }: BatchKey): WorkItem {
  return { work: 'submit', subject: `${fileId}/${batchNo}`, fileId, batchNo };
}

const BLIND: Watcher = { look: async () => 0, stop: async () => {} };

/** Works on a run; `stop` leaves the rest of it to the next start. */
export type Reprocess = (app: App, job: Payload<'reprocess'>, stop: AbortSignal) => Promise<void>;

type FileQueue = Exclude<QueueName, 'schedule' | 'reprocess'>;

/** Each holds a lock while it lasts (`tryLock`). */
const RUNS_AT_ONCE = 2;

/**
 * Sweeps now and at intervals. The first sweep must succeed; later ones may fail with the database.
 * @param onSwept called after each later sweep, failed ones included
 */
async function startSweeper(
  app: App,
  here: { atSite: boolean; sends: boolean },
  onSwept: () => void,
): Promise<{ stop(): Promise<void> }> {
  await sweep(app, { atStart: true, ...here });
  const shredder = openShredder(app);
  void shredder.tick();
  let running: Promise<void> = Promise.resolve();
  let timer: NodeJS.Timeout;
  let stopped = false;
  // A process without folders must not clear a failure of one with folders on the same host.
  const { host } = app.ledger.instance;
  const item = { work: 'sweep', subject: here.atSite ? `${host}/${app.settings.site}` : host } as const;
  const plan = () => {
    timer = setTimeout(() => {
      running = sweep(app, here)
        .then(() => noteEnd(app, item))
        .catch((thrown: unknown) => {
          if (isPlanOutdated(thrown)) {
            app.log.info('a sweep met an update of the tables; the next one repeats it');
            return;
          }
          const error = withRefusalExplained(thrown);
          const code = error instanceof PipelineError ? error.code : 'LEDGER_UNREACHABLE';
          app.health.noteTrouble(code, error instanceof PipelineError ? error.message : undefined);
          app.log.error({ code }, `sweep failed: ${reasonOf(error)}`);
          return note(app, item, { code, reason: reasonOf(error) }, app.settings.sweepMs);
        })
        .finally(() => {
          onSwept();
          void shredder.tick();
          if (!stopped) plan();
        });
    }, app.settings.sweepMs);
  };
  plan();
  return {
    stop: async () => {
      stopped = true;
      clearTimeout(timer);
      await Promise.all([running, shredder.stop()]);
    },
  };
}
