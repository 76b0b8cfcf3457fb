import { describe, expect, it } from 'vitest';
import { checkHeader, isHeader, titlesSecurityCode } from '../../../src/csv/check/find-header.ts';
import { achLine, CARD_HEADER, cardLine } from '../support.ts';

const cellsOf = (line: string) => line.split(',');
const CODE_HEADER = 'Invoice #,Customer Code,Amount,Comment';

describe('isHeader', () => {
  it.each([
    ['card', CARD_HEADER],
    ['card', CARD_HEADER.toUpperCase().replaceAll(' ', '')],
    ['card', 'Date,Invoice #,Full Name,Amount,MOP,Credit Card #,Expiry'],
    ['card', `${CARD_HEADER},CVV2`],
    ['card', 'Datum,Rechnung,Vorname,Nachname,Betrag,CVV'],
    ['card', 'date,inv no,first,last,address,town,county,post code,total,brand,card no,exp'],
    ['card', 'Date,Invoice,First,Nachname,Street,City,Land,Zip,Betrag,MOP,Card,Gueltig'],
    ['card', CODE_HEADER],
    ['card', 'Date,Invoice,Vorname,Nachname,Street,City,Land,Zip,Betrag,MOP,Card,Gueltig'],
    ['ach-charge', 'Rechnung,Nachname,Vorname,Kontoart,Konto,Betrag,Bemerkung'],
    ['card', '\u53d1\u7968,\u5ba2\u6237,\u91d1\u989d,'],
    ['ach-refund', 'Invoice #,First Name,Last Name,Account Type,Account # (no spaces or dashes),Amount,Comment'],
  ] as const)('finds one for %s in %s', (operation, line) => {
    expect(isHeader(operation, cellsOf(line))).toBe(true);
  });

  it.each([
    ['card', cardLine()],
    ['card', cardLine({ amount: '$5' })],
    ['card', cardLine({ amount: 'abc' })],
    ['ach-charge', achLine()],
    ['ach-charge', 'Invoice,Code,5.00,Comment'],
    ['ach-charge', 'INV-1,CID,5.00,CVV'],
    ['card', 'Datum,Rechnung,Betrag 2,Bemerkung'],
    ['card', 'INV-1,A10000001,ten,June dues'],
    ['ach-charge', 'Datum,Rechnung,Betrag'],
    ['ach-charge', 'Datum,,,'],
    ['card', `${cardLine()},123`],
    ['card', ',,,'],
  ] as const)('finds none for %s in %s', (operation, line) => {
    expect(isHeader(operation, cellsOf(line))).toBe(false);
  });
});

describe('titlesSecurityCode', () => {
  it('tells a title from a value', () => {
    expect(titlesSecurityCode(['Invoice', 'CVV'])).toBe(true);
    expect(titlesSecurityCode(['1001', 'CVV'])).toBe(false);
    expect(titlesSecurityCode(['Invoice', 'Amount'])).toBe(false);
  });
});

describe('checkHeader', () => {
  it('has nothing against titles in the order of the layout', () => {
    expect(checkHeader({ line: 1, cells: cellsOf(CARD_HEADER) }, 'card')).toEqual([]);
    const other = CARD_HEADER.replace('City', 'Town').replace('First Name', 'Name');
    expect(checkHeader({ line: 1, cells: cellsOf(other) }, 'card')).toEqual([]);
    expect(checkHeader({ line: 1, cells: ['Invoice'] }, undefined)).toEqual([]);
  });

  it('refuses titles in another order, because the values would be sent in each other’s place', () => {
    const header = CARD_HEADER.replace('First Name,Last Name', 'Last Name,First Name');
    const faults = checkHeader({ line: 2, cells: cellsOf(header) }, 'card');
    expect(faults).toMatchObject([
      { code: 'LAYOUT_FOLDER', line: 2, column: 'firstName' },
      { code: 'LAYOUT_FOLDER', line: 2, column: 'lastName' },
    ]);
    expect(faults[0]?.detail).toBe('the header calls column 3 "Last Name", here it is "First Name"');
  });

  it('refuses a title that is not known beside those that are, because anything may stand under it', () => {
    const header = CARD_HEADER.replace('First Name,Last Name', 'Nachname,').replace('City', `Ort ${'9'.repeat(40)}`);
    const faults = checkHeader({ line: 1, cells: cellsOf(header) }, 'card');
    expect(faults).toMatchObject([
      { code: 'LAYOUT_FOLDER', column: 'firstName' },
      { code: 'LAYOUT_FOLDER', column: 'lastName' },
      { code: 'LAYOUT_FOLDER', column: 'city' },
    ]);
    expect(faults[0]?.detail).toBe(
      'the header calls column 3 "Nachname", which is no title that is known, here it is "First Name"',
    );
    expect(JSON.stringify(faults)).not.toContain('99999');
  });

  it('refuses more or fewer titles than columns', () => {
    expect(checkHeader({ line: 1, cells: cellsOf(CODE_HEADER) }, 'ach')).toMatchObject([
      { code: 'COLUMN_COUNT', line: 1, detail: 'the header has 4 columns, the rows have 7' },
    ]);
  });
});
