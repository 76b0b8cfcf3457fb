import { describe, expect, it } from 'vitest';
import { encodeLines, EXAMPLE_FILES, exampleProfile } from '../support/example-files.ts';
import { type FileCase, replaced, testCases } from '../support/file-cases.ts';
import { judge } from '../support/read-example.ts';

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
    expect(unmarked.codes).toContain('CHARSET_DOUBT');
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
