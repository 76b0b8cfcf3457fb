import type { World } from '../world.ts';
import type { App } from '../../../src/app.ts';
import { REPROCESS, runReprocess } from '../../../src/actions/reprocess/run-reprocess.ts';
import { isBarred } from '../../../workers/admit-here.ts';
import { DELIVER } from '../../../workers/deliver/deliver.ts';
import { INTAKE } from '../../../workers/intake/intake.ts';
import { askForResult, pollStage } from '../../../workers/poll/poll.ts';
import { type NotEnded, runOnce, type Stage } from '../../../workers/stage.ts';
import { submitStage } from '../../../workers/submit/submit.ts';
import { dueNames } from '../../../src/ledger/batch/due-work.ts';
import { listDue } from '../../support/due-work.ts';
import type { Instance } from '../instance/open-instance.ts';
import { FILE_STAGES, type FileStage } from '../memory-queue.ts';
import { deliverFile, intakeFile, submitBatch } from '../../support/work-alone.ts';

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
    .query(`UPDATE batch SET lease_until = lease_until - $1 * interval '1 millisecond' WHERE state = 'sending'`, [ms])
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

/** Work for a stage: a ring of the queue, or something that nobody rang for. */
export type Chore = {
  readonly name: FileStage;
  /** What is worked on, for the story. */
  readonly about: string;
  /** The stage whose ring is heard, if any. */
  readonly ring?: FileStage;
  readonly run: (app: App) => Promise<void>;
};

/**
 * The stages as they are, but for what no seed could repeat: time slices, and work side by side. Calls of an account
 * follow each other, the next opened at the answer to the one before.
 */
const STAGES: { readonly [Name in FileStage]: AnyStage } = {
  intake: INTAKE,
  submit: oneByOne(submitStage({ sliceMs: Infinity, opens: 'after' })),
  poll: pollStage(600_000),
  deliver: oneByOne(DELIVER),
  reprocess: oneByOne(REPROCESS),
};

/** Sends one batch of an account, as when its time slice is over. */
const ONE_CALL = oneByOne(submitStage({ sliceMs: 0 }));

/** A stage, whatever it works on. */
type AnyStage = Stage<unknown>;

function oneByOne<Thing>(stage: Stage<Thing>): AnyStage {
  const work: Stage<Thing>['work'] = async (app, things, hand) => {
    const notEnded = new Map<Thing, NotEnded>();
    for (const thing of things) for (const one of await stage.work(app, [thing], hand)) notEnded.set(...one);
    return notEnded;
  };
  return { ...stage, work };
}

/** Most groups that one ring takes; more would mean that something is due again and again. An account may have a hundred batches of one row. */
const MOST_GROUPS = 200;

/**
 * Lets a stage take what is due until nothing is left.
 * @throws the first failure of a thing, which a stage only notes
 */
async function takeAll(app: App, name: FileStage, played: AnyStage): Promise<void> {
  // A host that may not send takes nothing.
  if (name === 'submit' && isBarred(app)) return;
  const { stage, rethrow } = noticing(played);
  let groups = 0;
  while ((await runOnce(app, stage)) > 0) {
    groups += 1;
    if (groups === MOST_GROUPS) throw new Error(`${name} has something to do again and again`);
  }
  rethrow();
}

/** Returns the stage, and what throws its first failure. */
function noticing(stage: AnyStage): { stage: AnyStage; rethrow: () => void } {
  const failures: unknown[] = [];
  const work: AnyStage['work'] = async (app, things, hand) => {
    try {
      const notEnded = await stage.work(app, things, hand);
      for (const why of notEnded.values()) if (typeof why === 'object') failures.push(why.error);
      return notEnded;
    } catch (error) {
      // A group that fails goes one by one.
      if (things.length === 1) failures.push(error);
      throw error;
    }
  };
  return {
    stage: { ...stage, work },
    rethrow: () => {
      if (failures.length > 0) throw failures[0];
    },
  };
}

export function runChore(instance: Instance, chore: Chore): Promise<void> {
  return instance.run(chore.run);
}

/** Returns a ring that waits. */
export function chooseRing(world: World): Chore | undefined {
  const waiting = world.queue.waiting();
  if (waiting.length === 0) return undefined;
  const name = world.choose.one(waiting);
  return ofRing(name, playedOf(world, name));
}

function playedOf(world: World, name: FileStage): AnyStage {
  return name === 'submit' && world.choose.happens(0.3) ? ONE_CALL : STAGES[name];
}

export function ofRing(name: FileStage, played = STAGES[name]): Chore {
  return { name, about: 'what waits', ring: name, run: (app) => takeAll(app, name, played) };
}

/** Returns one thing that a stage finds due, whether or not anybody rang for it. */
export async function chooseDueWork(world: World, instance: Instance): Promise<Chore | undefined> {
  const found: { name: FileStage; thing: unknown }[] = [];
  for (const name of FILE_STAGES) {
    if (name === 'submit' && isBarred(instance.app)) continue;
    for (const subject of await listDue(world.office, await STAGES[name].findDue(instance.app)))
      found.push({ name, thing: STAGES[name].thingOf(subject) });
  }
  if (found.length === 0) return undefined;
  const { name, thing } = world.choose.one(found);
  const played = playedOf(world, name);
  const run = async (app: App) => {
    const { stage, rethrow } = noticing({
      ...played,
      findDue: () => dueNames([STAGES[name].itemOf(thing).subject]),
    });
    await runOnce(app, stage);
    rethrow();
  };
  return { name, about: await describe(world, STAGES[name].itemOf(thing)), run };
}

/** Returns work that nobody would ask for: any stage for any file or batch there ever was, or for none at all. */
export async function chooseWrongWork(world: World): Promise<Chore | undefined> {
  const { choose } = world;
  const { rows } = await world.office.pool.query<{ fileId: string; batchNo: number | null }>(
    `SELECT f.file_id AS "fileId", b.batch_no AS "batchNo" FROM file f LEFT JOIN batch b USING (file_id)
     ORDER BY f.file_no, b.batch_no`,
  );
  if (rows.length === 0) return undefined;
  const { fileId, batchNo } = choose.one(rows);
  const name = choose.one(FILE_STAGES);
  const key = { fileId, batchNo: choose.happens(0.1) ? 99 : (batchNo ?? 1) };
  const runNo = choose.between(1, 3);
  const WORK: { readonly [Name in FileStage]: (app: App) => Promise<unknown> } = {
    intake: (app) => intakeFile(app, { fileId }),
    submit: (app) => submitBatch(app, key),
    poll: (app) => askForResult(app, key),
    deliver: (app) => deliverFile(app, { fileId }),
    reprocess: (app) => runReprocess(app, runNo),
  };
  const about =
    name === 'reprocess'
      ? `selection ${runNo}`
      : await describe(world, name === 'submit' || name === 'poll' ? key : { fileId });
  return { name, about, run: async (app) => void (await WORK[name](app)) };
}

/** Names files after their drops, because ids mean nothing to a reader. */
async function describe(
  world: World,
  { fileId, batchNo, subject = '' }: { fileId?: string | undefined; batchNo?: number | undefined; subject?: string },
): Promise<string> {
  if (fileId === undefined) return subject;
  const { rows } = await world.office.pool.query<{ name: string }>('SELECT name FROM file WHERE file_id = $1', [
    fileId,
  ]);
  const name = rows[0]?.name ?? 'a file that the ledger does not know';
  return batchNo === undefined ? name : `${name}/${batchNo}`;
}
