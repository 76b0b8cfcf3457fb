import { describe, expect, it } from 'vitest';
import { compareRows } from '../../src/reconcile/compare-rows.ts';
import { changeCells, resultsOf, sentRow } from './support/result-rows.ts';
import { VISA } from './support/row-cells.ts';

const SENT = [1, 2, 3].map((n) => sentRow('card', { line: n + 1, invoice: `C-${n}`, amountCents: n * 100 }));
const RESULTS = resultsOf('card', SENT);

describe('compareRows', () => {
  it('lays each sent row beside its result', () => {
    expect(compareRows('card', SENT, RESULTS)).toEqual(
      SENT.map((row, index) => {
        const side = { invoice: row.invoice, total: `${index + 1}.00`, payer: 'number ending 2220' };
        const result = { ...side, message: 'Received' };
        return { position: index + 1, line: row.line, isSame: true, sent: side, result };
      }),
    );
  });

  it('shows a missing row as one gap, and an extra one as another', () => {
    const [first, , third] = RESULTS;
    expect(compareRows('card', SENT, [first!, third!]).filter((row) => !row.isSame)).toMatchObject([
      { position: 2, line: 3, sent: { invoice: 'C-2' }, result: undefined },
    ]);
    const extra = { ...first!, cells: changeCells('card', first!.cells, { invoice: 'C-9' }) };
    expect(compareRows('card', SENT, [...RESULTS, extra]).filter((row) => !row.isSame)).toMatchObject([
      { position: 4, line: undefined, sent: undefined, result: { invoice: 'C-9' } },
    ]);
  });

  it('only counts cells that are not of the layout', () => {
    const [row] = compareRows('card', SENT.slice(0, 1), [{ position: 1, cells: ['a', VISA], message: `no ${VISA}` }]);
    expect(row!.result).toEqual({ cells: 2, message: 'no ************2220' });
  });

  it.each([{ invoice: VISA }, { cardNumber: VISA, invoice: 'other' }, { amount: '9.00', invoice: `x${VISA}` }])(
    'shows no whole number that came back: %j',
    (cells) => {
      const [first] = RESULTS;
      const altered = { ...first!, cells: changeCells('card', first!.cells, cells) };
      expect(JSON.stringify(compareRows('card', SENT.slice(0, 1), [altered]))).not.toContain(VISA);
    },
  );

  it('says the code of a payer that has one', () => {
    const sent = [sentRow('card-code', {})];
    const [row] = compareRows('card-code', sent, resultsOf('card-code', sent, { customerCode: 'B1' }));
    expect([row!.sent?.payer, row!.result && 'payer' in row!.result && row!.result.payer]).toEqual([
      'code A10000001',
      'code B1',
    ]);
  });
});
