import type { World } from '../world.ts';

/** Lets time pass, or sets our clocks back a little. The service and the database do not go back. */
export async function moveClock(world: World, ms: number): Promise<void> {
  world.clock.advance(ms);
  if (ms <= 0) return;
  holdServiceClock(world);
  world.queue.giveUpDead();
  // Leases run by the clock of the database, which cannot be moved; so they are moved. In the middle of another's
  // transaction this waits for nobody: then the time has not passed for that one yet.
  await world.office.pool
    .query(
      `UPDATE batch SET lease_until = lease_until - $1 * interval '1 millisecond' WHERE state IN ('preparing', 'sending')`,
      [ms],
    )
    .catch(() => undefined);
}

/** The clock of the service runs on by itself. It is set at each step, so that nothing depends on how long steps take. */
export function holdServiceClock(world: World): void {
  const latest = Math.max(world.clock.now().getTime(), serviceMs.get(world) ?? 0);
  serviceMs.set(world, latest);
  world.sandbox.clock.set(new Date(latest));
}

const serviceMs = new WeakMap<World, number>();

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
