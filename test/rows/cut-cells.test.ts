import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { areSameBytes, cutCells, dropSpaces, readCents, readDigits, skipSpaces } from '../../src/rows/cut-cells.ts';
import { parseAmount } from '../../src/kernel/money.ts';
import { type SentText, sentTextReader } from '../../src/rows/sent-text.ts';
import { readWindows1252, toWindows1252 } from '../../src/rows/windows-1252.ts';
import { outcomePacker } from '../../src/rows/packed-outcomes.ts';
import { unpackOutcomes } from '../reconcile/support/result-rows.ts';

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

const textOf = (text: string): SentText => ({ rows: 2, bytes: Buffer.from(text) });

/** Returns every row until the reader stops, as texts, and whether it stopped at the end. */
function readAll(sent: SentText) {
  const reader = sentTextReader(sent);
  const rows: unknown[][] = [];
  const cell = (n: number) => reader.bytes.toString('utf8', reader.places[n], reader.places[n + 1]! - 1);
  while (reader.read())
    rows.push([reader.line, reader.cents, cell(reader.invoice), cell(reader.customerCode), cell(reader.lastFour)]);
  return { rows, isAtEnd: reader.isAtEnd() };
}

describe('sentTextReader', () => {
  it('reads the rows one after the other', () => {
    expect(readAll(textOf('2,INV-1,,2500,2220\n40,É 2,A1,-5,\n'))).toEqual({
      rows: [
        [2, 2_500, 'INV-1', '', '2220'],
        [40, -5, 'É 2', 'A1', ''],
      ],
      isAtEnd: true,
    });
  });

  it.each([
    ['a comma in an invoice', '2,INV,1,,2500,2220\n'],
    ['a line end in one', '2,INV\n1,,2500,2220\n'],
    ['a quote', '2,"INV",,2500,2220\n'],
    ['no amount', '2,INV-1,,,2220\n'],
    ['an amount in decimals', '2,INV-1,,25.00,2220\n'],
    ['a line that is no number', 'x,INV-1,,2500,2220\n'],
  ])('stops at a row with %s', (_what, text) => {
    expect(readAll(textOf(text)).rows).toEqual([]);
  });

  it('has nothing to read in no rows', () => {
    expect(readAll(textOf(''))).toEqual({ rows: [], isAtEnd: true });
  });
});

const WITHOUT_MEANING = [0x81, 0x8d, 0x8f, 0x90, 0x9d];
const BYTES = Buffer.from(
  Array.from({ length: 256 }, (_, byte) => byte).filter((byte) => !WITHOUT_MEANING.includes(byte)),
);

describe('readWindows1252', () => {
  it('reads what ISO 8859-1 has, and other characters where that has none', () => {
    expect(readWindows1252(Buffer.from([0x41, 0x80, 0x93, 0x9f, 0xa0, 0xe9, 0xff]))).toBe('A€“Ÿ\u00a0éÿ');
    expect(readWindows1252(Buffer.from(WITHOUT_MEANING))).toBe('\ufffd'.repeat(5));
  });
});

describe('toWindows1252', () => {
  it('gives the bytes that a text was read from', () => {
    expect(toWindows1252(readWindows1252(BYTES))).toEqual(BYTES);
    expect(toWindows1252('\u0081')).toEqual(Buffer.from([0x81]));
  });

  it('gives nothing for a text that the set cannot hold', () => {
    expect(toWindows1252('a\u0100')).toBeUndefined();
    expect(toWindows1252('\u0661')).toBeUndefined();
  });
});

describe('outcomePacker', () => {
  it('keeps each row with its texts, from bytes or from text', () => {
    const packer = outcomePacker(3);
    packer.addRow(2, 'approved', null);
    packer.addBytes('message', Buffer.from('..OK: 12..'), 2, 8);
    packer.addBytes('authorization', Buffer.from('..OK: 12..'), 6, 8);
    packer.addRow(9, 'declined', 0);
    packer.addText('message', 'pas payé 山 \u{1F600}');
    packer.addText('authorization', '');
    const packed = packer.finish();
    expect(packed.rows).toBe(2);
    expect(unpackOutcomes(packed)).toEqual([
      { line: 2, outcome: 'approved', code: null, message: 'OK: 12', authorization: '12' },
      { line: 9, outcome: 'declined', code: 0, message: 'pas payé 山 \u{1F600}', authorization: '' },
    ]);
  });

  it('finds room for texts that are longer than usual', () => {
    const packer = outcomePacker(20);
    const rows = Array.from({ length: 20 }, (_, n) => `${n} ${'é'.repeat(n * 50)}`);
    rows.forEach((text, n) => {
      packer.addRow(n + 1, 'unknown', null);
      if (n % 2 === 0) packer.addText('message', text);
      else packer.addBytes('message', Buffer.from(text), 0, Buffer.byteLength(text));
      packer.addText('authorization', text);
    });
    expect(unpackOutcomes(packer.finish()).map((row) => [row.message, row.authorization])).toEqual(
      rows.map((text) => [text, text]),
    );
  });

  it('is empty for no rows', () => {
    expect(outcomePacker(0).finish()).toMatchObject({ rows: 0, texts: Buffer.alloc(0) });
  });
});
