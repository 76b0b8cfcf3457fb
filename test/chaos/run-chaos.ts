import { availableParallelism } from 'node:os';
import { seededRandom } from '../support/random.ts';
import { buildProgram, type Program } from '../support/build-program.ts';
import { describeFleetAct, type FleetAct, planFleetActs } from './fleet/fleet-acts.ts';
import { type Act, describeAct, planActs, type QueueKind } from './support/acts.ts';
import { type StoryPlan, type StoryReport, tellStory } from './tell-story.ts';
import { openFleet } from './fleet/open-fleet.ts';
import { playFleetAct } from './fleet/play-fleet-act.ts';
import { openWorld } from './support/open-world.ts';
import { planCuts, playPowerStory } from './power/power-story.ts';
import { playAct } from './support/play-act.ts';

type ChaosPlan = {
  /** Minimum number of processes to kill. */
  kills: number;
  seed: number;
  queues: readonly QueueKind[];
  canMount: boolean;
  /** Hosts that send from one ledger; a single host has a ledger of its own. */
  hosts: number;
  /** Cuts the power of the whole installation instead, which undoes what was not synced. */
  cutsPower?: boolean;
  /** Begins no further story once it is aborted. */
  stop?: AbortSignal;
  say(text: string): void;
};

export type ChaosReport = {
  seed: number;
  kills: number;
  killsByQueue: Partial<Record<QueueKind, number>>;
  /** How often each kind of thing was done. */
  tally: Record<string, number>;
  acts: number;
  rows: number;
  stories: number;
  restMs: { median: number; longest: number };
  wallSeconds: number;
  failures: { seed: number; queue: QueueKind; failures: string[]; story: string[] }[];
};

/** Long enough for one act to affect another, short enough to be read. */
const ACTS_A_STORY = 12;

/** Stories of power cuts are told side by side also where few cuts are wanted. */
const POWER_ACTS_A_STORY = 4;

/** Plays stories side by side until enough was killed. Story n has the seed `seed + n`, so each can be played alone. */
export async function runChaos(plan: ChaosPlan): Promise<ChaosReport> {
  const started = performance.now();
  const program = await buildProgram();
  const reports: StoryReport[] = [];
  let next = 0;
  const lane = async () => {
    while (!plan.stop?.aborted && reports.reduce((sum, report) => sum + killsOf(report.tally), 0) < plan.kills) {
      const index = next;
      next += 1;
      const seed = plan.seed + index;
      const queue = plan.queues[index % plan.queues.length]!;
      const report = await playOne(plan, { program, seed, queue });
      reports.push(report);
      plan.say(describeStory(report, reports));
    }
  };
  try {
    await Promise.all(Array.from({ length: availableParallelism() }, lane));
  } finally {
    await program.remove();
  }
  return sumUp(plan.seed, reports, (performance.now() - started) / 1_000);
}

function playOne(
  { hosts, canMount, cutsPower }: ChaosPlan,
  story: { program: Program; seed: number; queue: QueueKind },
): Promise<StoryReport> {
  const random = seededRandom(story.seed);
  if (cutsPower) return playPowerStory({ ...story, acts: planCuts(POWER_ACTS_A_STORY, random) });
  const plan = { ...story, resolveMost: Infinity };
  if (hosts > 1) return playFleetStory({ ...plan, hosts, acts: planFleetActs(ACTS_A_STORY, { hosts, random }) });
  const acts = planActs(ACTS_A_STORY, { queue: story.queue, random, canMount });
  return playStory({ ...plan, acts, canMount, restEvery: 1 });
}

/** Counts deaths of processes and cuts of the power; wiping, filling or restoring is no kill. */
export function killsOf(tally: StoryReport['tally']): number {
  const kills = Object.entries(tally).filter(([name]) =>
    /^(?:point|daemon|sandbox|postgres|redis killed|power, )/.test(name),
  );
  return kills.reduce((sum, [, count]) => sum + count, 0);
}

export function sumTallies(tallies: readonly StoryReport['tally'][]): StoryReport['tally'] {
  const sum: StoryReport['tally'] = {};
  for (const tally of tallies) for (const [name, count] of Object.entries(tally)) sum[name] = (sum[name] ?? 0) + count;
  return sum;
}

function countByQueue(reports: readonly StoryReport[]): Partial<Record<QueueKind, number>> {
  const kills: Partial<Record<QueueKind, number>> = {};
  for (const { queue, tally } of reports) kills[queue] = (kills[queue] ?? 0) + killsOf(tally);
  return kills;
}

function describeStory(report: StoryReport, all: readonly StoryReport[]): string {
  const kills = all.reduce((sum, { tally }) => sum + killsOf(tally), 0);
  const end = report.failures.length === 0 ? 'ok' : `FAILED\n${[...report.story, ...report.failures].join('\n')}`;
  return `seed ${report.seed}, queue in ${report.queue}, ${report.acts} acts, ${kills} kills so far: ${end}`;
}

function sumUp(seed: number, reports: readonly StoryReport[], wallSeconds: number): ChaosReport {
  const rests = reports.flatMap((report) => report.restMs).toSorted((one, other) => one - other);
  const tally = sumTallies(reports.map((report) => report.tally));
  return {
    seed,
    kills: killsOf(tally),
    killsByQueue: countByQueue(reports),
    tally,
    acts: reports.reduce((sum, report) => sum + report.acts, 0),
    rows: reports.reduce((sum, report) => sum + report.rows, 0),
    stories: reports.length,
    restMs: { median: rests[Math.floor(rests.length / 2)] ?? 0, longest: rests.at(-1) ?? 0 },
    wallSeconds: Math.round(wallSeconds),
    failures: reports
      .filter((report) => report.failures.length > 0)
      .map(({ seed: own, queue, failures, story }) => ({ seed: own, queue, failures, story })),
  };
}

/** Plays the life of one installation with a database of its own. */
export function playStory(plan: StoryPlan<Act> & { canMount: boolean }): Promise<StoryReport> {
  return tellStory(plan, {
    open: (accounts) => openWorld({ ...plan, accounts }),
    describe: describeAct,
    play: (act, world, scene) => playAct(act, { ...scene, world }),
  });
}

/** Plays hosts that send from one ledger. Each act ends at rest, so that an older ledger forgets no other act. */
function playFleetStory(plan: Omit<StoryPlan<FleetAct>, 'restEvery'> & { hosts: number }): Promise<StoryReport> {
  return tellStory(
    { ...plan, restEvery: 1 },
    {
      open: (accounts) => openFleet({ ...plan, accounts }),
      describe: describeFleetAct,
      play: playFleetAct,
    },
  );
}
