import { describe, expect, it } from 'vitest';
import { checkHeader, holdsSecurityCode, isHeader, titlesSecurityCode } from '../../../src/csv/check/find-header.ts';
import { achLine, CARD_HEADER, cardLine, OTHER_VISA, VISA } from '../support.ts';
import { checkLayout, chooseLayout, columnCountFault, findSeparator } from '../../../src/csv/check/choose-layout.ts';
import { type ColumnName, COLUMNS } from '../../../schemas/layouts.ts';
import { columnsNearTitle, columnsOfTitle, namesSecurityCode } from '../../../src/csv/check/column-titles.ts';

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
    ['ach-charge', 'Datum,Zeichen,Wert'],
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
    expect(faults[0]?.detail).toBe('the header calls column 3 "Last Name", but here it is "First Name"');
  });

  it('refuses a title that is not known beside those that are, because anything may stand under it', () => {
    const header = CARD_HEADER.replace('First Name,Last Name', 'Sukunimi,').replace('City', `Ort ${'9'.repeat(40)}`);
    const faults = checkHeader({ line: 1, cells: cellsOf(header) }, 'card');
    expect(faults).toMatchObject([
      { code: 'LAYOUT_FOLDER', column: 'firstName' },
      { code: 'LAYOUT_FOLDER', column: 'lastName' },
      { code: 'LAYOUT_FOLDER', column: 'city' },
    ]);
    expect(faults[0]?.detail).toBe(
      'the header calls column 3 "Sukunimi", which is not a known title, but here it is "First Name"',
    );
    expect(JSON.stringify(faults)).not.toContain('99999');
  });

  it('refuses more or fewer titles than columns', () => {
    expect(checkHeader({ line: 1, cells: cellsOf(CODE_HEADER) }, 'ach')).toMatchObject([
      { code: 'COLUMN_COUNT', line: 1, detail: 'the header has 4 columns, the rows have 7' },
    ]);
  });
});

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
    expect(
      checkLayout(layout, { operation: 'card', account: { country }, folder: {} }).map((fault) => fault.code),
    ).toEqual(codes);
  });

  it.each([
    ['card', 'CA', 'card, without customer codes, US and UK clients; the account is in CA and takes 4 or 7 columns'],
    ['card-ca', 'UK', 'card, without customer codes, Canadian clients; the account is in UK and takes 4 or 12 columns'],
  ] as const)('says of %s in %s what the account takes', (layout, country, detail) => {
    const rules = { operation: 'card', account: { country }, folder: {} } as const;
    expect(checkLayout(layout, rules)).toEqual([{ code: 'LAYOUT_COUNTRY', line: 0, detail }]);
  });

  it('takes the layout of the folder only', () => {
    const rules = { operation: 'card', account: { country: 'US' }, folder: { layout: 'card' } } as const;
    expect(checkLayout('card', rules)).toEqual([]);
    expect(checkLayout('card-code', rules)).toMatchObject([{ code: 'LAYOUT_FOLDER', line: 0 }]);
  });
});

describe('columnCountFault', () => {
  const cells = (count: number) => ({ line: 5, cells: Array<string>(count).fill('x') });

  it.each([
    [cells(13), 'card', 'card', '13 columns, expected 12'],
    [cells(1), 'ach-charge', 'ach', '1 column, expected 7'],
    [cells(5), 'card', undefined, '5 columns, expected 4 or 12'],
    [
      { line: 5, cells: ['a;b;c;d'] },
      'ach-refund',
      undefined,
      '1 column, expected 4 or 7; they seem to be separated by semicolons',
    ],
  ] as const)('counts the columns', (row, operation, layout, detail) => {
    const rules = { operation, account: { country: 'US' } } as const;
    expect(columnCountFault(row, rules, layout)).toEqual({ code: 'COLUMN_COUNT', line: 5, detail });
  });
});

describe('findSeparator', () => {
  const linesOf = (...texts: string[]) => texts.map((text, index) => ({ number: index + 1, text, tooLong: false }));

  it.each([
    ['semicolons', ['a;b;c;d', 'e;f;1,50;g']],
    ['semicolons', ['"Report of June"', '"a";"b, c";"d";"e"', '"f";"g";"1,5";"h"', 'i;j;1,5;k']],
    ['tabs', ['a\tb\tc\td']],
    ['pipes', ['a|b|c|d', 'e|f|g|h']],
    [undefined, []],
    [undefined, ['a,b,c,d']],
    [undefined, ['a,b;b;b;b,c,d,e']],
    [undefined, ['a,"b;b;b;b"']],
    [undefined, ['a;b', 'c;d']],
    [undefined, ['a;b;c;d', 'one line of words', 'and another']],
  ])('finds %s in %j', (separator, texts) => {
    expect(findSeparator(linesOf(...texts))).toBe(separator);
  });
});

const CANADIAN = `06/15/2026,INV-1,Ada Byron,25.00,VISA,${VISA},1228`;

describe('holdsSecurityCode', () => {
  it.each([
    `${cardLine()},123`,
    `${cardLine()}, 1234 `,
    cardLine({ expiry: '123,1228' }),
    cardLine({ cardNumber: `123,${OTHER_VISA}` }),
    cardLine({ mop: '123,VISA' }),
    cardLine({ expiry: '12/28,123' }),
    `${cardLine({ cardNumber: '4222 2222 2222 2220' })},123`,
    `${CANADIAN},123`,
  ])('sees one in %s', (line) => {
    expect(holdsSecurityCode('card', line.split(','))).toBe(true);
  });

  it.each([
    cardLine(),
    CANADIAN,
    `${cardLine()},12`,
    `${cardLine()},12345`,
    `${cardLine()},abc`,
    `${cardLine()},`,
    `${cardLine()},123,`,
    `123,${cardLine()}`,
    cardLine({ street: '1 Some Road,204' }),
    cardLine({ street: '1 Some Road, Apt 4' }),
    `${'x,'.repeat(12)}123`,
  ])('sees none in %s', (line) => {
    expect(holdsSecurityCode('card', line.split(','))).toBe(false);
  });

  it('does not look into bank files', () => {
    expect(holdsSecurityCode('ach-charge', `${achLine()},123`.split(','))).toBe(false);
  });
});

describe('columnsOfTitle', () => {
  it.each(Object.keys(COLUMNS) as ColumnName[])('knows the title of %s in the words of the spec', (column) => {
    expect(columnsOfTitle(COLUMNS[column].title)).toContain(column);
  });

  it.each([
    ['INVOICE NO', 'invoice'],
    ['invoice_number', 'invoice'],
    ['Card Number', 'cardNumber'],
    ['Account # (no spaces or dashes)', 'accountNumber'],
    ['Amount (no currency sign)', 'amount'],
    [' zip  code ', 'zipCode'],
    ['Postal Code', 'zipCode'],
    ['Name', 'firstName'],
    ['Name', 'fullName'],
    ['Method of Payment', 'mop'],
    ['Montant', 'amount'],
    ['N° de carte', 'cardNumber'],
    ['Prénom', 'firstName'],
    ['Gültig bis', 'expiry'],
    ['Straße', 'street'],
    ['Código postal', 'zipCode'],
  ] as const)('takes %j for %s', (title, column) => {
    expect(columnsOfTitle(title)).toContain(column);
  });

  it.each(['', 'Solde', 'INV-1', 'Ada', '25.00', '#'])('takes %j for no title', (title) => {
    expect(columnsOfTitle(title)).toEqual([]);
  });

  it('gives a title more than one meaning only where people use it so', () => {
    const titles = ['Name', 'Amount', 'Customer', 'Card', 'Account', 'State', 'Address', 'Code'];
    expect(titles.filter((title) => columnsOfTitle(title).length > 1)).toEqual(['Name']);
  });
});

describe('namesSecurityCode', () => {
  it.each([
    'CVV',
    'cvv2',
    'CVC',
    'CVC2',
    'CID',
    'CSC',
    'Card CVV',
    'CVV Code',
    'Security Code',
    'card security code',
    'CVN',
    'Verification Code',
    'Kartenprüfnummer',
    'Código de seguridad',
  ])('knows %s', (title) => {
    expect(namesSecurityCode(title)).toBe(true);
  });

  it.each(['City', 'Code', 'Customer Code', 'Zip Code', 'Credit Card #', 'CV', '', '123', 'Social Security'])(
    'leaves %j alone',
    (title) => {
      expect(namesSecurityCode(title)).toBe(false);
    },
  );
});

describe('columnsNearTitle', () => {
  it.each([
    ['Amount due', 'amount'],
    ['OpenAmount', 'amount'],
    ['Ammount', 'amount'],
    ['Offener Betrag', 'amount'],
    ['Invoice Date', 'date'],
  ] as const)('takes %j for near %s', (title, column) => {
    expect(columnsNearTitle(title)).toContain(column);
  });

  it.each(['Balance', 'Tax', 'Status', ''])('takes %j for near none', (title) => {
    expect(columnsNearTitle(title)).toEqual([]);
  });
});
