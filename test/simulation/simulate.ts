import { inspect } from 'node:util';
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { App } from '../../src/app.ts';
import { chooser, seedRandomness } from './choose.ts';
import { checkDeclared, checkRest, checkStep } from './checks/check-step.ts';
import { type Database, openDatabase } from './database.ts';
import { driveToRest, letPersonsFinish, settle } from './drive-to-rest.ts';
import { putsFolderBack } from './hosts/lost-sends.ts';
import { loseWork } from './steps/put-folder-back.ts';
import { holdServiceClock } from './steps/step.ts';
import { dropOutput } from './steps/drop-file.ts';
import { beginDay, countStruck, letPersonReprocess, STEPS } from './steps/steps.ts';
import { openWorld, type World } from './world.ts';

/** Counts of what happened, by topic and name. */
export type Totals = {
  count(topic: Topic, name: string, times?: number): void;
  add(other: Counts): void;
  counts(): Counts;
};

export type Counts = Record<string, Record<string, number>>;

export type Topic =
  | 'steps'
  | 'crashes'
  | 'disturbances'
  | 'meanwhile'
  | 'faults planned'
  | 'faults struck'
  | 'acts'
  | 'damages'
  | 'drops'
  | 'reprocessed'
  | 'files'
  | 'batches'
  | 'rows'
  | 'checks'
  | 'clocks'
  | 'ledgers'
  | 'money';

export function makeTotals(): Totals {
  const counts: Counts = {};
  const count = (topic: string, name: string, times = 1) => {
    counts[topic] ??= {};
    counts[topic][name] = (counts[topic][name] ?? 0) + times;
  };
  return {
    count,
    add: (other) => {
      for (const [topic, names] of Object.entries(other))
        for (const [name, times] of Object.entries(names)) count(topic, name, times);
    },
    counts: () => counts,
  };
}

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
  if (putsFolderBack(world)) {
    const unquiet = await loseWork(world, settle);
    if (unquiet.length > 0) return unquiet;
    const odd = await checkAll(world);
    if (odd.length > 0) return odd;
  }
  if (world.choose.happens(0.6)) {
    await letPersonReprocess(world);
    // The work may have ended with hosts away, and with an older copy of the ledger.
    const restless = await driveToRest(world);
    if (restless.length > 0) return restless;
    const wrong = await checkAll(world);
    if (wrong.length > 0) return wrong;
  }
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

/** Result of a run. `failures` holds the first failed scenarios in full, each with its story. */
export type Report = {
  readonly scenarios: number;
  readonly failed: number;
  readonly counts: Counts;
  readonly failures: readonly Played[];
};

type Order = { readonly seed: number; readonly scenarios: number };

/** Stories are long; a few are enough to find something to fix before the next run. */
const KEPT_FAILURES = 5;

/** Plays the scenarios of consecutive seeds from `seed` on, one after the other. */
export async function simulate(
  { seed, scenarios }: Order,
  onPlayed: (played: Played) => void = () => {},
): Promise<void> {
  const database = await openDatabase();
  try {
    for (let n = 0; n < scenarios; n += 1) onPlayed(await playScenario(seed + n, database));
  } finally {
    await database.close();
  }
}

/**
 * Same, in several processes that share the seeds. A seed tells the same story in each.
 * @param onProgress gets how many were played, and how many of them failed
 */
export async function simulateInProcesses(
  { seed, scenarios }: Order,
  jobs: number,
  onProgress: (played: number, failed: number) => void = () => {},
): Promise<Report> {
  const gathering = gatherReport();
  const share = Math.ceil(scenarios / jobs);
  const shares = Array.from({ length: jobs }, (_, job) => ({
    seed: seed + job * share,
    scenarios: Math.max(0, Math.min(share, scenarios - job * share)),
  }));
  const take = (played: Played) => {
    gathering.take(played);
    const { scenarios: done, failed } = gathering.report();
    onProgress(done, failed);
  };
  await Promise.all(shares.filter((order) => order.scenarios > 0).map((order) => runProcess(order, take)));
  return gathering.report();
}

function gatherReport(): { take(played: Played): void; report(): Report } {
  const totals = makeTotals();
  const failures: Played[] = [];
  let [scenarios, failed] = [0, 0];
  return {
    take: (played) => {
      scenarios += 1;
      totals.add(played.counts);
      if (played.complaints.length === 0) return;
      failed += 1;
      if (failures.length < KEPT_FAILURES) failures.push(played);
    },
    report: () => ({ scenarios, failed, counts: totals.counts(), failures }),
  };
}

/** Runs a child process that writes a line for each scenario. */
async function runProcess(order: Order, take: (played: Played) => void): Promise<void> {
  const main = fileURLToPath(new URL('./main.ts', import.meta.url));
  const words = ['--import', 'tsx', main, '--seed', `${order.seed}`, '--scenarios', `${order.scenarios}`, '--lines'];
  const child = spawn(process.execPath, words, { stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = new Promise<number | null>((resolve, reject) => child.once('error', reject).once('close', resolve));
  let lines = 0;
  for await (const line of createInterface({ input: child.stdout })) {
    take(JSON.parse(line) as Played);
    lines += 1;
  }
  const status = await ended;
  if (lines !== order.scenarios)
    throw new Error(`a process ended with status ${status} after ${lines} of ${order.scenarios} scenarios`);
}

/** Formats the totals for readers: a line for each topic, followed by its names. */
export function describeReport({ scenarios, failed, counts }: Report, seed: number, seconds: number): string {
  const topics = Object.entries(counts).map(([topic, names]) => {
    const parts = Object.entries(names)
      .sort(([one], [other]) => one.localeCompare(other))
      .map(([name, times]) => `${name} ${times}`);
    return `${topic}: ${parts.join(', ')}`;
  });
  const money = counts['money'] ?? {};
  const twice = (money['batches taken too often'] ?? 0) + (money['rows charged that nobody knows of'] ?? 0);
  const last = seed + scenarios - 1;
  return [
    `${scenarios} scenarios, seeds ${seed} to ${last}, in ${seconds} s: ${failed} failed, ${twice} double charges`,
    ...topics,
  ].join('\n\n');
}

/** Tells the story of a failed scenario, and how to play it again. */
export function describeFailure({ seed, story, complaints }: Played): string {
  return [
    '',
    `Seed ${seed} failed:`,
    ...story.map((sentence, index) => `${String(index + 1).padStart(4)}  ${sentence}`),
    'What does not hold:',
    ...complaints.map((complaint) => `  ${complaint}`),
    `Play it again: npm run simulate -- --seed ${seed} --scenarios 1`,
  ].join('\n');
}
