import fc from 'fast-check';
import { parse } from 'yaml';
import { describe, expect, it } from 'vitest';
import { Profile } from '../../../schemas/profiles.ts';
import { senderMasker } from '../../../src/csv/profile/mask-sender-row.ts';
import type { ProfileLine } from '../../../src/csv/profile/read-profile.ts';
import { returnedLines, returnedMark, returnedTitle, startOfHash } from '../../../src/csv/profile/returned-file.ts';
import { makeWorkbook } from '../workbook/support/make-workbook.ts';
import {
  encodeLines,
  EXAMPLE_FILES,
  EXAMPLE_NAMES,
  type ExampleName,
  exampleProfile,
} from './support/example-files.ts';
import { profileOf, someDialect, somePayment, writeFile } from './support/random-file.ts';
import { judge, type ProfileRead, readBoth } from './support/read-example.ts';

const VERSION = `3f9a1b2c${'0'.repeat(56)}`;
const CONTEXT = { operation: 'card', today: '2026-06-15' } as const;
/** Each character is a separator, a quote or outside a set in some form. */
const REASON = 'declined; "do not honor", \t| 5 € – 漢\u2028';

type Cells = readonly string[];

/** Writes rows as rejects and retry files do, under the titles of the file. `arrange` changes their order. */
function returned(
  profile: Profile,
  { lines }: ProfileRead,
  rows: readonly Cells[],
  { reason = REASON, arrange = (cells: Cells) => cells } = {},
): Buffer {
  const line = returnedLines(profile);
  const found = lines.find(({ kind }) => kind === 'titles')?.cells;
  const titles = found ?? Array.from({ length: profile.head.count ?? 0 }, (_, place) => String(place + 1));
  const parts = [line(arrange(titles), returnedTitle(VERSION)), ...rows.map((cells) => line(arrange(cells), reason))];
  return Buffer.concat([returnedMark(profile), ...parts]);
}

function paymentsOf({ lines }: ProfileRead): readonly ProfileLine[] {
  return lines.filter(({ kind }) => kind === 'payment');
}

function madeOf(lines: readonly ProfileLine[]): (readonly string[] | undefined)[] {
  return lines.map(({ made }) => made);
}

/** Reads the file of an example, and returns all its payments. */
async function returnedExample(
  name: ExampleName,
  { profile = exampleProfile(name), ...form }: { profile?: Profile } & Parameters<typeof returned>[3] = {},
) {
  const senders = EXAMPLE_FILES[name].map(([sender]) => sender);
  const first = await judge(name, profile, encodeLines(senders, profile));
  const payments = paymentsOf(first);
  const rows = payments.map(({ cells }) => cells);
  return { profile, payments, bytes: returned(profile, first, rows, form) };
}

describe('rows that are returned in the form of the sender', () => {
  it.each(EXAMPLE_NAMES)('are the same payments when %s reads them again, without total and tail', async (name) => {
    const { profile, payments, bytes } = await returnedExample(name);
    const again = await judge(name, profile, bytes);
    expect(again.verdict).toBe('T');
    expect(again.codes).toEqual([]);
    expect(again.findings).toMatchObject({ writtenBy: startOfHash(VERSION), lines: { titles: 1 } });
    expect(again.lines.map(({ kind }) => kind)).toEqual(['titles', ...payments.map(() => 'payment')]);
    expect(madeOf(paymentsOf(again))).toEqual(madeOf(payments));
    expect(paymentsOf(again).map(({ cells }) => cells)).toEqual(payments.map(({ cells }) => cells));
  });

  it('are the same payments in every form, however many are returned, and none when their numbers are masked', async () => {
    await fc.assert(
      fc.asyncProperty(
        someDialect(),
        fc.array(fc.tuple(somePayment(), fc.boolean()), { minLength: 1, maxLength: 8 }),
        async (dialect, chosen) => {
          const profile = profileOf(dialect);
          const rows = chosen.map(([payment], row) => ({ ...payment, invoice: `-N-${row}` }));
          const first = await readBoth(writeFile(dialect, rows), profile, CONTEXT);
          const wanted = paymentsOf(first).filter((_, row) => chosen[row]![1]);
          const file = returned(
            profile,
            first,
            wanted.map(({ cells }) => cells),
          );
          fc.pre(!isUtf8ByChance(profile, file));
          const again = await readBoth(file, profile, CONTEXT, 1_000);
          expect(again.faults).toEqual([]);
          expect(madeOf(paymentsOf(again))).toEqual(madeOf(wanted));
          const mask = senderMasker(profile, first.lines[0]!.cells);
          const masked = returned(
            profile,
            first,
            wanted.map(({ cells, made }) => mask(cells, { made: made!, isValid: true })),
          );
          const shown = await readBoth(masked, profile, CONTEXT);
          const sound = paymentsOf(shown).filter(({ faults }) => faults.length === 0);
          expect(sound).toEqual([]);
          expect(paymentsOf(shown)).toHaveLength(wanted.length);
        },
      ),
      { numRuns: 40 },
    );
  });

  it('lose the guard of a formula, but no apostrophe of the sender', async () => {
    const profile = exampleProfile('xero-invoices');
    const [titles, row] = EXAMPLE_FILES['xero-invoices'].map(([sender]) => sender);
    const rows = ['-June', "'-June", "''=1", '=1', "'x"].map((text) => row!.replace('June', text));
    const first = await readBoth(encodeLines([titles!, ...rows], profile), profile, CONTEXT);
    const bytes = returned(
      profile,
      first,
      paymentsOf(first).map(({ cells }) => cells),
    );
    expect(bytes.toString()).toContain(",'-June,");
    const again = await readBoth(bytes, profile, CONTEXT);
    expect(madeOf(paymentsOf(again))).toEqual(madeOf(paymentsOf(first)));
    expect(paymentsOf(again).map(({ made }) => made!.at(-1))).toEqual(['-June', "'-June", "''=1", '=1', "'x"]);
  });

  it('may have their columns in another order where the profile says so', async () => {
    const profile = exampleProfile('excel-de', ['head:\n', 'head:\n  order: any\n']);
    const { payments, bytes } = await returnedExample('excel-de', { profile, arrange: (cells) => cells.toReversed() });
    const again = await judge('excel-de', profile, bytes);
    expect(madeOf(paymentsOf(again))).toEqual(madeOf(payments));
    const exact = await judge('excel-de', exampleProfile('excel-de'), bytes);
    expect([exact.verdict, exact.codes]).toEqual(['R', ['TITLES_DIFFER']]);
  });
});

/** Few letters beyond ASCII may look like UTF-8, which refuses a file of single bytes. */
function isUtf8ByChance({ read }: Profile, bytes: Buffer): boolean {
  const isSingle = read.kind === 'text' && (read.charset === 'windows-1252' || read.charset === 'iso-8859-1');
  return isSingle && !bytes.toString().includes('\ufffd') && bytes.some((byte) => byte > 0x7f);
}

describe('a file with returned rows, changed', () => {
  async function judgeChanged(name: ExampleName, change: (text: string) => string) {
    const { profile, bytes } = await returnedExample(name, { reason: 'declined' });
    return judge(name, profile, Buffer.from(change(bytes.toString('latin1')), 'latin1'));
  }

  it.each([
    ['a row without its reason', (text: string) => text.replace(/,declined\r\n$/, '\r\n'), 'R', 'COLUMN_COUNT'],
    ['another title', (text: string) => text.replace('Num', 'Nom'), 'R', 'TITLES_DIFFER'],
    ['another last title', (text: string) => text.replace('paydrop 3f9a', 'paydrop 3f9'), 'R', 'TITLES_DIFFER'],
    ['a line above its titles', (text: string) => `Acme Swim Club Inc\r\n${text}`, 'R', 'TITLES_DIFFER'],
    ['a wrong total row', (text: string) => `${text}TOTAL,,,,,,,,,,,,,9.00,x\r\n`, 'H', 'TOTAL_DIFFERS'],
    ['a line at its end', (text: string) => `${text}Friday,,,,,,,,,,,,,,\r\n`, 'H', 'WORD_UNLISTED'],
  ] as const)('is not taken with %s', async (_, change, verdict, code) => {
    const judged = await judgeChanged('quickbooks-dues', change);
    expect(judged.verdict).toBe(verdict);
    expect(judged.codes).toContain(code);
  });

  it('is destroyed for a security code in place of a reason', async () => {
    const judged = await judgeChanged('quickbooks-dues', (text) => text.replace('declined', '123'));
    expect([judged.verdict, judged.codes]).toEqual(['R', ['SECURITY_CODE']]);
    const other = await judgeChanged('xero-invoices', (text) => text.replace('declined', '123'));
    expect(other.verdict).toBe('T');
  });
});

const BOOK = `
layout: card
read: { kind: workbook, sheet: Dues }
head: { within: 4, above: [Acme Swim Club Inc], titles: [Date, Num, Card, Exp, Amount] }
columns:
  date: { from: Date, type: date }
  invoice: { from: Num }
  firstName: { value: '' }
  lastName: { value: Member }
  street: { value: '' }
  city: { value: '' }
  state: { value: '' }
  zipCode: { value: '' }
  amount: { from: Amount, type: number, sign: as-written }
  mop: { value: VISA }
  cardNumber: { from: Card }
  expiry: { from: Exp, type: date }
`;
const ROW = ['2026-06-15', 'R-1', '4222222222222220', '2035-12-01', '25'];
const MADE = '06/15/2026,R-1,,Member,,,,,25.00,VISA,4222222222222220,12/35';

describe('rows that are returned of a workbook', () => {
  const profile = Profile.parse(parse(BOOK));
  const line = returnedLines(profile);
  const bytesOf = (...rows: string[][]) =>
    Buffer.concat([
      line(['Date', 'Num', 'Card', 'Exp', 'Amount'], returnedTitle(VERSION)),
      ...rows.map((row) => line(row, REASON)),
    ]);

  it.each([1, 5, 65_536])('are read from text with commas, in pieces of %i bytes', async (pieceBytes) => {
    const { made, findings } = await readBoth(bytesOf(ROW), profile, CONTEXT, pieceBytes);
    expect(made).toBe(`\n${MADE}\n`);
    expect(findings).toMatchObject({ faults: [], writtenBy: '3f9a1b2c' });
  });

  it('may have amounts with their decimals, and the mark of a spreadsheet program', async () => {
    const bytes = Buffer.concat([Buffer.from('\ufeff'), bytesOf(ROW.with(4, '25.00'))]);
    expect((await readBoth(bytes, profile, CONTEXT)).made).toBe(`\n${MADE}\n`);
  });

  it.each([
    ['06/15/2026', 0, 'FORMAT_DIFFERS'],
    ['2035-12-02', 3, 'FORMAT_DIFFERS'],
    ['1,200', 4, 'NUMBER_FORMAT'],
    ['1.000', 4, 'NUMBER_FORMAT'],
    ['', 2, 'CELL_EMPTY'],
  ])('hold the file with %j in column %i', async (cell, place, code) => {
    const { faults } = await readBoth(bytesOf(ROW.with(place, cell)), profile, CONTEXT);
    expect(faults.map((fault) => fault.code)).toContain(code);
  });

  it.each([
    ['without the reason', 'Date,Num,Card,Exp,Amount\r\n'],
    ['with semicolons', 'Date;Num;Card;Exp;Amount;Reason (paydrop 3f9a1b2c)\r\n'],
    ['behind another line', 'x,Reason (paydrop 3f9a1b2c)\r\nDate,Num,Card,Exp,Amount\r\n'],
    ['without a line end', 'Date,Num,Card'],
    ['of the former kind', '\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1'],
    ['without bytes', ''],
  ])('are no workbook, and nothing else is taken: text %s', async (_, text) => {
    const { findings, made } = await readBoth(Buffer.from(text, 'latin1'), profile, CONTEXT);
    expect(findings.faults.map(({ code }) => code)).toEqual(['WORKBOOK_REFUSED']);
    expect(made).toBe('');
  });

  it('tell which cells of a workbook say less as text', async () => {
    const rows = [['Acme Swim Club Inc'], ['Date', 'Num', 'Card', 'Exp', 'Amount'], ROW];
    const { lines } = await readBoth(makeWorkbook({ rows }), profile, CONTEXT);
    expect(lines[2]).toMatchObject({ kind: 'payment', cells: ROW, misread: new Set([0, 3, 4]) });
  });
});
