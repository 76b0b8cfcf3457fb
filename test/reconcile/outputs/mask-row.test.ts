import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type ColumnName, columnsOf, type LayoutName } from '../../../schemas/layouts.ts';
import { lastFour } from '../../../src/kernel/mask.ts';
import { joinedDigits } from '../../../src/kernel/plain-digits.ts';
import { passesLuhn } from '../../../src/kernel/luhn.ts';
import { maskRow } from '../../../src/reconcile/outputs/mask-row.ts';
import { ACCOUNT_NUMBER, cellsOf, LAYOUT_NAMES, VISA } from '../support/result-rows.ts';

const MASKED_VISA = '************2220';
const MASKED_ACCOUNT = '**********************0001';
const NUMBER_LAYOUTS = ['ach', 'card', 'card-ca'] as const;

describe('maskRow', () => {
  it.each(LAYOUT_NAMES)('changes nothing in a valid row of %s but the number', (layout) => {
    const shown = cellsOf(layout, { cardNumber: MASKED_VISA, accountNumber: MASKED_ACCOUNT });
    expect(maskRow(layout, cellsOf(layout))).toEqual(shown);
  });

  it.each<[string, LayoutName, Partial<Record<ColumnName, string>>, Partial<Record<ColumnName, string>>]>([
    ['a long invoice number stays', 'card', { invoice: '20260615000123' }, {}],
    ['a long invoice number stays', 'ach', { invoice: '20260615000123' }, {}],
    ['a telephone number stays', 'ach', { comment: 'call 416-555-0199' }, {}],
    ['any amount stays', 'card', { amount: '90000000.00' }, {}],
    [
      'an amount like the account stays',
      'ach',
      { accountNumber: '25000000', amount: '25000000.00' },
      { accountNumber: '****0000' },
    ],
    [
      'an invoice that ends like a short account stays',
      'ach',
      { accountNumber: '1234', invoice: 'INV-20261234' },
      { accountNumber: '****' },
    ],
    ['spaces around the number go', 'card', { cardNumber: ` ${VISA} ` }, { cardNumber: MASKED_VISA }],
    ['the number in a comment goes', 'ach', { comment: `of ${ACCOUNT_NUMBER}` }, { comment: `of ${MASKED_ACCOUNT}` }],
    ['the number in an invoice goes', 'card', { invoice: `X${VISA}` }, { invoice: `X${MASKED_VISA}` }],
    [
      'another card in a name goes',
      'card',
      { lastName: 'Byron 4111 1111 1111 1111' },
      { lastName: 'Byron **** **** **** 1111' },
    ],
    [
      'the number in groups goes',
      'ach',
      { comment: `of 0210000 (21000000000)_00000001` },
      { comment: `${'*'.repeat(29)}0001` },
    ],
    ['a card in a bank row goes', 'ach', { comment: VISA }, { comment: MASKED_VISA }],
    ['a card in a row with codes goes', 'ach-code', { comment: VISA }, { comment: MASKED_VISA }],
    ['a card for a code goes', 'card-code', { customerCode: VISA }, { customerCode: MASKED_VISA }],
    ['a card for an amount goes', 'card', { amount: VISA }, { amount: MASKED_VISA }],
    ['an expiry stays', 'card', { expiry: '12/28' }, {}],
  ])('%s (%s, %j)', (_, layout, cells, shown) => {
    const hidden = { cardNumber: MASKED_VISA, accountNumber: MASKED_ACCOUNT };
    expect(maskRow(layout, cellsOf(layout, cells))).toEqual(cellsOf(layout, { ...hidden, ...cells, ...shown }));
  });

  it('changes nothing but the number in a valid row, whatever digits stand in the others', () => {
    const digits = fc.string({ unit: fc.constantFrom('0', '1', '2', '9', '-', ' ', '.', '/'), maxLength: 30 });
    fc.assert(
      fc.property(
        fc.constantFrom(...NUMBER_LAYOUTS).chain((layout) => {
          const cells = fc.tuple(...columnsOf(layout).map(() => digits));
          return fc.record({ layout: fc.constant(layout), cells });
        }),
        ({ layout, cells }) => {
          const at = columnsOf(layout).findIndex((name) => name === 'cardNumber' || name === 'accountNumber');
          fc.pre(!/^\d{5,7}$/.test(cells[at]!.trim()));
          const masked = maskRow(layout, cells, { isValid: true });
          expect(masked.with(at, '')).toEqual(cells.with(at, ''));
          expect(masked[at]!.replace(/\D/g, '').length).toBeLessThanOrEqual(4);
        },
      ),
    );
  });

  it.each([true, false])(
    'hides a short account number by itself in a free text, and nowhere else (valid: %s)',
    (isValid) => {
      const cells = cellsOf('ach', {
        accountNumber: '5632060',
        firstName: 'X5632060',
        comment: 'of 5632060, x56320601',
        invoice: '5632060',
        amount: '5632060.00',
      });
      const comment = 'of *****60, x56320601';
      expect(maskRow('ach', cells, { isValid })).toEqual(cells.with(4, '*****60').with(6, comment));
    },
  );

  it.each(['10000.00', '1234567.89', '-2500000.00', '250000'])(
    'keeps the amount %s of a withheld row, and its day, where the number is not in its place',
    (amount) => {
      const sent = { cardNumber: '', amount, date: '11/20/2026', zipCode: '12180' };
      const cells = cellsOf('card', { ...sent, invoice: '202611230001' });
      expect(maskRow('card', cells)).toEqual(cellsOf('card', { ...sent, invoice: '********0001' }));
    },
  );

  it('hides an amount without a point that may be the number of the row', () => {
    const cells = cellsOf('ach', { accountNumber: 'CHECKING', accountType: 'x', amount: '12345678' });
    expect(maskRow('ach', cells)[5]).toBe('****5678');
  });

  it('keeps the invoice of a row whose account number has a slip in it, unless another cell may hold the number', () => {
    const slip = `${ACCOUNT_NUMBER.slice(0, 20)}x${ACCOUNT_NUMBER.slice(21)}`;
    const cells = cellsOf('ach', { accountNumber: slip, invoice: 'O19023-1-0012' });
    expect(maskRow('ach', cells)[0]).toBe('O19023-1-0012');
    expect(maskRow('ach', cellsOf('ach', { accountNumber: slip, invoice: ACCOUNT_NUMBER }))[0]).toBe(MASKED_ACCOUNT);
    expect(maskRow('ach', cellsOf('ach', { accountNumber: 'INV-202611230001', invoice: '12345678' }))[0]).toBe(
      '****5678',
    );
  });

  it.each(['4222222222222221', '4222 2222 2222 2220', '4222-2222-2222-2220', '422222222222222', '42222222x22222220'])(
    'keeps the invoice of a row whose card number is typed %j',
    (cardNumber) => {
      const cells = cellsOf('card', { cardNumber, invoice: '2026-0615-1', amount: '12345.67' });
      const masked = maskRow('card', cells);
      expect(masked.slice(0, 10)).toEqual(cells.slice(0, 10));
      expect(masked[10]).toMatch(/^\*[*]+\d{4}$|^\*+\d{1,4}$/);
    },
  );

  it.each([
    ['dots', '0210.0002.1000.0000.0000.0000.01'],
    ['dashes', '0210-0002-1000-0000-0000-0000-01'],
    ['many spaces', '0210   0002   1000   0000   0000   0000   01'],
    ['all of them', '0210 - 0002 . 1000 - 0000 . 0000 - 0000 . 01'],
  ])('finds the number of the row in a comment, also with %s in it', (_, comment) => {
    const shown = maskRow('ach', cellsOf('ach', { comment }))[6]!;
    expect(shown.replace(/\D/g, '').length).toBeLessThanOrEqual(4);
  });

  it('hides every long number when the columns are exchanged', () => {
    const cells = cellsOf('card', { cardNumber: 'INV-1', invoice: VISA, zipCode: ACCOUNT_NUMBER });
    expect(maskRow('card', cells)).toEqual(
      cellsOf('card', { cardNumber: '*****', invoice: MASKED_VISA, zipCode: MASKED_ACCOUNT }),
    );
  });

  it.each(['n/a', '', '123', '5.00', 'CHECKING'])('does not take %j for an account number', (accountNumber) => {
    expect(maskRow('ach', cellsOf('ach', { accountNumber, comment: '123456789' }))[6]).toBe('*****6789');
  });

  it('does not take a short invoice in the place of a long account for the account', () => {
    const cells = cellsOf('ach', { accountNumber: '1001', invoice: ACCOUNT_NUMBER });
    expect(maskRow('ach', cells)).toEqual(cellsOf('ach', { accountNumber: '****', invoice: MASKED_ACCOUNT }));
  });

  it('does not take a number that fails its check digit for the card when another may be it', () => {
    const cells = cellsOf('card', { cardNumber: '202606150001', invoice: '4222  2222  2222  2220' });
    const masked = maskRow('card', cells);
    expect(masked[1]!.replace(/\D/g, '')).toBe('2220');
    expect(masked[10]).toBe('********0001');
  });

  it.each([
    ['one cell less', (cells: string[]) => cells.slice(1)],
    ['one cell more', (cells: string[]) => ['', ...cells]],
    ['a cell at the end', (cells: string[]) => [...cells, VISA]],
    ['the number only', () => [VISA]],
    ['no cells', () => []],
  ])('hides every long number of a row with %s', (_, change) => {
    for (const layout of LAYOUT_NAMES) {
      const cells = change(cellsOf(layout));
      const masked = maskRow(layout, cells);
      expect(masked).toHaveLength(cells.length);
      expect(masked.join(' ')).not.toMatch(/\d{7}/);
    }
  });

  it('never shows the number of the row, wherever in the row it stands as well', () => {
    const copies = fc.constantFrom('', ' ', '-', '.', '  ', ' - ', '/', '_', ') (');
    fc.assert(
      fc.property(
        fc
          .constantFrom(...NUMBER_LAYOUTS)
          .chain((layout) => fc.record({ layout: fc.constant(layout), number: numberOf(layout) })),
        fc.nat(),
        copies,
        fc.string({ maxLength: 5 }),
        fc.boolean(),
        ({ layout, number }, place, gap, around, isWide) => {
          const column = columnsOf(layout)[place % columnsOf(layout).length]!;
          fc.pre(!['cardNumber', 'accountNumber', 'amount'].includes(column));
          const written = isWide ? wideDigits(number) : number;
          const copy = `${around}${written.match(/.{1,4}/g)!.join(gap)}`;
          const cells = cellsOf(layout, { cardNumber: number, accountNumber: number, [column]: copy });
          expectHidden(maskRow(layout, cells), number);
        },
      ),
    );
  });

  it('never shows the number of a row whose cells are in any other order', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...NUMBER_LAYOUTS).chain((layout) =>
          fc.record({
            layout: fc.constant(layout),
            number: numberOf(layout),
            order: fc.shuffledSubarray(
              columnsOf(layout).map((_, index) => index),
              { minLength: 1 },
            ),
          }),
        ),
        ({ layout, number, order }) => {
          const cells = cellsOf(layout, { cardNumber: number, accountNumber: number, zipCode: '12180' });
          const masked = maskRow(
            layout,
            order.map((index) => cells[index]!),
          );
          expect(masked).toHaveLength(order.length);
          expectHidden(masked, number);
        },
      ),
    );
  });
});

/** Checks that the number appears in no cell, not across two, nor behind separators. */
function expectHidden(cells: readonly string[], number: string): void {
  const text = joinedDigits(cells.join(' '));
  expect(text).not.toContain(number);
  const shown = lastFour(number);
  expect(cells.some((cell) => cell.includes(number.slice(0, -shown.length)))).toBe(false);
}

function wideDigits(number: string): string {
  return number.replace(/\d/g, (digit) => String.fromCharCode(0xff10 + Number(digit)));
}

/** Generates a number as in a valid row: cards with their check digit, long bank accounts. */
function numberOf(layout: (typeof NUMBER_LAYOUTS)[number]): fc.Arbitrary<string> {
  const digits = (minLength: number, maxLength: number) =>
    fc.array(fc.nat(9), { minLength, maxLength }).map((list) => list.join(''));
  if (layout === 'ach') return digits(12, 26);
  const brand = fc.constantFrom('4', '51', '37', '6');
  return fc.tuple(brand, digits(11, 14)).map(([prefix, rest]) => withCheckDigit(prefix + rest));
}

function withCheckDigit(digits: string): string {
  const check = Array.from({ length: 10 }, (_, digit) => `${digits}${digit}`).find(passesLuhn);
  return check!;
}
