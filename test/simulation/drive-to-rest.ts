import { isMoving } from '../../src/ledger/overview/overview.ts';
import { sweep } from '../../workers/upkeep/sweep.ts';
import { bringHostsBack, sweepEverywhere } from './hosts/bring-back.ts';
import { isWide } from './hosts/installation.ts';
import type { Instance } from './instance/open-instance.ts';
import { endWrongTimes, holdServiceClock, moveClock } from './steps/move-clock.ts';
import { mendService } from './steps/plan-fault.ts';
import { runStage } from './steps/run-stage.ts';
import { chooseDueJob, runJob } from './steps/stages.ts';
import { startInstance } from './steps/start-instance.ts';
import { WRONG } from './steps/steps.ts';
import { tell } from './steps/step.ts';
import type { World } from './world.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/** Steps of time until nothing moves: short enough for young batches, long enough for those polled daily. */
const WAITS_MS = [...repeat(10 * MINUTE_MS, 12), ...repeat(2 * HOUR_MS, 13), ...repeat(25 * HOUR_MS, 12)];

/**
 * Ends all trouble and lets the program work, undisturbed and without a person.
 * @returns what still moves when it should have come to rest
 */
export async function driveToRest(world: World): Promise<string[]> {
  tell(world, '— from here on nothing goes wrong any more —');
  await mendService(world);
  endWrongTimes(world);
  const complaints = isWide(world) ? await bringHostsBack(world) : [];
  complaints.push(...(await settle(world)));
  if (complaints.length > 0) return complaints;
  // Late changes are checked for up to a day later.
  for (const waitMs of [2 * HOUR_MS, 25 * HOUR_MS]) {
    await moveClock(world, waitMs);
    await catchUp(world, await anInstance(world));
  }
  return settle(world);
}

/** Lets time pass until nothing moves. Returns what still moves when it should have come to rest. */
export async function settle(world: World): Promise<string[]> {
  for (const waitMs of WAITS_MS) {
    const instance = await anInstance(world);
    const settling = await workOff(world, instance);
    const isOnItsWay = await isMoving(world.office);
    if (settling === 0 && !isOnItsWay && world.queue.waiting().every((job) => job.dueMs > world.clock.now().getTime()))
      return world.complaints.splice(0);
    if (world.complaints.length > 0) return world.complaints.splice(0);
    await moveClock(world, waitMs);
  }
  return ['after two weeks something still moves'];
}

async function anInstance(world: World): Promise<Instance> {
  if (world.instances.length === 0) await startInstance(world, 0);
  return world.instances[0]!;
}

/** Scans, sweeps and runs every due job. Returns how many drops are still settling. */
async function workOff(world: World, instance: Instance): Promise<number> {
  holdServiceClock(world);
  let settling = 0;
  await runStage(
    world,
    instance,
    { stage: 'watch', what: 'looks at the folders' },
    async () => {
      settling = await instance.look();
    },
    0,
  );
  await catchUp(world, instance);
  return settling;
}

async function catchUp(world: World, instance: Instance): Promise<void> {
  holdServiceClock(world);
  if (isWide(world)) await sweepEverywhere(world);
  else await runStage(world, instance, { stage: 'sweep', what: 'sweeps' }, () => instance.run((app) => sweep(app)), 0);
  for (let chore = await chooseDueJob(world); chore; chore = await chooseDueJob(world)) {
    const { name, about, job } = chore;
    const due = chore;
    world.queue.take(job!);
    await runStage(
      world,
      instance,
      { stage: name, what: `runs ${name} for ${about}`, ...(isWide(world) && { expected: WRONG }) },
      () => runJob(instance, due),
      0,
    );
    world.queue.finish(job!);
    if (world.complaints.length > 0) break;
  }
}

function repeat(ms: number, times: number): number[] {
  return Array.from({ length: times }, () => ms);
}
