import { describe, expect, it } from 'vitest';
import type { Report, ReportOf } from '../../../scripts/reliability/reports.ts';
import { ofKind, sumReports } from '../../../scripts/reliability/sum-reports.ts';

const simulation = (seed: number): ReportOf<'simulation'> => ({
  kind: 'simulation',
  seed,
  seconds: 10,
  scenarios: 100,
  failed: seed === 2 ? 1 : 0,
  counts: { steps: { sweep: 3, [`only ${seed}`]: 1 } },
});
const chaos = (seed: number): ReportOf<'chaos'> => ({
  kind: 'chaos',
  seed,
  wallSeconds: 60,
  stories: 2,
  acts: 24,
  rows: 500,
  kills: 20,
  killsByQueue: { postgres: 15, redis: 5 },
  tally: { sandbox: 2 },
  restMs: { median: seed * 1_000, longest: seed * 5_000 },
  failures: [],
});
const reports: Report[] = [
  simulation(1),
  chaos(3),
  simulation(2),
  chaos(1),
  chaos(2),
  { kind: 'defects', scenarios: 20, trials: [{ name: 'gate removed', caughtBy: [], seconds: 3 }] },
  { kind: 'defects', scenarios: 20, trials: [{ name: 'gate removed', caughtBy: ['the simulation'], seconds: 3 }] },
];

describe('sumReports', () => {
  it('adds up the reports of each kind, also what only one of them has counted', () => {
    const sums = sumReports(reports);
    expect(sums.simulation).toEqual({
      scenarios: 200,
      failed: 1,
      seconds: 20,
      counts: { steps: { sweep: 6, 'only 1': 1, 'only 2': 1 } },
    });
    expect(sums.chaos).toMatchObject({
      kills: 60,
      killsByQueue: { postgres: 45, redis: 15 },
      tally: { sandbox: 6 },
      longestRestMs: 15_000,
      medianRestMs: 2_000,
    });
    expect(sums.defects).toEqual([{ name: 'gate removed', caughtBy: ['the simulation'], seconds: 3 }]);
  });

  it('counts nothing where there is no report', () => {
    expect(sumReports(reports).damage).toEqual({ files: 0, rows: 0, failed: 0, seconds: 0, verdicts: {}, damages: {} });
  });
});

describe('ofKind', () => {
  it('gives those of one kind in their order', () => {
    expect(ofKind(reports, 'chaos').map(({ seed }) => seed)).toEqual([3, 1, 2]);
  });
});
