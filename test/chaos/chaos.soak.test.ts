import { afterAll, beforeAll, expect, it } from 'vitest';
import { seededRandom } from '../support/random.ts';
import { redisVerdict } from '../support/redis.ts';
import { killsOf, playStory, sumTallies } from './run-chaos.ts';
import type { StoryReport } from './tell-story.ts';
import { type Act, everyPoint, POINTS, type QueueKind, shuffle } from './support/acts.ts';
import { buildProgram, type Program } from '../support/build-program.ts';

/**
 * Kills real processes at every crash point once, in an order set by the seed, and kills or wipes everything around
 * them at least once. `npm run chaos` does the same for any number of kills.
 */
const SEED = 20_260_615;

/** Stories play side by side, so that one works while another waits. */
const STORIES = 3;

let program: Program;
beforeAll(async () => {
  program = await buildProgram();
});
afterAll(() => program?.remove());

const verdict = redisVerdict();
it(verdict.sentence, () => expect(verdict.isFine).toBe(true));

it('whatever dies, nothing is charged twice, nothing is lost, no number is readable and all comes to rest', async () => {
  const hasRedis = verdict.isInstalled;
  const queues = Array.from(
    { length: STORIES },
    (_, index): QueueKind => (hasRedis && index === 0 ? 'redis' : 'postgres'),
  );
  const reports = await Promise.all(queues.map((queue, index) => playPart(queue, index)));
  for (const { queue, failures, story } of reports)
    expect(failures, [...failures, `queue in ${queue}`, ...story].join('\n')).toEqual([]);

  const tally = sumTallies(reports.map((report) => report.tally));
  const missed = POINTS.filter((name) => !Object.keys(tally).some((done) => done.startsWith(`point ${name}`)));
  expect(missed).toEqual([]);
  expect(killsOf(tally)).toBeGreaterThanOrEqual(40);
  expect(tally).toMatchObject({
    'older ledger restored': 2,
    'account renamed': 1,
    'agent code named twice': 1,
    'agent codes exchanged': 2,
    'currency changed': 1,
    'daemon, beside an old marker': 1,
    'queue schema dropped': 1,
    sandbox: STORIES,
    postgres: STORIES,
  });
  if (hasRedis) expect(tally).toMatchObject({ 'redis flushed': 1, 'redis killed, older snapshot': 1 });
}, 1_200_000);

/** What changes paydrop.yaml or what the sender drops, each once. */
const OF_MERCHANTS: readonly Act[] = [
  { kind: 'altered', afterMs: 600, how: 'less' },
  { kind: 'rename', afterMs: 700, againMs: 200 },
  { kind: 'second-name', afterMs: 700, againMs: 200 },
  { kind: 'exchange', afterMs: 500, isForeign: false, ending: 'move' },
  { kind: 'exchange', afterMs: 700, isForeign: true, ending: 'move' },
  { kind: 'other-currency', afterMs: 700, ending: 'cancel' },
  { kind: 'old-marker', afterMs: 300, pauseMs: 900 },
];

/** Plays one part: its share of the points, and what can happen to its own servers. */
function playPart(queue: QueueKind, index: number): Promise<StoryReport> {
  const random = seededRandom(SEED + index);
  const points = shuffle(pointsOnce(), seededRandom(SEED)).filter((_, place) => place % STORIES === index);
  const others: Act[] = [
    { kind: 'sandbox', afterMs: 400, downMs: 200 },
    { kind: 'postgres', afterMs: 500, lonelyMs: 200 },
    { kind: 'moment', afterMs: Math.floor(random() * 1_500) },
    ...(queue === 'redis'
      ? [{ kind: 'redis-flush', afterMs: 300 } as const, { kind: 'redis-older', afterMs: 300 } as const]
      : []),
    ...(index === 1 ? [{ kind: 'drop-schema', afterMs: 300 } as const] : []),
    ...(index === 2 ? [{ kind: 'restore', afterMs: 800 } as const] : []),
    ...OF_MERCHANTS.filter((_, place) => place % STORIES === index),
  ];
  const acts = shuffle([...points, ...others], random);
  return playStory({ program, seed: SEED + index, queue, acts, canMount: false, restEvery: 7, resolveMost: 1 });
}

/** Returns every point once; around a commit only for the three moves that matter most. Longer runs cover the others. */
function pointsOnce(): Act[] {
  return everyPoint().filter((act) => {
    if (act.kind !== 'point') return true;
    const { move } = act.after ?? act.order;
    return move === undefined || move === 'send' || move === 'submit' || move === 'resubmit';
  });
}
