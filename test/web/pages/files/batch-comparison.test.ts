import { h } from 'preact';
import { renderToString } from 'preact-render-to-string';
import { describe, expect, it } from 'vitest';
import type { Comparison } from '../../../../src/explain/compare-batch.ts';
import { compareRows } from '../../../../src/reconcile/compare-rows.ts';
import { BatchComparison } from '../../../../src/web/pages/files/batch-doubt.tsx';
import { changeCells, resultsOf, sentRow } from '../../../reconcile/support/result-rows.ts';

const SENT = [1, 2, 3].map((n) => sentRow('card', { line: n + 1, invoice: `C-${n}` }));
const [ONE, , THREE] = resultsOf('card', SENT);
const FOREIGN = { ...ONE!, cells: changeCells('card', ONE!.cells, { invoice: 'C-9' }), message: '<b>what</b>' };
const STRANGE = { position: 4, cells: ['a', 'b'], message: 'what' };

const COMPARISON: Comparison = {
  batch: 'abc/2',
  name: 'monday.csv',
  state: 'exception',
  batchId: '1000003',
  reason: null,
  sentRows: 3,
  resultRows: 4,
  differing: 3,
  rows: compareRows('card', SENT, [FOREIGN, THREE!, STRANGE]),
};
const draw = (change: Partial<Comparison> = {}) =>
  renderToString(h(BatchComparison, { comparison: { ...COMPARISON, ...change } }));

describe('BatchComparison', () => {
  it('lays both sides beside each other and says in words how they differ', () => {
    const html = draw();
    const rows = html.split('<tr>').slice(2);
    const texts = rows.map((row) =>
      row
        .replaceAll(/<[^>]+>/g, ' ')
        .replaceAll(/\s+/g, ' ')
        .trim(),
    );
    expect(texts).toEqual([
      '1 2 C-1 25.00 number ending 2220 differs C-9 25.00 number ending 2220 &lt;b>what&lt;/b>',
      '2 3 C-2 25.00 number ending 2220 did not come back',
      '2 4 C-3 25.00 number ending 2220 the same C-3 25.00 number ending 2220 Received',
      '3 was not sent 2 cells of another layout what',
    ]);
  });

  it('says when the result cannot be read at all, and when nothing differs', () => {
    expect(draw({ unreadable: 'it is no text', rows: [] })).toContain('The result cannot be read: it is no text');
    expect(draw({ rows: [] })).toContain('No row differs.');
  });
});
