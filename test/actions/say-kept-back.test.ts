import { describe, expect, it } from 'vitest';
import { keptBackJson, sayKeptBack } from '../../src/actions/say-kept-back.ts';

function shownRow(line: number) {
  const row = { line, outcome: 'unknown', code: null, message: 'it shows another amount', authorization: '' } as const;
  return { batchNo: 1, row };
}

const WHY = 'the service cannot be asked for its newest report: nobody listens';

describe('sayKeptBack', () => {
  it('says nothing when nothing is kept back', () => {
    expect(sayKeptBack({ shown: [], unproven: [] })).toEqual([]);
  });

  it('names the rows that the newest report shows, what they are now, and what to do', () => {
    const [row, next, ...others] = sayKeptBack({ shown: [shownRow(7)], unproven: [] });
    expect(row).toMatch(
      /^Line 7 does not go out again: .* corrected from NOT_CHARGED to UNKNOWN: it shows another amount\.$/,
    );
    expect(next).toContain('do not drop them again');
    expect(others).toEqual([]);
    const many = sayKeptBack({ shown: Array.from({ length: 25 }, (_, n) => shownRow(n + 2)), unproven: [] });
    expect(many).toHaveLength(22);
    expect(many).toContain('5 more rows stay for the same reason.');
  });

  it('names the rows of which it proves nothing, why, and when to try again', () => {
    const [rows, next] = sayKeptBack({ shown: [], unproven: [{ batchNo: 2, lines: [4, 5], why: `${WHY}.` }] });
    expect(rows).toBe(`2 rows of batch 2 (lines 4, 5) cannot go out again now, because ${WHY}.`);
    expect(next).toContain('Resubmit them when the service answers');
  });
});

describe('keptBackJson', () => {
  it('says the same to a program', () => {
    const unproven = [{ batchNo: 2, lines: [4], why: WHY }];
    expect(keptBackJson({ shown: [shownRow(7)], unproven })).toEqual({
      shown: [{ line: 7, outcome: 'unknown', why: 'it shows another amount' }],
      unproven,
    });
  });
});
