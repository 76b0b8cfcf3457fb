import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cellSplitter, endsInQuotes } from '../../../../src/csv/profile/read/split-dialect.ts';
import { splitCells, splitQuoted } from '../../../../src/csv/read/split-cells.ts';
import { encodeLines, EXAMPLE_FILES, exampleProfile } from '../support/example-files.ts';
import { type FileCase, replaced, testCases } from '../support/file-cases.ts';
import { judge } from '../support/read-example.ts';
import type { Title } from '../../../../schemas/profiles.ts';
import { mayBeCut } from '../../../../src/csv/profile/read/source-rows.ts';

const split = cellSplitter({ separator: ';', quotes: 'double' });

describe('a line of a dialect', () => {
  it.each([
    ['a;b;c', ['a', 'b', 'c']],
    ['', ['']],
    [';;', ['', '', '']],
    [' a ; b ', [' a ', ' b ']],
    ['"a;b";c', ['a;b', 'c']],
    ['"a""b";""', ['a"b', '']],
    [' "a" ; "b"', ['a', 'b']],
    ['""""', ['"']],
    ['="00123";x', ['="00123"', 'x']],
    ['"=""00123""";x', ['="00123"', 'x']],
    ['a,b;c', ['a,b', 'c']],
  ])('%s becomes %j', (text, cells) => {
    expect(split(text)).toEqual(cells);
  });

  it.each([
    ['5" pipe;b', 'STRAY_QUOTE'],
    ['"a"b;c', 'STRAY_QUOTE'],
    ['"a" "b"', 'STRAY_QUOTE'],
    ['="0;1";x', 'STRAY_QUOTE'],
    ['"a;b', 'LINE_BREAK'],
    ['a;"b""', 'LINE_BREAK'],
  ])('%s is refused as %s', (text, code) => {
    expect(split(text)).toBe(code);
  });

  it('may hold no quote in a dialect without quotes', () => {
    const plain = cellSplitter({ separator: '|', quotes: 'none' });
    expect(plain('a|b')).toEqual(['a', 'b']);
    expect(plain('a|"b"')).toBe('STRAY_QUOTE');
  });

  it('gives back all cells that were written by RFC 4180', () => {
    const cell = fc.string({ unit: fc.constantFrom('a', ';', '"', ' ', '=', 'é'), maxLength: 6 });
    fc.assert(
      fc.property(fc.array(cell, { minLength: 1, maxLength: 6 }), (cells) => {
        const line = cells.map((text) => `"${text.replaceAll('"', '""')}"`).join(';');
        expect(split(line)).toEqual(cells);
        expect(endsInQuotes(line)).toBe(false);
      }),
    );
  });

  it('has the cells that it has in a plain payment file, or is refused', () => {
    const commas = cellSplitter({ separator: ',', quotes: 'double' });
    const trimmed = (cells: readonly string[]) => cells.map((cell) => cell.trim());
    const line = fc.string({ unit: fc.constantFrom('a', ',', ',', '"', ' ', '='), maxLength: 12 });
    fc.assert(
      fc.property(line, (text) => {
        const cells = commas(text);
        const [plain] = splitCells([{ number: 1, text, tooLong: false }]);
        if (typeof cells !== 'string') expect(trimmed(cells)).toEqual(trimmed(plain!.cells));
        // Odd quotes are left to csv-parse there, which is lenient with some.
        else expect(splitQuoted(text)).toBeUndefined();
      }),
      { numRuns: 500 },
    );
  });
});

const QUICKBOOKS = 'quickbooks-dues';
const SAGE = 'sage-eft';
const BANK = 'bank-ach';
const EXCEL = 'excel-de';

const BYTES: readonly FileCase[] = [
  {
    given: 'a line that names the separator, where none is allowed',
    name: EXCEL,
    profile: exampleProfile(EXCEL, [', sepLine: allow', '']),
    verdict: 'R',
    codes: ['SEPARATOR_LINE'],
  },
  {
    given: 'a line that names another separator',
    name: EXCEL,
    change: replaced(['sep=;', 'sep=,']),
    verdict: 'R',
    codes: ['SEPARATOR_LINE'],
    says: ['the profile says semicolon'],
  },
  {
    given: 'no line that names the separator, where one is allowed',
    name: EXCEL,
    change: replaced(['sep=;\n', '']),
    verdict: 'T',
  },
  {
    given: 'a row with a comma that is not quoted',
    name: QUICKBOOKS,
    change: replaced(['"Byron, Ada",1 Mill', 'Byron, Ada,1 Mill']),
    verdict: 'R',
    codes: ['COLUMN_COUNT'],
    says: ['15 columns, expected 14'],
  },
  {
    given: 'a quote in a dialect without quotes',
    name: BANK,
    change: replaced(['Ada Byron', '"Ada Byron"']),
    verdict: 'R',
    codes: ['STRAY_QUOTE'],
  },
  {
    given: 'a line end within quotes',
    name: SAGE,
    change: replaced(['1234567,Dues', '1234567,"Du\nes"']),
    verdict: 'R',
    codes: ['LINE_BREAK'],
  },
  {
    given: 'a line end within quotes, where it is read as a space',
    name: SAGE,
    change: replaced(['1234567,Dues', '1234567,"Du\nes"']),
    profile: exampleProfile(SAGE, ['separator: comma', 'separator: comma, lineBreaks: space']),
    verdict: 'T',
  },
  {
    given: 'a security code in an extra column behind the expiry',
    name: BANK,
    profile: exampleProfile(BANK),
    change: replaced(['D00000042,X', 'D00000042,X,123']),
    verdict: 'R',
    codes: ['COLUMN_COUNT'],
  },
  {
    given: 'a security code in an extra cell behind the expiry of a card',
    name: QUICKBOOKS,
    change: replaced(['12/2035,June', '12/2035,123,June']),
    verdict: 'R',
    codes: ['SECURITY_CODE'],
  },
];

describe('bytes', () => testCases(BYTES));

describe('character sets', () => {
  const lines = EXAMPLE_FILES[QUICKBOOKS];
  const senders = lines.map(([sender]) => sender);
  const made = lines.map(([, layout]) => `${layout}\n`).join('');

  it('reads a byte order mark and CRLF like neither', async () => {
    const profile = exampleProfile(QUICKBOOKS);
    const bytes = Buffer.from(`\ufeff${senders.join('\r\n')}\r\n`);
    expect(await judge(QUICKBOOKS, profile, bytes)).toMatchObject({ made, verdict: 'T' });
  });

  it('reads utf-16 with its mark, and refuses it without', async () => {
    const profile = exampleProfile(QUICKBOOKS, ['charset: utf-8', 'charset: utf-16']);
    const bytes = encodeLines(senders, profile);
    expect(await judge(QUICKBOOKS, profile, bytes)).toMatchObject({ made, verdict: 'T' });
    const swapped = Buffer.from(bytes).swap16();
    expect(await judge(QUICKBOOKS, profile, swapped)).toMatchObject({ made, verdict: 'T' });
    const unmarked = await judge(QUICKBOOKS, profile, bytes.subarray(2));
    expect(unmarked.verdict).toBe('R');
    expect(unmarked.codes).toContain('NOT_CSV');
    expect(unmarked.made.trim()).toBe('');
  });

  it.each([
    ['UTF-8 letters in windows-1252', Buffer.from(excelText()), 'CHARSET_DOUBT'],
    ['a UTF-8 mark in windows-1252', Buffer.from(`\ufeff${excelText()}`), 'CHARSET_DOUBT'],
    ['an undefined byte in windows-1252', changeByte(0xfc, 0x81), 'ENCODING'],
  ] as const)('refuses %s', async (_, bytes, code) => {
    const judged = await judge(EXCEL, exampleProfile(EXCEL), bytes);
    expect(judged.verdict).toBe('R');
    expect(judged.codes).toContain(code);
  });

  it('takes a windows-1252 file where one of many letters cannot be UTF-8', async () => {
    const bytes = Buffer.concat([encoded(excelText().replace('Mühlweg 1', 'MÃ¼hlweg ü'))]);
    expect((await judge(EXCEL, exampleProfile(EXCEL), bytes)).verdict).toBe('T');
  });

  it('refuses bytes that are not UTF-8 and names the line', async () => {
    const text = senders.map((line) => `${line}\n`).join('');
    const bytes = Buffer.from(text.replace('Pool Service', 'Pööl Service'), 'latin1');
    const judged = await judge(QUICKBOOKS, exampleProfile(QUICKBOOKS), bytes);
    expect(judged.verdict).toBe('R');
    expect(judged.faults).toContainEqual(expect.objectContaining({ code: 'ENCODING', line: 7 }));
  });
});

function excelText(): string {
  return EXAMPLE_FILES[EXCEL].map(([sender]) => `${sender}\n`).join('');
}

function encoded(text: string): Buffer {
  return encodeLines([text], exampleProfile(EXCEL), '');
}

function changeByte(from: number, to: number): Buffer {
  const bytes = encoded(excelText());
  bytes[bytes.indexOf(from)] = to;
  return bytes;
}

describe('a last line without a line end', () => {
  it.each<[Parameters<typeof exampleProfile>[0], Title, boolean]>([
    ['sage-eft', 'Bank Account', true],
    ['sage-eft', 'Document No', true],
    ['sage-eft', 'Debit', false],
    ['sage-eft', 'Details', false],
    ['sage-eft', 'Doc Date', false],
    ['xero-invoices', 'Status', false],
    ['xero-invoices', 'AccountNumber', true],
    ['blackbaud-gifts', 'Credit Type', false],
    ['blackbaud-gifts', 'Credit Card Number', false],
    ['excel-de', 'Betrag', true],
    ['bank-ach', 4, true],
    ['bank-ach', 5, false],
  ])('of %s, where "%s" is the last column, may be the beginning of another payment: %s', (name, title, isSo) => {
    expect(mayBeCut(exampleProfile(name), title)).toBe(isSo);
  });

  const withCodeLast = (lines: string[]) => lines.map((line) => line.replace(/^([^,]*),([^,]*),(.*)$/, '$1,$3,$2'));
  const cutOff = (text: string) => text.slice(0, -1);
  testCases([
    {
      given: 'a payment that ends with its customer code',
      name: 'xero-invoices',
      change: (text) => withCodeLast(text.split('\n').slice(0, 3)).join('\n'),
      profile: exampleProfile('xero-invoices', ['head:\n', 'head:\n  order: any\n']),
      verdict: 'H',
    },
    {
      given: 'a row that is left out at the end',
      name: 'xero-invoices',
      change: cutOff,
      verdict: 'T',
    },
    { given: 'a total row at the end', name: 'excel-de', change: cutOff, verdict: 'T' },
  ]);
});
