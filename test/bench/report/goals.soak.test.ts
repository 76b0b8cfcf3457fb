import { describe, expect, it } from 'vitest';
import { type Goal, goalsOf, isMet, USUAL_BATCH } from '../../../bench/report/goals.ts';
import { measured } from '../support/measured.ts';
import { emptyRun } from '../support/empty-run.ts';

const goal = (is: Goal['is'], measuredValue: number | undefined): Goal => ({
  goal: 'x',
  is,
  limit: 10,
  unit: ' ms',
  measured: measuredValue,
});

describe('isMet', () => {
  it.each([
    ['at least', 10, true],
    ['at least', 9.9, false],
    ['at most', 10, true],
    ['at most', 10.1, false],
    ['at most', undefined, undefined],
  ] as const)('%s 10, measured %s', (is, value, met) => {
    expect(isMet(goal(is, value))).toBe(met);
  });
});

describe('goalsOf', () => {
  it('leaves open what was not measured', () => {
    expect(new Set(goalsOf(emptyRun()).map(isMet))).toEqual(new Set([undefined]));
  });

  it('takes each figure from where it belongs', () => {
    const way = { part: 'drop-to-result', condition: USUAL_BATCH };
    const run = emptyRun([
      measured({ subject: 'csv-parse', rows: 1_000_000 }, [9]),
      measured({ subject: 'floor', rows: 1_000_000 }, [0.25]),
      measured({ subject: 'paydrop', rows: 1_000_000 }, [1]),
      measured({ ...way, rows: 10_000 }, [0.1]),
      measured({ ...way, rows: 100_000 }, [1]),
      measured({ ...way, rows: 1_000_000 }, [20]),
      measured({ ...way, rows: 1_000_000, subject: 'afternoon script' }, [50]),
      measured({ part: 'small-files', rows: 100_000 }, [10], { files: [1_000] }),
      measured({ part: 'start', rows: 0 }, [1], { firstMs: [2_000], findMs: [200] }),
      measured({ part: 'questions', rows: 10_000_000 }, [1], { findMs: [1], statusMs: [2], frontMs: [300] }),
    ]);
    const found = Object.fromEntries(goalsOf(run).map((each) => [each.goal, [each.measured, isMet(each)]]));
    expect(found).toMatchObject({
      'checking 1,000,000 rows, against bare csv-parse': [9, true],
      'checking 1,000,000 rows, against the floor': [4, true],
      'drop to result of 1,000,000 rows, against the afternoon script': [0.4, false],
      'files of 100 rows, drop to result': [100, true],
      'memory of all processes with 1,000,000 rows': [100, true],
      '`paydrop start` in a new folder, until it watches': [2_000, false],
      '`paydrop find` beside it': [200, true],
      'the front page of the dashboard, with 10,000,000 rows in the ledger': [300, false],
    });
    expect(found['time per row with 1,000,000 rows, against 10,000']![0]).toBeCloseTo(2);
  });
});
