import { sweep } from '../../../workers/upkeep/sweep.ts';
import type { World } from '../world.ts';
import { withoutTappedFiles } from '../instance/tapped-files.ts';
import { reasonOf } from '../../../src/kernel/errors.ts';
import { ACTS, performAct } from './acts.ts';
import { chooseDueJob, runJob } from './stages.ts';
import { setWrong } from './move-clock.ts';
import { shortened, tell } from './step.ts';

/**
 * Something else that may happen while an instance is in the middle of a step. It runs to its end, or until it would
 * have to wait for that step; then the step goes on. `happen` returns whether it happened.
 */
export type Meanwhile = {
  readonly name: string;
  readonly weight: number;
  readonly happen: (world: World) => Promise<boolean>;
};

export const MEANWHILE: readonly Meanwhile[] = [
  meanwhile('another instance sweeps', 4, async (world) => {
    const other = await anotherInstance(world);
    return trying(world, `${other.name} sweeps`, () => other.run((app) => sweep(app)));
  }),
  meanwhile('another instance runs a job', 4, async (world) => {
    const job = await chooseDueJob(world);
    if (!job) return false;
    const other = await anotherInstance(world);
    return trying(world, `${other.name} runs ${job.name} for ${job.about}`, () => runJob(other, job));
  }),
  meanwhile('the clock goes on by an hour', 2, async (world) => {
    world.clock.advance(3_600_000);
    tell(world, '  meanwhile an hour passes');
    return true;
  }),
  meanwhile('another clock is set', 1, async (world) => {
    tell(world, `  meanwhile ${setWrong(world)}`);
    return true;
  }),
  meanwhile('the lease runs out', 2, (world) =>
    trying(world, 'the lease runs out', () =>
      world.office.pool.query(
        `UPDATE batch SET lease_until = clock_timestamp() - interval '1 s' WHERE state = 'preparing'`,
      ),
    ),
  ),
  meanwhile('an operator acts', 3, async (world) => {
    const done = await chooseAct(world);
    return done !== undefined;
  }),
  meanwhile('the queue is lost', 1, async (world) => {
    world.queue.dropAll();
    tell(world, '  meanwhile the queue is lost');
    return true;
  }),
];

export function meanwhile(name: string, weight: number, happen: Meanwhile['happen']): Meanwhile {
  return { name, weight, happen: (world) => withoutTappedFiles(() => happen(world)) };
}

/** Returns an instance that is not in the middle of a step, and starts one when there is none. */
async function anotherInstance(world: World) {
  const idle = world.instances.find((instance) => !world.busy.has(instance));
  if (idle) return idle;
  const instance = await world.open();
  await trying(world, `${instance.name} starts`, () => instance.recover());
  return instance;
}

export async function trying(world: World, what: string, act: () => Promise<unknown>): Promise<boolean> {
  const place = tell(world, `  meanwhile ${what}`);
  await act().catch((error: unknown) => place.add(`ends with: ${shortened(reasonOf(error))}`));
  return true;
}

async function chooseAct(world: World): Promise<string | undefined> {
  for (const act of world.choose.shuffle(ACTS)) {
    const chosen = await act.find(world);
    if (!chosen) continue;
    const place = tell(world, `  meanwhile an operator ${chosen.words}`);
    await performAct(world, act, chosen.perform).then(
      () => undefined,
      (error: unknown) => place.add(`cannot: ${shortened(reasonOf(error))}`),
    );
    return act.name;
  }
  return undefined;
}
