import type { Report, ReportOf } from './reports.ts';

/** The reports of each kind, added up. */
export type Sums = {
  readonly simulation: { scenarios: number; failed: number; seconds: number; counts: Record<string, Tally> };
  readonly chaos: {
    kills: number;
    failed: number;
    seconds: number;
    stories: number;
    acts: number;
    rows: number;
    killsByQueue: Tally;
    tally: Tally;
    longestRestMs: number;
    medianRestMs: number;
  };
  readonly damage: { files: number; rows: number; failed: number; seconds: number; verdicts: Tally; damages: Tally };
  readonly hours: { hours: number; kills: number; rows: number; failed: number };
  readonly defects: { name: string; caughtBy: readonly string[] }[];
};
type Tally = Record<string, number>;

export function sumReports(reports: readonly Report[]): Sums {
  const simulations = ofKind(reports, 'simulation');
  const chaos = ofKind(reports, 'chaos');
  const damage = ofKind(reports, 'damage');
  const long = ofKind(reports, 'hours');
  const rests = chaos.map(({ restMs }) => restMs.median).toSorted((one, other) => one - other);
  return {
    simulation: {
      scenarios: total(simulations, ({ scenarios }) => scenarios),
      failed: total(simulations, ({ failed }) => failed),
      seconds: total(simulations, ({ seconds }) => seconds),
      counts: sumTopics(simulations.map(({ counts }) => counts)),
    },
    chaos: {
      kills: total(chaos, ({ kills }) => kills),
      failed: total(chaos, ({ failures }) => failures.length),
      seconds: total(chaos, ({ wallSeconds }) => wallSeconds),
      stories: total(chaos, ({ stories }) => stories),
      acts: total(chaos, ({ acts }) => acts),
      rows: total(chaos, ({ rows }) => rows),
      killsByQueue: sumTallies(chaos.map(({ killsByQueue }) => killsByQueue)),
      tally: sumTallies(chaos.map(({ tally }) => tally)),
      longestRestMs: Math.max(0, ...chaos.map(({ restMs }) => restMs.longest)),
      medianRestMs: rests[Math.floor(rests.length / 2)] ?? 0,
    },
    damage: {
      files: total(damage, ({ files }) => files),
      rows: total(damage, ({ rows }) => rows),
      failed: total(damage, ({ failed }) => failed),
      seconds: total(damage, ({ seconds }) => seconds),
      verdicts: sumTallies(damage.map(({ verdicts }) => verdicts)),
      damages: sumTallies(damage.map(({ damages }) => damages)),
    },
    hours: {
      hours: total(long, ({ hours }) => hours),
      kills: total(long, ({ kills }) => kills),
      rows: total(long, ({ rows }) => rows),
      failed: total(long, ({ failures }) => failures.length),
    },
    defects: [...lastTrials(ofKind(reports, 'defects')).values()],
  };
}

export function ofKind<Kind extends Report['kind']>(reports: readonly Report[], kind: Kind): ReportOf<Kind>[] {
  return reports.filter((report): report is ReportOf<Kind> => report.kind === kind);
}

/** Keeps the last trial of each defect, because some were tried again after a test machine was fixed. */
function lastTrials(reports: readonly ReportOf<'defects'>[]): Map<string, { name: string; caughtBy: string[] }> {
  return new Map(reports.flatMap(({ trials }) => trials.map((trial) => [trial.name, trial])));
}

function total<Item>(items: readonly Item[], of: (item: Item) => number): number {
  return items.reduce((sum, item) => sum + of(item), 0);
}

function sumTallies(tallies: readonly Tally[]): Tally {
  const sum: Tally = {};
  for (const tally of tallies) for (const [name, times] of Object.entries(tally)) sum[name] = (sum[name] ?? 0) + times;
  return sum;
}

function sumTopics(all: readonly Record<string, Tally>[]): Record<string, Tally> {
  const topics = new Set(all.flatMap((counts) => Object.keys(counts)));
  return Object.fromEntries([...topics].map((topic) => [topic, sumTallies(all.map((counts) => counts[topic] ?? {}))]));
}
