import { describe, expect, it } from 'vitest';
import { identityReader, isSameRow } from '../../src/reconcile/compare-rows.ts';
import { changeCells, LAYOUT_NAMES, resultsOf, sentRow } from './support/result-rows.ts';

describe('identityReader', () => {
  it.each(LAYOUT_NAMES)('reads what names a row of layout %s, which is then the row that was sent', (layout) => {
    const sent = sentRow(layout, {});
    const [result] = resultsOf(layout, [sent]);
    const identity = identityReader(layout)(result!);
    expect(identity).toMatchObject({ invoice: 'INV-1', cents: 2500, customerCode: sent.customerCode });
    expect(isSameRow(sent, identity)).toBe(true);
  });

  it.each([
    ['an amount that is none', { amount: '25,00' }],
    ['an amount that is too large', { amount: '90000000000.00' }],
  ])('reads nothing of %s', (_what, cells) => {
    const [result] = resultsOf('ach', [sentRow('ach', {})]);
    const altered = { ...result!, cells: changeCells('ach', result!.cells, cells) };
    expect(identityReader('ach')(altered)).toBeUndefined();
    expect(identityReader('ach')({ ...result!, cells: result!.cells.slice(1) })).toBeUndefined();
  });
});

describe('isSameRow', () => {
  const sent = sentRow('ach', {});
  const right = { invoice: 'INV-1', customerCode: '', cents: 2500, number: '0***0001' };

  it.each([
    [right, true],
    [{ ...right, invoice: 'INV-2' }, false],
    [{ ...right, cents: 2501 }, false],
    [{ ...right, customerCode: 'A1' }, false],
    [{ ...right, number: '0***0002' }, false],
    [{ ...right, number: '' }, false],
    [undefined, false],
  ])('of %j is %s', (identity, isSame) => {
    expect(isSameRow(sent, identity)).toBe(isSame);
  });
});
