import { describe, expect, it } from 'vitest';
import { describeComparison } from '../../../src/cli/show/exceptions.ts';
import type { Comparison } from '../../../src/explain/compare-batch.ts';
import { compareRows } from '../../../src/reconcile/compare-rows.ts';
import { changeCells, resultsOf, sentRow } from '../../reconcile/support/result-rows.ts';

const SENT = [1, 2, 3].map((n) => sentRow('card', { line: n + 1, invoice: `C-${n}` }));
const [ONE, , THREE] = resultsOf('card', SENT);
const FOREIGN = { ...ONE!, cells: changeCells('card', ONE!.cells, { invoice: 'C-9' }) };
const STRANGE = { position: 4, cells: ['a', 'b'], message: 'what' };

const COMPARISON: Comparison = {
  batch: '2anp3p7jwetvmz4z/2',
  name: 'monday.csv',
  state: 'exception',
  batchId: '1000003',
  reason: '4 result rows for 3 sent rows, 3 of them differ',
  sentRows: 3,
  resultRows: 4,
  differing: 3,
  rows: compareRows('card', SENT, [FOREIGN, THREE!, STRANGE]),
};

describe('describeComparison', () => {
  it('lays both sides beside each other, with a sign where they differ', () => {
    const text = describeComparison(COMPARISON);
    const [title, reason, counts, , , , ...rows] = text.split('\n');
    expect([title, reason, counts]).toEqual([
      'Batch 2anp3p7jwetvmz4z/2 of monday.csv, batch id 1000003, exception',
      '4 result rows for 3 sent rows, 3 of them differ',
      '3 rows sent, 4 came back, 3 differ.',
    ]);
    expect(rows.map((row) => row.replace(/ {2,}/g, '  ').trim())).toEqual([
      '1  2  C-1  25.00  number ending 2220  |  C-9  25.00  number ending 2220  Received',
      '2  3  C-2  25.00  number ending 2220  <',
      '2  4  C-3  25.00  number ending 2220  C-3  25.00  number ending 2220  Received',
      '3  >  2 cells of another layout  what',
    ]);
  });

  it('says when the result cannot be read at all, and when nothing differs', () => {
    const unreadable = describeComparison({ ...COMPARISON, unreadable: 'it is no text', rows: [] });
    expect(unreadable).toContain('The result cannot be read: it is no text');
    const fits = describeComparison({ ...COMPARISON, state: 'reconciled', differing: 0, rows: [] });
    expect(fits.split('\n')).toHaveLength(2);
    expect(fits).not.toContain('differ\n');
  });
});
