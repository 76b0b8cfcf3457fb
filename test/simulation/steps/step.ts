import type { World } from '../world.ts';
import type { Payload } from '../../../schemas/jobs.ts';
import type { App } from '../../../src/app.ts';
import { findDueWork } from '../../../src/ledger/batch/due-work.ts';
import { MOST_BATCHES } from '../../../schemas/jobs.ts';
import { keyOf } from '../../../workers/enqueue.ts';
import { deliverFile } from '../../../workers/deliver/deliver.ts';
import { intakeFile } from '../../../workers/intake/intake.ts';
import { runPollJob } from '../../../workers/poll/poll.ts';
import { submitBatch } from '../../../workers/submit/submit.ts';
import { runReprocess } from '../../../src/actions/reprocess/run-reprocess.ts';
import { findOpenRuns } from '../../../src/ledger/reprocess/move-run.ts';
import type { Instance } from '../instance/open-instance.ts';
import type { FileQueue, Job } from '../memory-queue.ts';

/** One thing that may happen in a world. It tells the story and counts what it does. */
export type Step = {
  readonly name: string;
  readonly weight: number;
  readonly isPossible: (world: World) => boolean;
  readonly take: (world: World) => Promise<void>;
};

/** Adds a sentence to the story. Returns a way to extend it once the outcome is known. */
export function tell(world: World, sentence: string): { add(more: string): void } {
  const place = world.story.push(sentence) - 1;
  return {
    add: (more) => {
      world.story[place] += `; ${more}`;
    },
  };
}

/** Puts a text on one line and cuts it to a readable length. */
export function shortened(text: string): string {
  return text.replace(/\s+/g, ' ').slice(0, 160);
}

/** Picks one of the values that a query finds as `found`. It must order them, so that a seed repeats the choice. */
export async function pickFrom<Found>(world: World, sql: string, values: unknown[] = []): Promise<Found | undefined> {
  const { rows } = await world.office.pool.query<{ found: Found }>(sql, values);
  return rows.length === 0 ? undefined : world.choose.one(rows).found;
}

/** Lets time pass, or sets our clocks back a little. The service's clock does not go back with them. */
export async function moveClock(world: World, ms: number): Promise<void> {
  world.clock.advance(ms);
  if (ms <= 0) return;
  holdServiceClock(world);
  world.queue.giveUpDead();
  // Leases follow the clock of the database, which cannot be moved, so the leases are moved. If a transaction holds
  // one, the update gives up: the time has not passed for that lease yet.
  await world.office.pool
    .query(
      `UPDATE batch SET lease_until = lease_until - $1 * interval '1 millisecond' WHERE state IN ('preparing', 'sending')`,
      [ms],
    )
    .catch(() => undefined);
}

/** Sets the clocks of the services, which run by themselves, so that nothing depends on how long steps take. */
export function holdServiceClock(world: World): void {
  const latest = Math.max(world.clock.now().getTime(), serviceMs.get(world) ?? 0);
  serviceMs.set(world, latest);
  for (const { sandbox } of world.services.all) sandbox.clock.set(new Date(latest + world.wrongBy.service));
}

const serviceMs = new WeakMap<World, number>();

/** Sets one of the clocks wrong, or right again. Returns what it did, in words. */
export function setWrong(world: World): string {
  const whose = world.choose.one(Object.keys(world.wrongBy) as (keyof World['wrongBy'])[]);
  const ms = world.choose.one([0, 0, 3_600_000, -3_600_000, 400 * DAY_MS, -400 * DAY_MS, 30 * DAY_MS, -30 * DAY_MS]);
  world.wrongBy[whose] = ms;
  latestWrong.set(world, Math.max(latestWrong.get(world) ?? 0, world.wrongBy.service));
  holdServiceClock(world);
  world.totals.count('clocks', ms === 0 ? `the ${whose} is right` : `the ${whose} is wrong`);
  return `the clock of the ${whose} is ${ms === 0 ? 'right' : `wrong by ${ms < 0 ? '-' : ''}${describeTime(ms)}`}`;
}

/** Ends wrong times. The service's clock stays at its latest time, by which work sent meanwhile completes. */
export function endWrongTimes(world: World): void {
  world.wrongBy.database = 0;
  world.wrongBy.host = 0;
  world.wrongBy.service = Math.max(world.wrongBy.service, 0, latestWrong.get(world) ?? 0);
  holdServiceClock(world);
}

const latestWrong = new WeakMap<World, number>();

const DAY_MS = 86_400_000;

export function describeTime(ms: number): string {
  const units: [number, string][] = [
    [86_400_000, 'days'],
    [3_600_000, 'hours'],
    [60_000, 'minutes'],
    [1_000, 'seconds'],
  ];
  const [size, unit] = units.find(([least]) => Math.abs(ms) >= least) ?? [1, 'ms'];
  return `${Math.abs(ms) / size} ${unit}`;
}

/** Work for a stage: a job of the queue, or one that was never queued. */
export type Chore = {
  readonly name: FileQueue;
  readonly payload: Payload<FileQueue>;
  /** The file and batch, for the story. */
  readonly about: string;
  /** The job of the queue from which it was taken, if any. */
  readonly job: Job | undefined;
};

const STAGES: { [Name in FileQueue]: (app: App, payload: Payload<Name>) => Promise<void> } = {
  intake: (app, job) => eachFile(job, (fileId) => intakeFile(app, { fileId })),
  submit: submitBatch,
  poll: (app, job) => runPollJob(app, job, WHOLE_MS),
  deliver: (app, job) => eachFile(job, (fileId) => deliverFile(app, { fileId })),
  reprocess: runReprocess,
};

/** Longer than any call of a world, so that none is left out by the clock of the machine. */
const WHOLE_MS = 600_000;

/** Handles all files without a time limit, which would make a seed unrepeatable. */
async function eachFile(
  { fileId, more = [] }: Payload<'intake'>,
  work: (fileId: string) => Promise<void>,
): Promise<void> {
  for (const next of [fileId, ...more]) await work(next);
}

export function runJob(instance: Instance, chore: Chore): Promise<void> {
  const stage = STAGES[chore.name] as (app: App, payload: Payload<FileQueue>) => Promise<void>;
  return instance.run((app) => stage(app, chore.payload));
}

/** Returns a job of the queue that is due. */
export async function chooseDueJob(world: World): Promise<Chore | undefined> {
  const nowMs = world.clock.now().getTime();
  const due = world.queue.waiting().filter((job) => job.dueMs <= nowMs);
  return due.length === 0 ? undefined : ofJob(world, world.choose.one(due));
}

/** Returns work that the ledger says is due, whether or not a job exists for it. */
export async function chooseDueWork(world: World): Promise<Chore | undefined> {
  // An observer has no accounts of its own; a process does what its configuration allows.
  const { ledger } = world.instances[0]?.app ?? {};
  const due = await findDueWork({ ...world.office, bound: ledger?.bound ?? world.office.bound });
  const chores: { name: FileQueue; payload: Payload<FileQueue> }[] = [
    ...due.intake.map((fileId) => ({ name: 'intake' as const, payload: { fileId } })),
    ...due.submit.map((payload) => ({ name: 'submit' as const, payload })),
    ...due.poll.map((batch, place) => ({
      name: 'poll' as const,
      // Each with those after it, as batches submitted in quick succession share a job.
      payload: { ...keyOf(batch), more: due.poll.slice(place + 1, place + MOST_BATCHES).map(keyOf) },
    })),
    ...due.deliver.map((fileId) => ({ name: 'deliver' as const, payload: { fileId } })),
    ...(await findOpenRuns(world.office, world.settings.site)).map((runNo) => ({
      name: 'reprocess' as const,
      payload: { runNo },
    })),
  ];
  if (chores.length === 0) return undefined;
  const { name, payload } = world.choose.one(chores);
  return { name, payload, about: await describe(world, payload), job: undefined };
}

/** Returns work that no caller would queue: any stage for any file or batch there ever was, or for none at all. */
export async function chooseWrongWork(world: World): Promise<Chore | undefined> {
  const { choose } = world;
  const { rows } = await world.office.pool.query<{ fileId: string; batchNo: number | null }>(
    `SELECT f.file_id AS "fileId", b.batch_no AS "batchNo" FROM file f LEFT JOIN batch b USING (file_id)
     ORDER BY f.file_no, b.batch_no`,
  );
  if (rows.length === 0) return undefined;
  const { fileId, batchNo } = choose.one(rows);
  const name = choose.one(Object.keys(STAGES) as FileQueue[]);
  const ofBatch = { fileId, batchNo: choose.happens(0.1) ? 99 : (batchNo ?? 1) };
  const others = name === 'reprocess' ? { runNo: choose.between(1, 3) } : { fileId };
  const payload = name === 'submit' || name === 'poll' ? ofBatch : others;
  return { name, payload, about: await describe(world, payload), job: undefined };
}

export async function ofJob(world: World, job: Job): Promise<Chore> {
  return { name: job.name, payload: job.payload, about: await describe(world, job.payload), job };
}

/** Names files after their drops, because ids mean nothing to a reader. */
async function describe(world: World, payload: Payload<FileQueue>): Promise<string> {
  if ('runNo' in payload) return `selection ${payload.runNo}`;
  const { rows } = await world.office.pool.query<{ name: string }>('SELECT name FROM file WHERE file_id = $1', [
    payload.fileId,
  ]);
  const name = rows[0]?.name ?? 'a file that the ledger does not know';
  return 'batchNo' in payload ? `${name}/${payload.batchNo}` : name;
}
