import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatCents, LARGEST_TOTAL_CENTS, parseAmount } from '../../src/kernel/money.ts';

const LARGEST_PAYMENT_CENTS = 9_000_000_000;

describe('parseAmount', () => {
  it.each([
    ['25.00', 2500],
    ['25', 2500],
    ['25.5', 2550],
    ['0.05', 5],
    ['0', 0],
    ['0.00', 0],
    ['-0.00', 0],
    ['-5.00', -500],
    ['-0.01', -1],
    ['007.10', 710],
    ['00000000000000000000025.00', 2500],
    ['90000000.00', LARGEST_PAYMENT_CENTS],
    ['-90000000.00', -LARGEST_PAYMENT_CENTS],
    // Times 100 in floating point, most of these miss the whole number by a hair.
    ['1.13', 113],
    ['4.35', 435],
    ['1.10', 110],
    ['0.29', 29],
    ['64.41', 6441],
  ])('reads %j as %d cents', (text, cents) => {
    expect(parseAmount(text)).toBe(cents);
  });

  it.each([
    '',
    ' ',
    ' 25.00',
    '25.00 ',
    '25.00\n',
    '+25.00',
    '--5',
    '-',
    '.',
    '.50',
    '25.',
    '25.000',
    '25,00',
    '1,000.00',
    "1'000.00",
    '1 000.00',
    '$25.00',
    '25.00 USD',
    '1e3',
    '0x10',
    'NaN',
    'Infinity',
    '(25.00)',
    '25.00-',
    '−25.00',
    '２５.００',
    '1.2.3',
  ])('does not read %j', (text) => {
    expect(parseAmount(text)).toBe('AMOUNT_FORMAT');
  });

  it.each(['90000000.01', '-90000000.01', '100000000', '99999999999999.99', '9'.repeat(400), '-' + '9'.repeat(15)])(
    'finds %j too large',
    (text) => {
      expect(parseAmount(text)).toBe('AMOUNT_LIMIT');
    },
  );

  it.each([
    ['90000000.01', LARGEST_TOTAL_CENTS, 9_000_000_001],
    ['90071992547409.91', LARGEST_TOTAL_CENTS, Number.MAX_SAFE_INTEGER],
    ['-90071992547409.91', LARGEST_TOTAL_CENTS, -Number.MAX_SAFE_INTEGER],
    ['90071992547409.92', LARGEST_TOTAL_CENTS, 'AMOUNT_LIMIT'],
    ['90071992547409.93', LARGEST_TOTAL_CENTS, 'AMOUNT_LIMIT'],
    ['99999999999999.99', LARGEST_TOTAL_CENTS, 'AMOUNT_LIMIT'],
    ['0.10', 10, 10],
    ['0.11', 10, 'AMOUNT_LIMIT'],
  ])('reads %j with the limit %d as %j', (text, limit, expected) => {
    expect(parseAmount(text, limit)).toBe(expected);
  });

  it('leaves room for a million of the largest payments', () => {
    expect(1_000_000 * LARGEST_PAYMENT_CENTS).toBeLessThanOrEqual(LARGEST_TOTAL_CENTS);
  });

  it('never answers minus zero, which would be told apart from zero', () => {
    expect(Object.is(parseAmount('-0'), 0)).toBe(true);
  });
});

describe('formatCents', () => {
  it.each([
    [0, '0.00'],
    [-0, '0.00'],
    [5, '0.05'],
    [-5, '-0.05'],
    [10, '0.10'],
    [100, '1.00'],
    [2500, '25.00'],
    [-2550, '-25.50'],
    [LARGEST_TOTAL_CENTS, '90071992547409.91'],
    [-LARGEST_TOTAL_CENTS, '-90071992547409.91'],
  ])('writes %d as %j', (cents, text) => {
    expect(formatCents(cents)).toBe(text);
  });

  it.each([0.5, 29.000000000000004, LARGEST_TOTAL_CENTS + 1, 1e21, Number.NaN, Number.POSITIVE_INFINITY])(
    'refuses %d, which is no exact number of cents',
    (cents) => {
      expect(() => formatCents(cents)).toThrow(expect.objectContaining({ code: 'INTERNAL' }));
    },
  );

  it('is read back as the same cents, whatever they are', () => {
    fc.assert(
      fc.property(fc.maxSafeInteger(), (cents) => {
        fc.pre(!Object.is(cents, -0));
        expect(parseAmount(formatCents(cents), LARGEST_TOTAL_CENTS)).toBe(cents);
      }),
    );
  });

  it('writes what was read in its canonical form', () => {
    const texts = fc
      .tuple(fc.constantFrom('', '-'), fc.nat(90_000_000 - 1), fc.constantFrom('', '.5', '.05', '.50', '.99'))
      .map((parts) => parts.join(''));
    fc.assert(
      fc.property(texts, (text) => {
        const cents = parseAmount(text);
        expect(cents).toBeTypeOf('number');
        const canonical = formatCents(cents as number);
        expect(canonical).toMatch(/^-?(?:0|[1-9]\d*)\.\d\d$/);
        expect(Number(canonical)).toBe(Number(text) || 0);
      }),
    );
  });
});
