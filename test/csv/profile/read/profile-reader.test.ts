import { describe, expect, it } from 'vitest';
import { exampleProfile } from '../support/example-files.ts';
import { replaced, same, xeroRow } from '../support/file-cases.ts';
import { judgeChanged, readBoth } from '../support/read-example.ts';
import { Profile } from '../../../../schemas/profiles.ts';

const QUICKBOOKS = 'quickbooks-dues';
const XERO = 'xero-invoices';
const SAGE = 'sage-eft';

describe('every line of a file', () => {
  it('is counted in one kind', async () => {
    const { findings, lines } = await judgeChanged(QUICKBOOKS, same);
    expect(findings.lines).toEqual({
      above: 4,
      titles: 1,
      payment: 2,
      skipped: 1,
      total: 1,
      blank: 1,
      tail: 1,
      continued: 0,
      unread: 0,
    });
    expect(lines.map(({ kind }) => kind).join(' ')).toBe(
      'above above above above titles payment payment skipped total blank tail',
    );
    expect(findings.skipped).toEqual([{ name: 'Transaction Type: Payment', rows: 1, cents: -6_000 }]);
  });

  it('is counted so with subtotals, blank rows and a time stamp', async () => {
    const third =
      'ZED03,Zed,5003,2026-06-15,1.00,,Savings,010,00012,98766,\nTotal for ZED03,,,,1.00,,,,,,\n,,,,,,,,,,\n\n';
    const { verdict, findings, sent } = await judgeChanged(
      SAGE,
      replaced(['Grand total,,,,"1,050.00",,,,,,\n', `${third}Grand total,,,,"1,051.00",,,,,,\nMonday 10:00\n`]),
      exampleProfile(SAGE, ['rows:', 'rows:\n  tail: 1']),
    );
    expect(verdict).toBe('T');
    expect(findings.lines).toMatchObject({ titles: 1, payment: 3, skipped: 3, blank: 2, total: 1, tail: 1, unread: 0 });
    expect(findings.skipped).toEqual([{ name: 'subtotal', rows: 3, cents: 105_100 }]);
    expect(sent).toEqual(['5001 1020.00', '5002 30.00', '5003 1.00']);
  });

  it('keeps the cells of the sender, and none of a file that holds security codes', async () => {
    const read = await judgeChanged(QUICKBOOKS, same);
    expect(read.lines[5]!.cells[3]).toBe('Byron, Ada');
    const codes = await judgeChanged(QUICKBOOKS, replaced(['Memo/Description', 'CVV']));
    expect(codes.lines.flatMap(({ cells }) => cells)).toEqual([]);
  });

  it('adds up in cents, where floating point would be off', async () => {
    const rows = Array.from({ length: 500 }, (_, row) => xeroRow(`S-${row}`, '0.10', row % 2 === 0 ? '0.20' : '0.70'));
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

  it.each(['004-10202-1234567', '1234567 at 10202', '123-45 67', '102021234567'])(
    'shows no part of a joined number in the fault of another cell: %s',
    async (copy) => {
      const judged = await judgeChanged(
        SAGE,
        replaced(['Chequing,004', `${copy},004`], [',Dues\n', `,\u00a1\u200b${copy}\n`]),
        exampleProfile(SAGE, ['charset: windows-1252', 'charset: utf-8']),
      );
      const faults = judged.faults.filter(({ line }) => line === 2);
      expect(faults.map(({ code }) => code)).toEqual(expect.arrayContaining(['WORD_UNLISTED', 'HIDDEN_CHARACTER']));
      expect(JSON.stringify(faults).replace(/[^\d*]/g, '')).not.toMatch(/\d{5}/);
    },
  );
});

describe('a row that is left out', () => {
  const subtotal = 'Total for HOP02,,,,30.00,,,,,,';

  it('holds the file when it has what a payment has, even with a word that nobody knows', async () => {
    const payment = 'Total for HOP02,Total Ltd,,2026-06-15,30.00,,Giro,010,00012,98766,';
    const profile = exampleProfile(SAGE, [', { column: Document No, empty: true }]', ']']);
    const held = await judgeChanged(SAGE, replaced([subtotal, payment.replace(',,2026', ',5009,2026')]), profile);
    expect(held.codes).toContain('SKIPPED_PAYMENT');
    expect(held.verdict).toBe('H');
    const taken = await judgeChanged(SAGE, replaced([subtotal, payment]), profile);
    expect(taken.codes).not.toContain('SKIPPED_PAYMENT');
  });
});

describe('a joined number', () => {
  it.each([
    '0004102021234567',
    '10202 1234567',
    'acct 2-123-4567',
    'acct 1234567, June',
    'June 123 45-67',
    '１２３４５６７',
  ])('is not sent as a text, whole or without its first parts: %s', async (copy) => {
    const changed = (text: string) => text.replace(',Dues\n', `,"${copy}"\n`);
    const judged = await judgeChanged(SAGE, changed, exampleProfile(SAGE, ['charset: windows-1252', 'charset: utf-8']));
    expect(judged.codes).toContain('CARD_NUMBER_IN_TEXT');
    expect(judged.sent).toEqual(['5002 30.00']);
  });

  it.each([
    ['a longer number', ',Dues\n', ',91234567\n'],
    ['an invoice, by chance', ',5001,', ',1234567,'],
    ['its first parts', ',Dues\n', ',004 at 10202\n'],
  ])('of few digits may stand in %s', async (_, from, to) => {
    expect((await judgeChanged(SAGE, replaced([from, to]))).verdict).toBe('T');
  });
});

const UNTITLED = Profile.parse({
  layout: 'card-ca',
  read: { charset: 'utf-8', separator: 'semicolon' },
  head: { titles: 'none', count: 8 },
  columns: {
    date: { from: 1, format: 'YYYY-MM-DD' },
    invoice: { from: 2, shape: { starts: ['N-'] } },
    fullName: { from: 3 },
    amount: { from: 4, number: { decimal: '.' }, sign: 'as-written' },
    mop: { from: 5, words: { VISA: 'VISA' } },
    cardNumber: { from: 6 },
    expiry: { from: 7, format: 'MM/YY' },
  },
  ignore: [8],
});

function row(invoice: number, last: string): string {
  return `2026-06-15;N-${invoice};Ada Byron;25.00;VISA;4222222222222220;12/28;${last}`;
}

async function codesOf(lines: readonly string[]) {
  const bytes = Buffer.from(lines.map((line) => `${line}\n`).join(''));
  const { faults, lines: read } = await readBoth(bytes, UNTITLED, { operation: 'card', today: '2026-06-15' });
  return { codes: faults.map(({ code }) => code), read };
}

describe('a column without a title that is not sent', () => {
  it.each([
    ['holds three or four digits in each row', ['123', '4567'], ['SECURITY_CODE']],
    ['holds them in the only row', ['123'], ['SECURITY_CODE']],
    ['holds the same in each row', ['123', '123'], []],
    ['holds a text in one row', ['123', 'x', '456'], []],
    ['is empty', ['', ''], []],
  ])('%s', async (_, cells, codes) => {
    expect((await codesOf(cells.map((cell, invoice) => row(invoice, cell)))).codes).toEqual(codes);
  });
});

describe('a cell too many', () => {
  it.each([
    ['behind the expiry', row(1, 'x').replace('12/28', '12/28;123'), 'SECURITY_CODE'],
    ['at the end', row(1, 'x;1234'), 'SECURITY_CODE'],
    ['within the name', row(1, 'x').replace('Ada', '123;Ada'), 'COLUMN_COUNT'],
    ['in a row that is no payment without it', row(1, 'x;1234').replace('25.00', 'much'), 'COLUMN_COUNT'],
    ['of five digits', row(1, 'x;12345'), 'COLUMN_COUNT'],
  ])('%s', async (_, line, code) => {
    const { codes, read } = await codesOf([line]);
    expect(codes).toEqual([code]);
    expect(read[0]!.cells.includes('123') || read[0]!.cells.includes('1234')).toBe(
      code !== 'SECURITY_CODE' && !line.includes('12345'),
    );
  });
});
