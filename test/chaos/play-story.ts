import { setTimeout as sleep } from 'node:timers/promises';
import { seededRandom } from '../support/random.ts';
import { upTo } from '../support/payment-rows.ts';
import { checkLedger } from './invariants/check-ledger.ts';
import { checkNumbers } from './invariants/check-numbers.ts';
import { checkOutputs } from './invariants/check-outputs.ts';
import { checkRebuilt } from './invariants/check-rebuilt.ts';
import { checkRows } from './invariants/check-rows.ts';
import type { Evidence } from './invariants/evidence.ts';
import { type Act, describeAct, type QueueKind } from './support/acts.ts';
import type { Program } from '../support/build-program.ts';
import { canaryNumbers, type Drop, makeCanaries, makeDrops } from './support/make-drops.ts';
import { openWorld, type World } from './support/open-world.ts';
import { playAct, type Tally } from './support/play-act.ts';
import { resolveDoubts } from './support/resolve-doubts.ts';

export type StoryPlan = {
  program: Program;
  seed: number;
  queue: QueueKind;
  acts: readonly Act[];
  canMount: boolean;
  /** The promises are checked at rest after so many acts, and at the end. */
  restEvery: number;
  /** Batches in doubt that are resolved at such a rest, by the product's own commands; the others stay listed. */
  resolveMost: number;
};

export type StoryReport = {
  seed: number;
  queue: QueueKind;
  acts: number;
  /** What was done how often. */
  tally: Tally;
  /** From a restart to rest, in ms. */
  restMs: number[];
  rows: number;
  /** What was done and seen, in its order; printed when something failed. */
  story: string[];
  failures: string[];
};

const REST_MS = 120_000;

/** Plays one installation's life: act after act, with a rest and all promises checked in between. */
export async function playStory(plan: StoryPlan): Promise<StoryReport> {
  const accounts = upTo(plan.acts.length).map((n) => `acct-${n}`);
  const random = seededRandom(plan.seed);
  const canaries = makeCanaries(random);
  const report: StoryReport = {
    seed: plan.seed,
    queue: plan.queue,
    acts: 0,
    tally: {},
    restMs: [],
    rows: 0,
    story: [],
    failures: [],
  };
  const world = await openWorld({ ...plan, accounts });
  try {
    for (const [index, act] of plan.acts.entries()) {
      await playOne({ plan, world, report }, act, makeDrops(accounts[index]!, random, canaries));
      const isTime = (index + 1) % plan.restEvery === 0 || index === plan.acts.length - 1;
      if (isTime && report.failures.length === 0) await restAndResolve(plan, world, report);
      if (report.failures.length > 0) break;
    }
    if (report.failures.length === 0) {
      report.failures.push(...(await checkRebuilt(world)));
      const redis = (await world.redis?.dump()) ?? [];
      const evidence = { root: world.place.root, ledger: world.ledger };
      report.failures.push(...(await checkNumbers(evidence, canaryNumbers(canaries), redis)));
    }
    if (report.failures.length > 0) report.story.push(`last words of the daemon:\n${world.daemon.lastWords()}`);
  } catch (error) {
    report.failures.push(error instanceof Error ? (error.stack ?? error.message) : String(error));
  } finally {
    await world.close();
  }
  return report;
}

type Telling = { plan: StoryPlan; world: World; report: StoryReport };

async function playOne({ plan, world, report }: Telling, act: Act, drops: readonly Drop[]): Promise<void> {
  await letReadingEnd(world);
  report.acts += 1;
  report.story.push(`${drops[0]!.account}: ${describeAct(act)}`);
  const dropFiles = async () => {
    for (const drop of drops) {
      world.drops.push(drop);
      report.rows += drop.rows.length;
      await world.place.drop(drop);
    }
  };
  const trouble = await playAct(act, { program: plan.program, world, tally: report.tally, dropFiles });
  if (trouble !== undefined) report.failures.push(trouble);
}

/**
 * A file whose reading ends with the process time after time is held, as one that kills it (F73). Here it is always
 * somebody else's doing, so what has not been read at the second try is given the time.
 */
async function letReadingEnd({ ledger }: World): Promise<void> {
  for (const end = performance.now() + REST_MS; performance.now() < end; await sleep(50)) {
    const tried = await ledger.query('SELECT FROM reading WHERE begun > 1');
    if (tried.length === 0) return;
  }
}

/** What is in doubt is resolved by a person; everything must then come to its end. */
async function restAndResolve(plan: StoryPlan, world: World, report: StoryReport): Promise<void> {
  await checkAtRest(world, report);
  if (report.failures.length > 0) return;
  const { resolved, failures } = await resolveDoubts(plan.program, world, plan.resolveMost);
  report.failures.push(...failures);
  if (resolved === 0) return;
  report.tally['batch in doubt, resolved'] = (report.tally['batch in doubt, resolved'] ?? 0) + resolved;
  await checkAtRest(world, report);
}

async function checkAtRest(world: World, report: StoryReport): Promise<void> {
  const restMs = await world.waitForRest(REST_MS);
  if (restMs === undefined) {
    report.failures.push(`not at rest after ${REST_MS} ms: ${await describeUnrest(world)}`);
    return;
  }
  report.restMs.push(Math.round(restMs));
  report.story.push(`at rest after ${Math.round(restMs)} ms`);
  const { place, ledger, drops, forgotten } = world;
  const evidence: Evidence = { root: place.root, drops, books: await world.service.books(), ledger, forgotten };
  for (const check of [checkRows, checkLedger, checkOutputs]) report.failures.push(...(await check(evidence)));
}

async function describeUnrest(world: World): Promise<string> {
  const batches = await world.ledger.query(
    `SELECT f.name, f.state AS file, b.batch_no, b.state, b.reason, b.not_before FROM file f
     LEFT JOIN batch b USING (file_id) WHERE f.state NOT IN ('completed', 'rejected') ORDER BY f.file_no, b.batch_no`,
  );
  return JSON.stringify({ lying: await world.place.leftovers(), batches });
}
