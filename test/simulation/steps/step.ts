import type { World } from '../world.ts';

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

/** Sets the clock of the service, which runs by itself, so that nothing depends on how long steps take. */
export function holdServiceClock(world: World): void {
  const latest = Math.max(world.clock.now().getTime(), serviceMs.get(world) ?? 0);
  serviceMs.set(world, latest);
  world.sandbox.clock.set(new Date(latest + world.wrongBy.service));
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
