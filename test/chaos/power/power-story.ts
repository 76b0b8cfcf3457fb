import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { seededRandom } from '../../support/random.ts';
import type { Program } from '../../support/build-program.ts';
import { describeOrder, type Order } from '../support/acts.ts';
import { makeCanaries, makeDrops } from '../support/make-drops.ts';
import { openWorld, type World } from '../support/open-world.ts';
import { arm } from '../support/service.ts';
import { describeUnrest, type Scene, type StoryReport, tellStory } from '../tell-story.ts';
import { openPowerSupply, type PowerSupply } from './power-supply.ts';

/** When the power goes, counted from the drop of the files or from the last start. */
type When = { order: Order } | { changes: number } | { ms: number };

/** The power goes several times while an installation works on the same files. */
export type Cuts = readonly When[];

/** In the middle of results that are reconciled together: before, in and after their commit. */
const IN_A_GROUP: readonly Omit<Order, 'hits'>[] = [
  { point: 'poll.answered' },
  { point: 'poll.result-sealed' },
  { point: 'poll.matched' },
  { point: 'poll.outcomes-copied' },
  { point: 'commit.before', move: 'reconcile', isTogether: true },
  { point: 'commit.before', move: 'reconcile', isTogether: true },
  { point: 'commit.after', move: 'reconcile', isTogether: true },
  { point: 'poll.deliver-asked' },
];

/** Where a sync may be missing. */
const ELSEWHERE: readonly Omit<Order, 'hits'>[] = [
  { point: 'claim.renamed' },
  { point: 'claim.durable' },
  { point: 'claim.sealed' },
  { point: 'commit.after', move: 'accept' },
  { point: 'commit.after', move: 'send' },
  { point: 'journal.written' },
  { point: 'journal.synced' },
  { point: 'submit.request-written' },
  { point: 'commit.after', move: 'submit' },
  { point: 'output.published' },
  { point: 'output.recorded' },
  { point: 'commit.after', move: 'complete' },
];

/**
 * Draws acts by the seed. Two of three cuts are in a group of results, the others at other points or anywhere; all but the
 * first come while the installation recovers.
 */
export function planCuts(acts: number, random: () => number): Cuts[] {
  const below = (most: number) => Math.floor(random() * most);
  const orderOf = (orders: readonly Omit<Order, 'hits'>[]): When => ({
    order: { ...orders[below(orders.length)]!, hits: 1, powerAfter: random() < 0.3 ? 0 : 1 + below(12) },
  });
  const first = (): When => {
    const kind = random();
    if (kind < 0.75) return orderOf(IN_A_GROUP);
    if (kind < 0.85) return orderOf(ELSEWHERE);
    return kind < 0.95 ? { changes: 1 + below(900) } : { ms: below(1_500) };
  };
  const later = (): When => (random() < 0.6 ? orderOf(IN_A_GROUP) : { changes: 1 + below(500) });
  return Array.from({ length: acts }, () => [first(), ...Array.from({ length: CUTS_AN_ACT - 1 }, later)]);
}

/** Three in the reading of one file would hold it, as its bytes may be what ends the process. */
const CUTS_AN_ACT = 2;

function describeWhen(when: When): string {
  if ('order' in when) return `at ${describeOrder(when.order)}`;
  return 'changes' in when ? `after ${when.changes} changes` : `after ${when.ms} ms`;
}

/** Names it for the tally. */
function nameOf(when: When, isFirst: boolean): string {
  const since = isFirst ? '' : ', after a cut';
  if (!('order' in when)) return `power, anywhere${since}`;
  const { point, move, isTogether } = when.order;
  return `power, at ${point}${move === undefined ? '' : ` of ${isTogether ? 'several ' : ''}${move}`}${since}`;
}

type PowerWorld = World & { power: PowerSupply; random: () => number };

type Plan = { program: Program; seed: number; acts: readonly Cuts[] };

/** Plays the life of one installation whose power is cut again and again. */
export function playPowerStory({ program, seed, acts }: Plan): Promise<StoryReport> {
  const plan = { program, seed, queue: 'postgres', acts, restEvery: 1, resolveMost: 1 } as const;
  // One account has one batch at a time with the service; results of several come together.
  return tellStory(
    { ...plan, accountsEach: 3 },
    {
      open: (accounts) => openPowerWorld({ program, seed, accounts }),
      describe: (cuts) => `power cut ${cuts.map(describeWhen).join(', then ')}`,
      play: playCuts,
    },
  );
}

/** By then the results of batches submitted together are there, so that they are fetched together. */
const FIRST_POLL_MS = 700;

async function openPowerWorld(setup: {
  program: Program;
  seed: number;
  accounts: readonly string[];
  /** See `openPowerSupply`. */
  lie?: string;
}): Promise<PowerWorld> {
  const { program, seed, accounts, lie } = setup;
  let power: PowerSupply | undefined;
  const prepare = (root: string) => {
    power = openPowerSupply(root, lie);
    return power.env;
  };
  const world = await openWorld({
    program,
    accounts,
    queue: 'postgres',
    canMount: false,
    firstPollMs: FIRST_POLL_MS,
    prepare,
  });
  const { close } = world;
  return Object.assign(world, {
    power: power!,
    random: seededRandom(seed),
    close: async () => {
      await close();
      power!.remove();
    },
  });
}

/** What is not reached within this time, in ms, is never reached. */
const LONGEST_WAY_MS = 300_000;

async function playCuts(cuts: Cuts, world: PowerWorld, scene: Scene): Promise<string | undefined> {
  const { power } = world;
  for (const [index, when] of cuts.entries()) {
    const isFirst = index === 0;
    const order = 'order' in when ? when.order : undefined;
    if (isFirst) await arm(world.daemon, order);
    if ('changes' in when) power.cutAfter(when.changes);
    if (isFirst) await scene.dropFiles();
    else void world.start(order);
    if ('ms' in when) {
      await sleep(when.ms);
      power.cutAfter(0);
    }
    if (!(await goesOff(world))) return `not at rest, and the power was not cut: ${await describeUnrest(world)}`;
    await cutPower(world, scene, nameOf(when, isFirst));
  }
  await world.start();
  return undefined;
}

/** Waits until the power is off, or nothing is left to be done. */
async function goesOff({ power, ledger, place }: PowerWorld): Promise<boolean> {
  for (const end = performance.now() + LONGEST_WAY_MS; performance.now() < end; await sleep(20)) {
    if (power.isOff()) return true;
    if ((await place.leftovers()).length > 0) continue;
    // A server without power does not answer.
    const isAtRest = await Promise.race([ledger.isAtRest(), sleep(200, false)]);
    if (isAtRest && (await place.leftovers()).length === 0) return true;
  }
  return false;
}

async function cutPower({ power, daemon, ledger, random }: PowerWorld, { tally }: Scene, name: string): Promise<void> {
  const count = (what: string, by = 1) => {
    tally[what] = (tally[what] ?? 0) + by;
  };
  count(power.isOff() ? name : `${name}, at rest`);
  const undone = await power.cut(random);
  await daemon.ended;
  await ledger.close();
  count('changes undone', undone.writes + undone.names);
  count('files torn', undone.torn);
}

/**
 * Cuts the power as soon as a whole request has left.
 * @param lie see `openPowerSupply`
 * @returns how many batches the service has booked, and how many the send journal on the disk knows
 */
export async function cutInACall(program: Program, lie?: string): Promise<{ booked: number; noted: number }> {
  const account = 'acct-1';
  const world = await openPowerWorld({ program, seed: 1, accounts: [account], ...(lie && { lie }) });
  try {
    await arm(world.daemon, { point: 'submit.request-written', hits: 1, powerAfter: 0 });
    for (const drop of makeDrops(account, seededRandom(1), makeCanaries(seededRandom(1)))) await world.drop(drop);
    await goesOff(world);
    await world.power.cut(() => 0);
    for (let rows = await world.service.books(); rows.length === 0; rows = await world.service.books()) await sleep(20);
    const booked = new Set((await world.service.books()).map(({ batchId }) => batchId)).size;
    const [path] = (await world.journals()) as [string];
    const lines = (await readFile(path, 'utf8').catch(() => '')).split('\n');
    return { booked, noted: lines.filter((line) => line.includes('"call":')).length };
  } finally {
    await world.close();
  }
}
