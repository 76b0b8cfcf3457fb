import { describe, expect, it } from 'vitest';
import type { FaultCode } from '../../../schemas/errors.ts';
import type { Profile } from '../../../schemas/profiles.ts';
import { encodeLines, EXAMPLE_FILES, type ExampleName, exampleProfile } from './support/example-files.ts';
import { judge, judgeChanged, type Judged } from './support/read-example.ts';

/** What a file of an example becomes after a change: R refused, H held, T taken. */
type Case = {
  readonly given: string;
  readonly name: ExampleName;
  readonly change?: (text: string) => string;
  readonly profile?: Profile;
  readonly verdict: Judged['verdict'];
  readonly codes?: readonly FaultCode[];
  /** Parts of the details of the faults. */
  readonly says?: readonly string[];
  /** Payments that are sent once the file is approved; by default those of the unchanged file, or none of a refused one. */
  readonly sent?: readonly string[];
};

const QUICKBOOKS = 'quickbooks-dues';
const XERO = 'xero-invoices';
const SAGE = 'sage-eft';
const BANK = 'bank-ach';
const EXCEL = 'excel-de';

const QUICKBOOKS_ROWS = ['1001 1200.00', '1002 80.00'];

const TITLES: readonly Case[] = [
  {
    given: 'titles in other case, with more blanks and no-break blanks',
    name: QUICKBOOKS,
    change: replaced(['Date,Transaction Type,Num', ' DATE ,transaction \u00a0TYPE,num\u00a0']),
    verdict: 'T',
  },
  {
    given: 'a renamed title',
    name: QUICKBOOKS,
    change: replaced(['Card Exp,', 'Expiration,']),
    verdict: 'R',
    codes: ['TITLES_DIFFER'],
    says: ['"Card Exp" went; "Expiration" came as column 11'],
  },
  {
    given: 'two columns exchanged',
    name: QUICKBOOKS,
    change: swapLastColumns,
    verdict: 'R',
    codes: ['TITLES_DIFFER'],
    says: ['"Open Balance" moved to column 14; "Amount" moved to column 13'],
  },
  {
    given: 'two columns exchanged where any order is allowed',
    name: QUICKBOOKS,
    change: swapLastColumns,
    profile: exampleProfile(QUICKBOOKS, ['within: 8', 'within: 8\n  order: any']),
    verdict: 'T',
  },
  {
    given: 'a new column at the end',
    name: XERO,
    change: (text) => text.replaceAll(/\n/g, ',1.00\n').replace('Status,1.00', 'Status,Fee'),
    verdict: 'R',
    codes: ['TITLES_DIFFER'],
    says: ['"Fee" came as column 15'],
  },
  {
    given: 'an empty column at the end',
    name: XERO,
    change: (text) => text.replaceAll('\n', ',\n'),
    verdict: 'R',
    codes: ['TITLES_DIFFER'],
    says: ['an empty column came as column 15'],
  },
  {
    given: 'the titles twice among the first lines',
    name: QUICKBOOKS,
    change: (text) => text.replace(/^Date,.*\n/m, '$&$&'),
    verdict: 'R',
    codes: ['TITLES_MISSING'],
    says: ['it stands on lines 5 and 6'],
  },
  {
    given: 'the titles once more among the rows',
    name: QUICKBOOKS,
    change: (text) => text.replace(/^(Date,.*\n)(.*\n)(.*\n)(.*\n)/m, '$1$2$3$4$1'),
    verdict: 'R',
    codes: ['ROW_MISPLACED'],
    says: ['the titles stand there again'],
  },
  {
    given: 'no titles at all',
    name: QUICKBOOKS,
    change: (text) => text.replace(/^Date,.*\n/m, ''),
    verdict: 'R',
    codes: ['TITLES_MISSING'],
    says: ['it is not among the first 8 lines'],
  },
  {
    given: 'another company above the titles',
    name: QUICKBOOKS,
    change: replaced(['Acme Swim Club', 'Acme Golf Club']),
    verdict: 'R',
    codes: ['ABOVE_DIFFERS'],
    says: ['"Acme Swim Club Inc"'],
  },
  {
    given: 'semicolons for commas',
    name: QUICKBOOKS,
    change: (text) => text.replaceAll(/"[^"]*"|,/g, (part) => (part === ',' ? ';' : part)),
    verdict: 'R',
    codes: ['TITLES_DIFFER'],
    says: ['1 column, expected 14; they seem to be separated by semicolons'],
  },
  {
    given: 'a title that names a security code',
    name: QUICKBOOKS,
    change: replaced(['Memo/Description', 'CVV']),
    verdict: 'R',
    codes: ['SECURITY_CODE', 'TITLES_DIFFER'],
  },
  {
    given: 'two equal titles, told apart by their place',
    name: XERO,
    change: replaced(['ContactName,', 'Reference,']),
    profile: exampleProfile(
      XERO,
      ['[ContactName', '[Reference'],
      ['from: Reference', 'from: Reference#2'],
      ['ignore: [ContactName', 'ignore: [Reference#1'],
    ),
    verdict: 'T',
  },
];

const BYTES: readonly Case[] = [
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

const ROWS: readonly Case[] = [
  {
    given: 'invoices and card numbers exchanged under the right titles',
    name: QUICKBOOKS,
    change: (text) => text.replaceAll(/,(100\d),(.*),([45][\d ]{15,}),/g, ',$3,$2,$1,'),
    verdict: 'R',
  },
  {
    given: 'one amount of many with a mark for thousands that the profile does not have',
    name: XERO,
    change: (text) => text + manyRows(99) + xeroRow('X-1', '"1,200.00"'),
    verdict: 'H',
    codes: ['NUMBER_FORMAT'],
    sent: ['INV-0042 120.00', 'INV-0043 60.00', ...Array.from({ length: 99 }, (_, row) => `N-${row} 25.00`)],
  },
  {
    given: 'a row whose parts are off by a cent',
    name: XERO,
    change: replaced(['120.00,20.00,0.00,120.00', '120.01,20.00,0.00,120.00']),
    verdict: 'H',
    codes: ['SUM_DIFFERS'],
    says: ['"Total": the others add up to 120.00'],
    sent: ['INV-0043 60.00'],
  },
  {
    given: 'a part that is no amount',
    name: XERO,
    change: replaced(['120.00,20.00,0.00,120.00', '120.00,20.00,none,120.00']),
    verdict: 'H',
    codes: ['NUMBER_FORMAT'],
    sent: ['INV-0043 60.00'],
  },
  {
    given: 'another currency',
    name: XERO,
    change: replaced(['120.00,GBP', '120.00,EUR']),
    verdict: 'H',
    codes: ['CELL_WORD'],
    says: ['"Currency"'],
    sent: ['INV-0043 60.00'],
  },
  {
    given: 'an unlisted status',
    name: XERO,
    change: replaced(['Sales invoice,Awaiting', 'Sales invoice,Scheduled']),
    verdict: 'H',
    codes: ['WORD_UNLISTED'],
    says: ['"Status"'],
    sent: ['INV-0043 60.00'],
  },
  {
    given: 'a listed status of rows that are left out',
    name: XERO,
    verdict: 'T',
    codes: ['PROFILE_SKIPPED'],
    says: ['Status: Paid, 1 row, sum 0.00; Type: Sales credit note, 1 row, sum 10.00'],
  },
  {
    given: 'an invoice that comes again with the same amount',
    name: XERO,
    change: replaced(
      ['INV-0043', 'INV-0042'],
      ['B0018', 'B0017'],
      ['90.00,15.00,30.00,60.00', '120.00,20.00,0.00,120.00'],
    ),
    verdict: 'H',
    codes: ['INVOICE_REPEATED'],
    says: ['"InvoiceNumber": the first is on line 2'],
    sent: ['INV-0042 120.00', 'INV-0042 120.00'],
  },
  {
    given: 'an invoice that comes again with another amount',
    name: XERO,
    change: replaced(['INV-0043', 'INV-0042']),
    verdict: 'H',
    codes: ['INVOICE_REPEATED'],
    sent: ['INV-0042 120.00', 'INV-0042 60.00'],
  },
  {
    given: 'an invoice that comes again, where that is allowed',
    name: XERO,
    change: replaced(['INV-0043', 'INV-0042']),
    profile: exampleProfile(XERO, ['repeatedInvoice: hold', 'repeatedInvoice: allow']),
    verdict: 'T',
    sent: ['INV-0042 120.00', 'INV-0042 60.00'],
  },
  {
    given: 'a blank row where none is allowed',
    name: QUICKBOOKS,
    profile: exampleProfile(QUICKBOOKS, ['rows:', 'rows:\n  blank: refuse']),
    verdict: 'R',
    codes: ['ROW_MISPLACED'],
    says: ['a blank row'],
  },
  {
    given: 'refunds among charges',
    name: XERO,
    change: replaced(['90.00,15.00,30.00,60.00', '-90.00,15.00,-30.00,-60.00']),
    verdict: 'H',
    sent: ['INV-0042 120.00'],
  },
  {
    given: 'refunds among charges, which the profile leaves out',
    name: XERO,
    change: replaced(['90.00,15.00,30.00,60.00', '-90.00,15.00,-30.00,-60.00']),
    profile: exampleProfile(XERO, ['repeatedInvoice: hold', 'otherSign: skip']),
    verdict: 'T',
    says: ['other sign, 1 row, sum -60.00'],
    sent: ['INV-0042 120.00'],
  },
];

const TOTALS: readonly Case[] = [
  {
    given: 'a total that is off by a cent',
    name: QUICKBOOKS,
    change: replaced(['"1,280.00","1,280.00"', '"1,280.00","1,280.01"']),
    verdict: 'H',
    codes: ['TOTAL_DIFFERS'],
    says: ['"Amount": the total row says 1280.01, the rows add up to 1280.00'],
  },
  {
    given: 'a total that is no amount',
    name: QUICKBOOKS,
    change: replaced(['"1,280.00","1,280.00"', '"1,280.00",1280']),
    verdict: 'H',
    codes: ['TOTAL_DIFFERS'],
  },
  {
    given: 'a total over all rows',
    name: QUICKBOOKS,
    change: replaced(['"1,280.00","1,280.00"', '"1,280.00","1,220.00"']),
    profile: exampleProfile(QUICKBOOKS, ['of: taken', 'of: all']),
    verdict: 'T',
  },
  {
    given: 'no total row',
    name: QUICKBOOKS,
    change: (text) => text.replace(/^TOTAL[^]*/m, ''),
    verdict: 'H',
    codes: ['TOTAL_MISSING'],
    says: ['no row has "Date" "TOTAL"'],
  },
  {
    given: 'the total row twice',
    name: QUICKBOOKS,
    change: (text) => text.replace(/^TOTAL.*\n/m, '$&$&'),
    verdict: 'H',
    codes: ['TOTAL_MISSING'],
    says: ['the first is on line 9'],
  },
  {
    given: 'no total row where it may be missing',
    name: EXCEL,
    change: (text) => text.replace(/^Summe.*\n/m, ''),
    verdict: 'T',
  },
  {
    given: 'another number of rows in the total row',
    name: BANK,
    change: replaced(['T,2,', 'T,3,']),
    verdict: 'H',
    codes: ['TOTAL_DIFFERS'],
    says: ['column 2: the total row says 3 rows, there are 2'],
  },
  {
    given: 'a total row with the cells of a row',
    name: BANK,
    change: replaced(['T,2,0000014345', 'T,2,0000014345,,,,,']),
    verdict: 'R',
    codes: ['COLUMN_COUNT'],
    says: ['8 columns, expected 3'],
  },
  {
    given: 'a total row that is a whole payment',
    name: EXCEL,
    change: replaced(['Summe;;;;;;;1.469,12;;;', '15.06.2026;R-9;Eve;Summe;;;;1.469,12;Visa;4111111111111111;12/35']),
    profile: exampleProfile(EXCEL, ['column: Datum, is: Summe', 'column: Nachname, is: summe']),
    verdict: 'H',
    codes: ['SKIPPED_PAYMENT'],
    says: ['it is taken for a total row'],
  },
  {
    given: 'a skip rule that eats a payment',
    name: SAGE,
    change: replaced(['Total for HOP02,,,,30.00,,,', 'Total for HOP02,Hopper,5003,,30.00,,Savings,010,00012,98765']),
    profile: exampleProfile(SAGE, [', { column: Document No, empty: true }', '']),
    verdict: 'R',
    codes: ['COLUMN_COUNT'],
  },
  {
    given: 'a skip rule that fits a payment',
    name: SAGE,
    change: replaced([
      'Total for HOP02,,,,30.00,,,,,,',
      'Total for HOP02,Hopper,5003,,30.00,,Savings,010,00012,98765,',
    ]),
    profile: exampleProfile(SAGE, [', { column: Document No, empty: true }', '']),
    verdict: 'H',
    codes: ['SKIPPED_PAYMENT'],
    says: ['it is left out as "subtotal"'],
  },
  {
    given: 'subtotals, which are left out',
    name: SAGE,
    verdict: 'T',
    says: ['subtotal, 2 rows, sum 1050.00'],
  },
  {
    given: 'a third line behind the total row',
    name: QUICKBOOKS,
    change: (text) => `${text}Printed by Ada\nPage 1\n`,
    verdict: 'R',
    codes: ['ROW_MISPLACED'],
    says: ['more than 2 lines at the end'],
  },
  {
    given: 'two filled cells behind the total row',
    name: QUICKBOOKS,
    change: (text) => `${text}Printed by,Ada\n`,
    verdict: 'R',
    codes: ['ROW_MISPLACED'],
  },
  {
    given: 'a payment behind the total row',
    name: BANK,
    change: (text) => `${text}D,27,021000021,40000000,0000002000,Ada Byron,D00000044,X\n`,
    verdict: 'R',
    codes: ['ROW_MISPLACED'],
  },
];

describe.each([
  ['titles', TITLES],
  ['bytes', BYTES],
  ['rows', ROWS],
  ['total rows', TOTALS],
])('%s', (_, cases) => {
  it.each(cases)('$given: $verdict', async ({ name, change = same, profile, verdict, codes = [], says = [], sent }) => {
    const judged = await judgeChanged(name, change, profile);
    expect(judged.verdict).toBe(verdict);
    expect(judged.codes).toEqual(expect.arrayContaining([...codes]));
    const details = judged.faults.map(({ detail }) => detail ?? '').join('\n');
    for (const words of says) expect(details).toContain(words);
    const expected = sent ?? (verdict === 'R' ? [] : (await judgeChanged(name, same)).sent);
    expect(judged.sent).toEqual(expected);
  });
});

describe('character sets', () => {
  const { lines } = EXAMPLE_FILES[QUICKBOOKS];
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

describe('the dates of a file', () => {
  const DATED = exampleProfile(QUICKBOOKS, ['format: MM/DD/YYYY', 'format: DD/MM/YYYY'], ['must: once', 'must: maybe']);
  const YYMM = exampleProfile(QUICKBOOKS, ['format: MM/YYYY', 'format: MMYY'], ['must: once', 'must: maybe']);

  it('are doubted if they lie close together with day and month exchanged', async () => {
    const rows = Array.from({ length: 12 }, (_, day) =>
      duesRow({ date: `06/${String(day + 1).padStart(2, '0')}/2026`, invoice: day }),
    );
    const judged = await judgeChanged(QUICKBOOKS, withRows(rows), DATED);
    expect(judged.verdict).toBe('H');
    expect(judged.codes).toContain('DATE_DOUBT');
    const [{ detail } = {}] = judged.faults.filter(({ code }) => code === 'DATE_DOUBT');
    expect(detail).toContain('from 2026-01-06 to 2026-12-06');
    expect(detail).toContain('exchanged, they go from 2026-06-01 to 2026-06-12');
  });

  it.each([
    ['spread over the year in both orders', ['01/02/2026', '05/06/2026', '11/12/2026']],
    ['one cannot be exchanged', ['06/01/2026', '06/12/2026', '15/06/2026']],
    ['all are the same day', ['06/06/2026', '06/06/2026']],
  ])('are not doubted if %s', async (_, dates) => {
    const rows = dates.map((date, invoice) => duesRow({ date, invoice }));
    expect((await judgeChanged(QUICKBOOKS, withRows(rows), DATED)).codes).not.toContain('DATE_DOUBT');
  });

  it('are doubted if many are far away, and near with day and month exchanged', async () => {
    const rows = ['15/06/2026', '16/06/2026', '12/01/2026', '01/12/2027', '02/12/2027'].map((date, invoice) =>
      duesRow({ date, invoice }),
    );
    const near = exampleProfile(
      QUICKBOOKS,
      ['format: MM/DD/YYYY', 'format: DD/MM/YYYY'],
      ['must: once', 'must: maybe'],
      ['columns:', 'check: { dates: { back: 366, ahead: 500 } }\ncolumns:'],
    );
    const judged = await judgeChanged(QUICKBOOKS, withRows(rows), near);
    expect(judged.codes.filter((code) => code === 'DATE_OUTSIDE')).toHaveLength(2);
    expect(judged.verdict).toBe('H');
  });

  it('hold the file one by one if they are too far away, and can be approved', async () => {
    const rows = [duesRow({ date: '15/06/2026', invoice: 1 }), duesRow({ date: '16/06/2024', invoice: 2 })];
    const judged = await judgeChanged(QUICKBOOKS, withRows(rows), DATED);
    expect(judged.faults).toContainEqual(
      expect.objectContaining({ code: 'DATE_OUTSIDE', line: 7, column: 'date', detail: '"Date": 729 days ago' }),
    );
    expect(judged.sent).toEqual(['1 25.00', '2 25.00']);
  });

  it.each([
    ['cannot be a month', '2711', 'FORMAT_DIFFERS'],
    ['is past either way', '1112', 'EXPIRY_DOUBT'],
  ] as const)('are doubted if the expiry has month and year exchanged and %s', async (_, expiry, code) => {
    const rows = Array.from({ length: 50 }, (_, invoice) => duesRow({ invoice, expiry }));
    const judged = await judgeChanged(QUICKBOOKS, withRows(rows), YYMM);
    expect(judged.codes).toContain(code);
    expect(judged.codes).toContain('EXPIRY_DOUBT');
    expect(judged.verdict).toBe('H');
    expect(judged.sent).toEqual([]);
  });

  it('are not doubted if many cards have only expired', async () => {
    const rows = Array.from({ length: 50 }, (_, invoice) =>
      duesRow({ invoice, expiry: invoice % 2 ? '0426' : '1228' }),
    );
    expect((await judgeChanged(QUICKBOOKS, withRows(rows), YYMM)).codes).not.toContain('EXPIRY_DOUBT');
  });
});

describe('every line of a file', () => {
  it('is counted in one kind', async () => {
    const { findings, lines } = await judgeChanged(QUICKBOOKS, same);
    expect(findings.lines).toEqual({
      ...{ above: 4, titles: 1, payment: 2, skipped: 1, total: 1, blank: 1, tail: 1 },
      ...{ continued: 0, unread: 0 },
    });
    expect(lines.map(({ kind }) => kind).join(' ')).toBe(
      'above above above above titles payment payment skipped total blank tail',
    );
    expect(findings.skipped).toEqual([{ name: 'Transaction Type: Payment', rows: 1, cents: -6_000 }]);
  });

  it('keeps the cells of the sender, and none of a file that holds security codes', async () => {
    const read = await judgeChanged(QUICKBOOKS, same);
    expect(read.lines[5]!.cells[3]).toBe('Byron, Ada');
    const codes = await judgeChanged(QUICKBOOKS, replaced(['Memo/Description', 'CVV']));
    expect(codes.lines.flatMap(({ cells }) => cells)).toEqual([]);
  });

  it('adds up in cents, where floating point would be off', async () => {
    const rows = Array.from({ length: 2_000 }, (_, row) => xeroRow(`S-${row}`, '0.30', ['0.10', '0.20'][row % 2]!));
    const judged = await judgeChanged(XERO, (text) => text + rows.join(''));
    expect(judged.codes).toEqual(['PROFILE_SKIPPED']);
  });

  it('masks a cell in its fault', async () => {
    const judged = await judgeChanged(SAGE, replaced(['1234567,Dues', '1234567X,Dues']));
    const [fault] = judged.faults.filter(({ code }) => code === 'DIGIT_COUNT');
    expect(fault).toMatchObject({ line: 2, column: 'accountNumber' });
    expect(fault!.detail).toMatch(/^"Bank Account"/);
    expect(JSON.stringify(judged.faults)).not.toMatch(/\d{5}/);
  });
});

function same(text: string): string {
  return text;
}

function replaced(...changes: readonly (readonly [from: string, to: string])[]): (text: string) => string {
  return (text) =>
    changes.reduce((changed, [from, to]) => {
      expect(changed).toContain(from);
      return changed.replace(from, to);
    }, text);
}

/** Exchanges Open Balance and Amount, which have the same cells in each row but the titles. */
function swapLastColumns(text: string): string {
  return text.replace('Open Balance,Amount', 'Amount,Open Balance');
}

function xeroRow(invoice: string, due: string, paid = '0.00'): string {
  const cents = (amount: string) => Math.round(Number(amount.replaceAll(/[",]/g, '')) * 100);
  const total = ((cents(due) + cents(paid)) / 100).toFixed(2);
  return `Byron Ltd,B0017,,${invoice},,15/06/2026,30/06/2026,${total},0.00,${paid},${due},GBP,Sales invoice,Awaiting Payment\n`;
}

function manyRows(count: number): string {
  return Array.from({ length: count }, (_, row) => xeroRow(`N-${row}`, '25.00')).join('');
}

type Dues = { date?: string; invoice: number; expiry?: string };

function duesRow({ date = '15/06/2026', invoice, expiry = '12/2035' }: Dues): string {
  return `${date},Invoice,${invoice},"Byron, Ada",1 Mill Lane,Troy,NY,12180,Visa,4222222222222220,${expiry},,25.00,25.00\n`;
}

/** Puts other rows in place of those of the example. */
function withRows(rows: readonly string[]): (text: string) => string {
  return (text) => text.replace(/^(Date,.*\n)[^]*/m, (_, titles: string) => titles + rows.join(''));
}

function excelText(): string {
  return EXAMPLE_FILES[EXCEL].lines.map(([sender]) => `${sender}\n`).join('');
}

function encoded(text: string): Buffer {
  return encodeLines([text], exampleProfile(EXCEL), '');
}

function changeByte(from: number, to: number): Buffer {
  const bytes = encoded(excelText());
  bytes[bytes.indexOf(from)] = to;
  return bytes;
}
