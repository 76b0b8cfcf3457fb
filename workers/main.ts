import { does, EVERY_ROLE, type Role, ROLES } from '../schemas/jobs.ts';
import type { App } from '../src/app.ts';
import { checkDataFolder } from './watch/check-data-folder.ts';
import { bindHere } from './bind-here.ts';
import { followSettings } from './follow-settings.ts';
import { checkFolders, checkKeys } from './watch/check-folders.ts';
import { DELIVER } from './deliver/deliver.ts';
import { INTAKE } from './intake/intake.ts';
import { pollStage } from './poll/poll.ts';
import { submitStage } from './submit/submit.ts';
import { openShredder } from './upkeep/shred.ts';
import { countDueRuns, SCHEDULE } from './schedule/schedule.ts';
import { admitHere, compareJournal, isBarred } from './admit-here.ts';
import { longestCallMs, sweep } from './upkeep/sweep.ts';
import { crashPoint } from '../src/kernel/crash-point.ts';
import { schedulesHere } from '../src/config/schedules-here.ts';
import { PipelineError, reasonOf } from '../src/kernel/errors.ts';
import { note, noteEnd } from './note-failures.ts';
import { type Stage, startStage, WorkingGroups } from './stage.ts';
import { withRefusalExplained } from '../src/ledger/engine/explain-refusal.ts';
import { startAlarms } from './upkeep/start-alarms.ts';
import { workOf } from './feature-work.ts';
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
  reprocess?: Stage<{ runNo: number }>,
): Promise<Workers> {
  const atSite = [...roles].some((role) => ROLES[role].atSite);
  if (atSite) await checkDataFolder(app);
  if (atSite) await checkFolders(app.settings);
  if (does(roles, 'intake')) await checkKeys(app);
  await bindHere(app);
  await (does(roles, 'submit') ? admitHere(app) : compareJournal(app));
  crashPoint('start.journal-compared');
  const stopping = new AbortController();
  const planSchedules = async () => {
    if (does(roles, 'schedule'))
      await app.queue.plan(schedulesHere(app.settings).map(([schedule, times]) => ({ schedule, ...times })));
  };
  await planSchedules();
  const { concurrency } = app.settings;
  const groups = new WorkingGroups();
  const start = <Thing>(stage: Stage<Thing>, hands: number, mayTake?: () => boolean) =>
    does(roles, stage.name) ? [startStage(app, stage, { hands, stopping: stopping.signal, mayTake, groups })] : [];
  const stages = [
    ...start(INTAKE, concurrency.intake),
    // A host that may not send leaves the work to the others.
    ...start(submitStage(), concurrency.submit, () => !isBarred(app)),
    ...start(pollStage(), concurrency.poll),
    ...start(DELIVER, concurrency.deliver),
    ...start(SCHEDULE, RUNS_AT_ONCE),
    ...(reprocess ? start(reprocess, RUNS_AT_ONCE) : []),
  ];
  const wakeAll = () => stages.forEach((stage) => void stage.wake());
  const sweeper = await startSweeper(app, { atSite, sends: does(roles, 'submit') }, wakeAll);
  const bells = stages.map((stage) => app.queue.hear(stage.name, () => stage.wake()));
  wakeAll();
  const others = (await workOf(app.settings)).flatMap(({ start: begin }) => begin?.(app, roles) ?? []);
  const watcher = does(roles, 'list') ? await startWatcher(app, onScan) : BLIND;
  const alarms = startAlarms(app);
  const followed = await followSettings(app, roles, atSite, async () => {
    await planSchedules();
    // Not awaited: a large drop in another folder may be taken meanwhile.
    void watcher.look();
    for (const other of others) await other.follow();
  });
  return {
    look: async () => {
      let arriving = 0;
      for (const part of [...others, watcher]) arriving += await part.look();
      return arriving + (await countDueRuns(app));
    },
    stop: async () => {
      stopping.abort();
      // All at once: nothing new may be sent while a large drop is sealed or a sweep waits for the database. A call in
      // progress gets its full time limit; the next start finds what is left.
      const waitMs = longestCallMs(app);
      const closing = [...bells.map((bell) => bell.close({ waitMs })), ...stages.map((stage) => stage.stop(waitMs))];
      const parts = [followed, watcher, ...others, sweeper, alarms];
      await Promise.all([...parts.map((part) => part.stop()), ...closing]);
    },
  };
}

const BLIND: Watcher = { look: async () => 0, stop: async () => {} };

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
