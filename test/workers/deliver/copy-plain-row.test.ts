import { describe, expect, it } from 'vitest';
import fc from 'fast-check';
import { columnsOf, type LayoutName } from '../../../schemas/layouts.ts';
import { unguardCell } from '../../../src/csv/write/guard-cell.ts';
import { isPlainlyQuoted, splitPlainRow } from '../../../src/csv/read/split-cells.ts';
import { csvLines } from '../../../src/csv/write/write-csv.ts';
import { passesLuhn } from '../../../src/kernel/luhn.ts';
import { plainRowCopier, shownRow } from '../../../workers/deliver/copy-plain-row.ts';
import { cellsOf, LAYOUT_NAMES } from '../../reconcile/support/result-rows.ts';
import { achRow, CARD, cardRow } from '../../support/payment-rows.ts';

/** Returns the copier's version of a row; undefined when it leaves the row to `shownRow`. */
function copyRow(layout: LayoutName, row: string, options: { clear?: boolean } = {}): string | undefined {
  const around = '..';
  const from = Buffer.from(`${around}${row}\r\n`);
  const to = Buffer.alloc(row.length + 1 + around.length, '-');
  const end = plainRowCopier(layout, options)(from, around.length, around.length + row.length, to, around.length);
  return end < 0 ? undefined : to.toString('latin1', around.length, end);
}

function reference(layout: LayoutName, cells: readonly string[], options: { clear?: boolean } = {}): string {
  const amountAt = new Set([columnsOf(layout).indexOf('amount')]);
  return `${csvLines({ guard: true })(shownRow(layout, cells, options), amountAt).slice(0, -2)},`;
}

const DIGITS = fc.string({ unit: fc.constantFrom(...'0123456789'), maxLength: 20 });

function withCheckDigit(base: string): string {
  return Array.from({ length: 10 }, (_, digit) => `${base}${digit}`).find(passesLuhn)!;
}

/** Cells that matter to the copier: numbers in every disguise, formulas, blanks, quotes, amounts. */
const CELL = fc.oneof(
  DIGITS,
  fc
    .string({ minLength: 10, maxLength: 17, unit: fc.constantFrom(...'0123456789') })
    .map((base) => withCheckDigit(`4${base}`)),
  fc.string({ unit: fc.constantFrom('a', '1', '2', '4', ' ', '-', '.', '=', '+', '@', "'", '*', '/'), maxLength: 24 }),
  fc.constantFrom(
    '',
    '-5.00',
    '25',
    '25.',
    '.5',
    '25.5',
    '25.005',
    '12345678.00',
    '1234567.89',
    ' 25.00',
    'CHECKING',
    '"a, b"',
  ),
  fc.constantFrom('"25.00"', '"=1"', '"4222222222222220"', '"4111 1111 1111 1111"', '" a"', '""', 'x'.repeat(501)),
);

/** Rows of a layout in which a few cells are wrong. */
const ROW = fc.constantFrom(...LAYOUT_NAMES).chain((layout) => {
  const cells = cellsOf(layout, { firstName: 'Ada1', comment: 'of 3 dues' });
  const change = fc.tuple(fc.nat(cells.length - 1), CELL);
  const copied = fc.tuple(fc.nat(cells.length - 1), fc.nat(cells.length - 1), fc.constantFrom('', '0', 'X ', '-'));
  return fc
    .tuple(fc.array(change, { maxLength: 3 }), fc.option(copied), fc.constantFrom(0, 0, 0, 0, 1, -1))
    .map(([changes, copy, width]) => {
      const row = [...cells];
      for (const [at, cell] of changes) row[at] = cell;
      if (copy) row[copy[0]] = copy[2] + row[copy[1]]!.replaceAll('"', '');
      if (width > 0) row.push('12');
      if (width < 0) row.pop();
      return { layout, row: row.join(',') };
    });
});

describe('plainRowCopier', () => {
  it('makes of each row what shownRow and csvLines make of it, or leaves it to them', () => {
    const copied = new Map<string, number>();
    fc.assert(
      fc.property(ROW, fc.boolean(), ({ layout, row }, clear) => {
        if (row.includes('"') && !isPlainlyQuoted(Buffer.from(row), 0, row.length)) return;
        const shown = copyRow(layout, row, { clear });
        if (shown === undefined) return;
        const kind = row.includes('"') ? 'quoted' : layout;
        copied.set(kind, (copied.get(kind) ?? 0) + 1);
        expect(shown).toBe(reference(layout, splitPlainRow(row).map(unguardCell), { clear }));
      }),
      { numRuns: 3_000 },
    );
    for (const kind of [...LAYOUT_NAMES, 'quoted']) expect(copied.get(kind), kind).toBeGreaterThan(30);
  });

  it('agrees with them on every byte that a plain row may hold, at either end of a cell and in it', () => {
    for (let byte = 0x20; byte < 0x7f; byte += 1) {
      const character = String.fromCharCode(byte);
      if (',"'.includes(character)) continue;
      for (const cell of [character, `${character}x`, `x${character}`, `x${character}x`, `5${character}00`]) {
        for (const layout of LAYOUT_NAMES) {
          for (const column of columnsOf(layout)) {
            const cells = cellsOf(layout, { [column]: cell });
            const shown = copyRow(layout, cells.join(','));
            if (shown !== undefined) expect(shown).toBe(reference(layout, cells));
          }
        }
      }
    }
  });

  it.each(LAYOUT_NAMES)('copies a good row of %s itself, with blanks, quotes and long invoices in it', (layout) => {
    const good = { invoice: '2026-0615-1', lastName: '"Byron, Lady"', comment: ' June dues ', amount: '1234.50' };
    expect(copyRow(layout, cellsOf(layout, good).join(','))).toBeDefined();
    expect(copyRow(layout, cellsOf(layout, { amount: '-5.00' }).join(','))).toBeDefined();
    expect(copyRow(layout, cellsOf(layout, { accountNumber: '1234' }).join(','))).toBeDefined();
  });

  it.each([
    ['card', { cardNumber: '4222222222222221' }],
    ['card', { cardNumber: '4222 2222 2222 2220' }],
    ['card', { lastName: '4111 1111 1111 1111' }],
    ['card', { firstName: '=1' }],
    ['card', { firstName: '"=1"' }],
    ['card', { amount: '25.00 ' }],
    ['card', { amount: 'ten' }],
    ['ach', { accountNumber: '123' }],
    // A number this short may repeat in another cell, where it is starred.
    ['ach', { accountNumber: '00000', firstName: '00000' }],
    ['ach', { accountNumber: '1234567', comment: 'of 1234567' }],
    ['ach', { accountNumber: '12345678', comment: 'of 12345678' }],
    ['ach', { comment: 'x'.repeat(501) }],
  ] as const)('leaves a row of %s with %j to shownRow', (layout, cells) => {
    expect(copyRow(layout, cellsOf(layout, cells).join(','))).toBeUndefined();
  });
});

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
