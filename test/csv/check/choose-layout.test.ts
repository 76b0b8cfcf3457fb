import { describe, expect, it } from 'vitest';
import { checkLayout, chooseLayout, columnCountFault } from '../../../src/csv/check/choose-layout.ts';

const rowsOf = (...counts: number[]) =>
  counts.map((count, index) => ({ line: index + 1, cells: Array<string>(count).fill('x') }));

describe('chooseLayout', () => {
  it.each([
    ['card', [12], 'card'],
    ['card', [7], 'card-ca'],
    ['card', [4], 'card-code'],
    ['ach-charge', [7], 'ach'],
    ['ach-refund', [4], 'ach-code'],
    ['ach-charge', [12], undefined],
    ['card', [13, 12], 'card'],
    ['card', [4, 12, 12], 'card'],
    ['ach-charge', [4, 7], 'ach-code'],
    ['ach-charge', [7, 4], 'ach'],
    ['card', [], undefined],
  ] as const)('for %s and rows of %j columns takes %s', (operation, counts, layout) => {
    expect(chooseLayout(operation, rowsOf(...counts))).toBe(layout);
  });
});

describe('checkLayout', () => {
  it.each([
    ['card', 'US', []],
    ['card', 'UK', []],
    ['card', 'CA', ['LAYOUT_COUNTRY']],
    ['card-ca', 'CA', []],
    ['card-ca', 'US', ['LAYOUT_COUNTRY']],
    ['card-code', 'CA', []],
    ['ach', 'US', []],
  ] as const)('%s in %s: %j', (layout, country, codes) => {
    expect(checkLayout(layout, { account: { country }, folder: {} }).map((fault) => fault.code)).toEqual(codes);
  });

  it('takes the layout of the folder only', () => {
    const rules = { account: { country: 'US' }, folder: { layout: 'card' } } as const;
    expect(checkLayout('card', rules)).toEqual([]);
    expect(checkLayout('card-code', rules)).toMatchObject([{ code: 'LAYOUT_FOLDER', line: 0 }]);
  });
});

describe('columnCountFault', () => {
  const cells = (count: number) => ({ line: 5, cells: Array<string>(count).fill('x') });

  it.each([
    [cells(13), 'card', 'card', '13 columns, expected 12'],
    [cells(1), 'ach-charge', 'ach', '1 column, expected 7'],
    [cells(5), 'card', undefined, '5 columns, expected 4 or 7 or 12'],
    [
      { line: 5, cells: ['a;b;c;d'] },
      'ach-refund',
      undefined,
      '1 column, expected 4 or 7; they seem to be separated by semicolons',
    ],
  ] as const)('counts the columns', (row, operation, layout, detail) => {
    expect(columnCountFault(row, operation, layout)).toEqual({ code: 'COLUMN_COUNT', line: 5, detail });
  });
});
