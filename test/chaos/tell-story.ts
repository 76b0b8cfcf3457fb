import { setTimeout as sleep } from 'node:timers/promises';
import { inspect } from 'node:util';
import { seededRandom } from '../support/random.ts';
import { upTo } from '../support/payment-rows.ts';
import type { Program } from '../support/build-program.ts';
import { checkLedger, checkNumbers, checkOutputs, checkRebuilt } from './invariants/check-ledger.ts';
import { checkRows, countExposed, type Evidence } from './invariants/check-rows.ts';
import type { QueueKind } from './support/acts.ts';
import { canaryNumbers, type Drop, makeCanaries, makeDrops } from './support/make-drops.ts';
import type { Tally } from './support/play-act.ts';
import { resolveDoubts, type StoryWorld } from './support/story-world.ts';

export type StoryPlan<Act> = {
  program: Program;
  seed: number;
  queue: QueueKind;
  acts: readonly Act[];
  /** After this many acts, and at the end, the promises are checked at rest. */
  restEvery: number;
  /** How many accounts get files in an act; one by default. */
  accountsEach?: number;
  /** How many batches in doubt such a rest resolves, by the product's own commands; the others stay listed. */
  resolveMost: number;
};

/** What an act is played with. */
export type Scene = {
  program: Program;
  tally: Tally;
  account: string;
  /** @param put lays each file into its folder; by default, all at once */
  dropFiles(put?: (drop: Drop) => Promise<void>): Promise<void>;
  /** Drops files of the same kinds for another account. */
  dropMore(account: string): Promise<void>;
};

/** Where a story is played, and how. */
export type Stage<Act, World extends StoryWorld> = {
  open(accounts: readonly string[]): Promise<World>;
  describe(act: Act): string;
  /** Returns what went wrong, or undefined when all is well. */
  play(act: Act, world: World, scene: Scene): Promise<string | undefined>;
};

export type StoryReport = {
  seed: number;
  queue: QueueKind;
  acts: number;
  /** How often each thing was done. */
  tally: Tally;
  /** From a restart to rest, in ms. */
  restMs: number[];
  rows: number;
  /** What was done and seen, in order; printed after a failure. */
  story: string[];
  failures: string[];
};

const REST_MS = 300_000;

/** Plays the life of one installation act by act, with rests at which all promises are checked. */
export async function tellStory<Act, World extends StoryWorld>(
  plan: StoryPlan<Act>,
  stage: Stage<Act, World>,
): Promise<StoryReport> {
  const { accountsEach = 1 } = plan;
  const accounts = upTo(plan.acts.length * accountsEach).map((n) => `acct-${n}`);
  const random = seededRandom(plan.seed);
  const canaries = makeCanaries(random);
  const { seed, queue } = plan;
  const report: StoryReport = { seed, queue, acts: 0, tally: {}, restMs: [], rows: 0, story: [], failures: [] };
  // A story that cannot begin fails alone: the others of the run are kept.
  const world = await stage.open(accounts).catch((error: unknown) => void report.failures.push(inspect(error)));
  if (!world) return report;
  try {
    for (const [index, act] of plan.acts.entries()) {
      const own = accounts.slice(index * accountsEach, (index + 1) * accountsEach);
      report.story.push(`${own.join(', ')}: ${stage.describe(act)}`);
      const drops = own.flatMap((account) => makeDrops(account, random, canaries));
      const drawMore = (account: string) => makeDrops(account, random, canaries);
      await playOne({ plan, stage, world, report }, act, { drops, drawMore });
      const isTime = (index + 1) % plan.restEvery === 0 || index === plan.acts.length - 1;
      if (isTime && report.failures.length === 0) await restAndResolve(plan, world, report);
      if (report.failures.length > 0) break;
    }
    if (report.failures.length === 0) {
      report.failures.push(...(await checkRebuilt(world.hosts)));
      const redis = (await world.redis?.dump()) ?? [];
      report.failures.push(...(await checkNumbers(world, canaryNumbers(canaries), redis)));
    }
  } catch (error) {
    report.failures.push(error instanceof Error ? (error.stack ?? error.message) : String(error));
  } finally {
    if (report.failures.length > 0) report.story.push(`last words:\n${world.lastWords()}`);
    await world.close();
  }
  return report;
}

type Telling<Act, World extends StoryWorld> = {
  plan: StoryPlan<Act>;
  stage: Stage<Act, World>;
  world: World;
  report: StoryReport;
};

async function playOne<Act, World extends StoryWorld>(
  { plan, stage, world, report }: Telling<Act, World>,
  act: Act,
  { drops, drawMore }: { drops: readonly Drop[]; drawMore(account: string): Drop[] },
): Promise<void> {
  await letReadingEnd(world);
  report.acts += 1;
  const dropAll = async (chosen: readonly Drop[], put = (drop: Drop) => world.drop(drop)) => {
    for (const drop of chosen) {
      world.drops.push(drop);
      report.rows += drop.rows.length;
      await put(drop);
    }
  };
  const { account } = drops[0]!;
  const trouble = await stage.play(act, world, {
    program: plan.program,
    tally: report.tally,
    account,
    dropFiles: (put) => dropAll(drops, put),
    dropMore: (other) => dropAll(drawMore(other)),
  });
  if (trouble !== undefined) report.failures.push(trouble);
}

/**
 * Waits until no file is at a repeated reading. Paydrop holds a file whose reading keeps ending with the process, but
 * here it is the acts that end it.
 */
async function letReadingEnd({ ledger }: StoryWorld): Promise<void> {
  for (const end = performance.now() + REST_MS; performance.now() < end; await sleep(50)) {
    const tried = await ledger.query('SELECT FROM reading WHERE begun > 1');
    if (tried.length === 0) return;
  }
}

/** Lets an operator resolve what is in doubt, after which everything must complete. */
async function restAndResolve(plan: StoryPlan<unknown>, world: StoryWorld, report: StoryReport): Promise<void> {
  await checkAtRest(world, report);
  if (report.failures.length > 0) return;
  const [{ root, env }] = world.hosts as readonly [StoryWorld['hosts'][number]];
  const dashboard = { ledger: world.ledger, service: world.service, place: { root }, env };
  const { resolved, failures } = await resolveDoubts(plan.program, dashboard, plan.resolveMost);
  report.failures.push(...failures);
  if (resolved === 0) return;
  report.tally['batch in doubt, resolved'] = (report.tally['batch in doubt, resolved'] ?? 0) + resolved;
  await checkAtRest(world, report);
}

async function checkAtRest(world: StoryWorld, report: StoryReport): Promise<void> {
  const restMs = await world.waitForRest(REST_MS);
  if (restMs === undefined) {
    report.failures.push(`not at rest after ${REST_MS} ms: ${await describeUnrest(world)}`);
    return;
  }
  report.restMs.push(Math.round(restMs));
  report.story.push(`at rest after ${Math.round(restMs)} ms`);
  const { hosts, service, ledger, drops, accounts } = world;
  const [books, journals] = [await service.books(), await world.journals()];
  const evidence: Evidence = { roots: hosts.map(({ root }) => root), journals, drops, books, ledger, accounts };
  for (const check of [checkRows, checkLedger, checkOutputs]) report.failures.push(...(await check(evidence)));
  const exposed = countExposed(evidence);
  if (exposed > 0) report.tally[CHARGED_TWICE] = exposed;
}

/** The tally of what the promises do not cover. */
const CHARGED_TWICE = 'rows charged twice after a machine was put back as a whole';

/** Describes what keeps an installation from rest. */
export async function describeUnrest(world: Pick<StoryWorld, 'ledger' | 'leftovers'>): Promise<string> {
  const batches = await world.ledger.query(
    `SELECT f.name, f.file_id, f.state AS file, b.batch_no, b.state, b.reason, b.not_before, b.next_poll_at FROM file f
     LEFT JOIN batch b USING (file_id) WHERE f.state NOT IN ('completed', 'rejected') ORDER BY f.file_no, b.batch_no`,
  );
  const failing = await world.ledger.query('SELECT work, subject, failures, reason FROM failing_work');
  const unfinished = `file_id IN (SELECT file_id FROM file WHERE state = 'in_progress')`;
  const outputs = await world.ledger.query(`SELECT name, sha256, written_at FROM output WHERE ${unfinished}`);
  const trail = await world.ledger.query(
    `SELECT at, actor, file_id, batch_no, move, reason FROM audit WHERE ${unfinished} ORDER BY seq`,
  );
  return JSON.stringify({ lying: await world.leftovers(), batches, failing, outputs, trail });
}
