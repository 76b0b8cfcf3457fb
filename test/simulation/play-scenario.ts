import { inspect } from 'node:util';
import type { App } from '../../src/app.ts';
import { chooser } from './choose.ts';
import { checkRest } from './checks/check-rest.ts';
import { checkDeclared, checkStep } from './checks/check-step.ts';
import type { Database } from './database.ts';
import { driveToRest, letPersonsFinish, settle } from './drive-to-rest.ts';
import { holdServiceClock } from './steps/step.ts';
import { seedRandomness } from './seed-randomness.ts';
import { dropOutput } from './steps/drop-file.ts';
import { beginDay, countStruck, STEPS } from './steps/steps.ts';
import { type Counts, makeTotals } from './totals.ts';
import { openWorld, type World } from './world.ts';

export type Played = {
  readonly seed: number;
  readonly counts: Counts;
  readonly story: readonly string[];
  /** What did not hold, in words; empty when all is well. */
  readonly complaints: readonly string[];
};

/**
 * Plays one scenario: a world, 8 to 30 steps with a check after each, then rest, and the check at rest.
 * @param spoil puts a deliberate defect into every instance
 */
export async function playScenario(
  seed: number,
  database: Database,
  spoil: (app: App) => App = (app) => app,
): Promise<Played> {
  seedRandomness(seed);
  const totals = makeTotals();
  const parts = { seed, choose: chooser(seed), database, totals, spoil, onDeclared: checkDeclared };
  const world = await openWorld(parts);
  try {
    // An exception from a step is a complaint too, and must not end the scenarios after this one.
    const complaints = await play(world).catch((error: unknown) => [inspect(error)]);
    countStruck(world);
    return { seed, counts: totals.counts(), story: [...world.story], complaints };
  } finally {
    await world.close();
  }
}

async function play(world: World): Promise<string[]> {
  await beginDay(world);
  const steps = world.choose.between(8, 30);
  for (let n = 0; n < steps; n += 1) {
    holdServiceClock(world);
    const step = world.choose.weighted(STEPS.filter(({ isPossible }) => isPossible(world)));
    world.totals.count('steps', step.name);
    await step.take(world);
    const complaints = await checkStep(world);
    if (complaints.length > 0) return complaints;
  }
  const unrest = await driveToRest(world);
  if (unrest.length > 0) return unrest;
  const broken = await checkAll(world);
  if (broken.length > 0) return broken;
  if (world.choose.happens(0.4)) {
    const stuck = await letPersonsFinish(world);
    if (stuck.length > 0) return stuck;
  }
  // There are outputs now, which a sender may take for payment files.
  for (let outputs = world.choose.between(0, 2); outputs > 0; outputs -= 1) await dropOutput(world);
  const unsettled = await settle(world);
  return unsettled.length > 0 ? unsettled : checkAll(world);
}

async function checkAll(world: World): Promise<string[]> {
  return [...(await checkStep(world)), ...(await checkRest(world))];
}
