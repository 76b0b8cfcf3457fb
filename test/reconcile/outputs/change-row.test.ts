import { describe, expect, it } from 'vitest';
import { CHANGE_TITLES, changeCells, resultCells } from '../../../src/reconcile/outputs/result-row.ts';

const ROW = {
  line: 3,
  outcome: 'approved',
  code: null,
  message: 'OK: 7:',
  authorization: '7',
  batchId: '4471',
  sentAt: 'then',
  resultAt: 'later',
  attempt: 1,
} as const;
const BEFORE = { outcome: 'declined', code: 14, message: 'REJECT: 14', changedAt: 'now', evidence: 'asked again' };

describe('changeCells', () => {
  it('are those of the result as it is now, and then what was before', () => {
    const cells = changeCells(ROW, ['INV-1', '25.00'], BEFORE);
    const result = resultCells(ROW, ['INV-1', '25.00']);
    expect(cells.slice(0, result.length)).toEqual(result);
    expect(cells.slice(result.length)).toEqual(['DECLINED', '14', 'REJECT: 14', 'now', 'asked again']);
    expect(cells).toHaveLength(result.length + CHANGE_TITLES.length);
  });

  it('leaves the old code empty when there was none, and shows code 0', () => {
    const old = (code: number | null) => changeCells(ROW, [], { ...BEFORE, code }).at(-4);
    expect([old(null), old(0)]).toEqual(['', '0']);
  });
});
