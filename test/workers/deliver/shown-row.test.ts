import { describe, expect, it } from 'vitest';
import { shownRow } from '../../../workers/deliver/copy-plain-row.ts';
import { achRow, CARD, cardRow } from '../../support/payment-rows.ts';

function ach(cells: Parameters<typeof achRow>[1]): string[] {
  return achRow(1, cells).split(',');
}

describe('shownRow', () => {
  it('masks the number and leaves the rest', () => {
    const cells = cardRow(1).split(',');
    expect(shownRow('card', cells)).toEqual(cells.map((cell) => (cell === CARD ? '************2220' : cell)));
  });

  it('shows the number where it may be shown', () => {
    const cells = cardRow(1).split(',');
    expect(shownRow('card', cells, { clear: true })).toEqual(cells);
  });

  it.each([
    ['-5.00  ', '-5.00'],
    ['  25.00', '25.00'],
    ['ten ', 'ten'],
    ['', ''],
  ])('the amount %j is shown as %j, masked or clear', (amount, shown) => {
    for (const clear of [true, false]) expect(shownRow('ach', ach({ amount }), { clear })[5]).toBe(shown);
  });

  it('leaves the blanks of other cells', () => {
    expect(shownRow('ach', ach({ comment: ' June ' }))[6]).toBe(' June ');
  });

  it.each([
    ['x'.repeat(500), 'x'.repeat(500)],
    ['x'.repeat(501), `${'x'.repeat(500)}…`],
    [`${' '.repeat(600)}June`, 'June'],
    [`${'x'.repeat(499)}😀😀`, `${'x'.repeat(499)}…`],
  ])('cuts an endless cell, never inside a character', (comment, shown) => {
    expect(shownRow('ach', ach({ comment }))[6]).toBe(shown);
  });
});
