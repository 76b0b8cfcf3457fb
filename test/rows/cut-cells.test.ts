import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { areSameBytes, cutCells, dropSpaces, readCents, readDigits, skipSpaces } from '../../src/rows/cut-cells.ts';
import { parseAmount } from '../../src/kernel/money.ts';

/** Returns the first cells of each line; a number where a line is not plain or has fewer. */
function linesOf(text: string, wanted: number): (string[] | number)[] {
  const bytes = Buffer.from(text);
  const places = new Uint32Array(wanted + 2);
  const lines: (string[] | number)[] = [];
  for (let next = 0; next < bytes.length; next = places[wanted + 1]!) {
    const cells = cutCells(bytes, next, places);
    if (cells === 0) return [...lines, 0];
    const texts = Array.from({ length: wanted }, (_, n) => bytes.toString('utf8', places[n], places[n + 1]! - 1));
    lines.push(cells < wanted ? cells : texts);
  }
  return lines;
}

describe('cutCells', () => {
  it.each([
    ['a,b,c\n', 3, [['a', 'b', 'c']]],
    ['a,b,c', 3, [['a', 'b', 'c']]],
    [
      'a,b\r\nc,d\r\n',
      2,
      [
        ['a', 'b'],
        ['c', 'd'],
      ],
    ],
    [',,\n', 3, [['', '', '']]],
    [
      'a,b,c,d\ne,f',
      2,
      [
        ['a', 'b,c,d'],
        ['e', 'f'],
      ],
    ],
    ['a\n\nb\n', 1, [['a'], [''], ['b']]],
    ['\r\n\r\n', 1, [[''], ['']]],
    ['é,山\n', 2, [['é', '山']]],
    ['a,b\nc\n', 3, [2, 1]],
    ['a,"b"\n', 2, [0]],
    ['a\rb\n', 1, [0]],
    ['a\r', 1, [0]],
    ['', 1, []],
  ])('reads %j as cells', (text, wanted, lines) => {
    expect(linesOf(text, wanted)).toEqual(lines);
  });

  it('cuts as a plain split does, where there is nothing that is not plain', () => {
    const cell = fc.string({ unit: fc.constantFrom('a', '0', ' ', '-', 'é', '*', '.'), maxLength: 4 });
    const line = fc.array(cell, { minLength: 3, maxLength: 3 }).map((cells) => cells.join(','));
    fc.assert(
      fc.property(
        fc.array(line, { minLength: 1 }),
        fc.constantFrom('\n', '\r\n'),
        fc.boolean(),
        (lines, end, isOpen) => {
          const text = lines.join(end) + (isOpen ? '' : end);
          expect(linesOf(text, 3)).toEqual(lines.map((each) => each.split(',')));
        },
      ),
    );
  });
});

describe('areSameBytes', () => {
  it.each([
    ['INV-1', 0, 5, 'xINV-1', 1, 6, true],
    ['INV-1', 0, 5, 'INV-2', 0, 5, false],
    ['INV-1', 0, 5, 'INV-1', 0, 4, false],
    ['INV-1', 2, 2, '', 0, 0, true],
  ])('%j from %i to %i, %j from %i to %i: %s', (one, from, to, other, otherFrom, otherTo, isSame) => {
    expect(areSameBytes(Buffer.from(one), from, to, Buffer.from(other), otherFrom, otherTo)).toBe(isSame);
  });
});

describe('skipSpaces and dropSpaces', () => {
  it.each([
    ['  a b ', 2, 5],
    ['a', 0, 1],
    ['   ', 3, 3],
    ['', 0, 0],
    ['\ta\t', 0, 3],
  ])('of %j leave what is between %i and %i', (text, from, to) => {
    const bytes = Buffer.from(text);
    expect(skipSpaces(bytes, 0, bytes.length)).toBe(from);
    expect(dropSpaces(bytes, from, bytes.length)).toBe(to);
  });
});

describe('readDigits', () => {
  it.each([
    ['0', 0],
    ['007', 7],
    ['123456789012345', 123_456_789_012_345],
    ['1234567890123456', -1],
    ['', -1],
    ['1a', -1],
    ['-1', -1],
    ['1.0', -1],
    ['٣', -1],
  ])('of %j is %i', (text, value) => {
    expect(readDigits(Buffer.from(text), 0, Buffer.byteLength(text))).toBe(value);
  });
});

describe('readCents', () => {
  const centsOf = (text: string) => readCents(Buffer.from(`x${text}y`), 1, 1 + Buffer.byteLength(text));
  it.each([
    ['25.00', 2_500],
    ['-0.05', -5],
    ['-0.00', 0],
    ['25', 2_500],
    ['25.5', 2_550],
    ['0.1', 10],
    ['9999999.99', 999_999_999],
  ])('of %j is %i', (text, cents) => {
    expect(centsOf(text)).toBe(cents);
  });

  it.each(['', '-', '.', '.5', '5.', '1.234', '1,00', '+1.00', '--1', '1e2', ' 1', '1 ', '12345678.00'])(
    'declines %j',
    (text) => {
      expect(centsOf(text)).toBeUndefined();
    },
  );

  it('takes nothing that parseAmount reads otherwise', () => {
    const text = fc.string({ unit: fc.constantFrom(...'0123456789.-,+ e'), maxLength: 9 });
    fc.assert(
      fc.property(text, (amount) => {
        const cents = centsOf(amount);
        if (cents !== undefined) expect(parseAmount(amount)).toBe(cents);
      }),
      { numRuns: 5_000 },
    );
  });
});
