import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { openDatabase } from './database.ts';
import { type Played, playScenario } from './play-scenario.ts';
import { type Counts, makeTotals } from './totals.ts';

/** Result of a run. `failures` holds the first failed scenarios in full, each with its story. */
type Report = {
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
