import { describe, expect, it } from 'vitest';
import { type SentText, sentTextReader } from '../../src/rows/sent-text.ts';

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
