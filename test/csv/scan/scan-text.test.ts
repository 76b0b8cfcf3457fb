import { describe, expect, it } from 'vitest';
import type { ColumnName } from '../../../schemas/columns.ts';
import { scanColumn } from '../../../src/csv/scan/scan-column.ts';
import { scanText } from '../../../src/csv/scan/scan-text.ts';
import { rulesWith } from '../support.ts';
import { scanCellOf } from './support.ts';

function scan(name: ColumnName, text: string, isQuoted = false) {
  const column = scanColumn(name, 3, rulesWith());
  return scanCellOf(text, (scan, at) => scanText(scan, at, column), { isQuoted });
}

describe('scanText', () => {
  it.each<[ColumnName, string, string]>([
    ['city', 'Troy', 'Troy'],
    ['city', 'Troy  ', 'Troy'],
    ['city', '', ''],
    ['city', 'x'.repeat(40), 'x'.repeat(40)],
    ['invoice', 'INV-7/a #1', 'INV-7/a #1'],
    ['invoice', 'Inv-17', 'Inv-17'],
    ['invoice', '123456789012', '123456789012'],
    ['street', '12 MAPLE-WOOD E', '12 MAPLE-WOOD E'],
    ['customerCode', 'A_b.c-9', 'A_b.c-9'],
  ])('reads %s %j', (name, text, sent) => {
    expect(scan(name, `${text},x`)).toMatchObject({ sent, rest: ',x' });
  });

  it.each<[ColumnName, string]>([
    ['invoice', ''],
    ['invoice', 'Dec-17'],
    ['invoice', '17-Dec'],
    ['city', 'x'.repeat(41)],
    ['city', '1234567890123'],
    ['city', '1234-5678 9012.3'],
    ['city', '#REF!'],
    ['city', '=1'],
    ['zipCode', '4E+10 '],
    ['zipCode', '1.5E-05'],
  ])('declines %s %j', (name, text) => {
    expect(scan(name, `${text},`)).toBeUndefined();
  });

  it.each(['Zürich', 'a"b', 'a\tb', '\u0000', 'a\u007f'])('stops before what it does not know: %j', (text) => {
    expect(scan('city', `${text},`)?.rest).not.toBe(',');
  });

  it('stops in a customer code before what is no part of one', () => {
    expect(scan('customerCode', 'C 1,')?.rest).toBe(' 1,');
  });

  it('makes a space of each comma in quotes, no two beside each other, and notes it', () => {
    const scanned = scan('city', 'Troy,, NY , "', true);
    expect(scanned).toMatchObject({ sent: 'Troy NY', rest: '"' });
    expect(scanned?.scan.replaced).toEqual([{ column: 3, start: 1, end: 13 }]);
  });

  it('leaves commas in quotes where they may not be replaced', () => {
    expect(scan('state', 'NY,"', true)?.rest).toBe(',"');
    expect(scan('invoice', 'N,Y"', true)?.rest).toBe(',Y"');
  });

  it.each<[ColumnName, string]>([
    ['state', 'ZZ'],
    ['state', 'New York'],
    ['state', 'ny'],
    ['zipCode', '2139'],
    ['zipCode', '21391234'],
  ])('declines an address that may be odd: %s %s', (name, text) => {
    expect(scan(name, `${text},`)).toBeUndefined();
    const abroad = scanColumn(name, 3, rulesWith({ account: { server: 'UK', country: 'UK', currency: 'GBP' } }));
    expect(scanCellOf(`${text},`, (scan, at) => scanText(scan, at, abroad))?.sent).toBe(text);
  });

  it('remembers the most digits of any text', () => {
    const column = scanColumn('city', 0, rulesWith());
    expect(scanCellOf('12,', (scan, at) => scanText(scan, at, column), { mostDigits: 1 })?.scan.mostDigits).toBe(2);
    expect(scanCellOf('12,', (scan, at) => scanText(scan, at, column), { mostDigits: 5 })?.scan.mostDigits).toBe(5);
  });
});
