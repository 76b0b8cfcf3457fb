import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { checkPaymentFile } from '../../../src/csv/check/check-payment-file.ts';
import { readByProfile } from '../../../src/csv/profile/read-profile.ts';
import { csvLines } from '../../../src/csv/write/write-csv.ts';
import { checkByBytes } from '../compare/check-by-bytes.ts';
import { checkAll, chunksOf, rulesWith } from '../support.ts';
import {
  encodeLines,
  EXAMPLE_FILES,
  EXAMPLE_NAMES,
  type ExampleName,
  exampleProfile,
} from './support/example-files.ts';
import { EXAMPLE_PROFILES, PLACES } from './support/example-profiles.ts';
import { handCells, profileOf, someDialect, somePayment, writeFile } from './support/random-file.ts';
import { judge, readBoth } from './support/read-example.ts';
import type { Profile } from '../../../schemas/profiles.ts';
import { parseProfile } from '../../../src/csv/profile/profile-text.ts';
import { titlesOf, usesOfTitles } from '../../../src/csv/profile/profile-titles.ts';

const CONTEXT = { operation: 'card', today: '2026-06-15' } as const;

describe.each(EXAMPLE_NAMES)('the file of %s', (name) => {
  const lines = EXAMPLE_FILES[name];
  const profile = exampleProfile(name);
  const senders = lines.map(([sender]) => sender);

  it('becomes the file that a person would write in the layout, line by line', async () => {
    const { made, codes, verdict } = await judge(name, profile, encodeLines(senders, profile));
    expect(made).toBe(lines.map(([, layout]) => `${layout}\n`).join(''));
    expect(codes.filter((code) => code !== 'PROFILE_SKIPPED')).toEqual([]);
    expect(verdict).toBe('T');
  });

  it('reads the same with any line ends, and however its bytes arrive', async () => {
    const { made } = await judge(name, profile, encodeLines(senders, profile));
    for (const end of ['\r\n', '\r']) {
      const bytes = encodeLines(senders, profile, end);
      for (const pieceBytes of [1, 7, 1_000]) {
        const read = await readBoth(bytes, profile, { ...CONTEXT, operation: PLACES[name].operation }, pieceBytes);
        expect(read.made).toBe(made);
        expect(read.findings.mixesLineEnds).toBe(false);
      }
    }
  });
});

describe('a made file', () => {
  it('is checked like a file that a person has written in the layout', async () => {
    await fc.assert(
      fc.asyncProperty(
        someDialect(),
        fc.array(somePayment(), { minLength: 1, maxLength: 8 }),
        async (dialect, payments) => {
          const rows = payments.map((payment, row) => ({ ...payment, invoice: `N-${row}` }));
          const { made, faults } = await readBoth(writeFile(dialect, rows), profileOf(dialect), CONTEXT);
          const hand = `\n${rows.map((row) => csvLines()(handCells(row)).replace('\r\n', '\n')).join('')}`;
          expect(faults).toEqual([]);
          expect(await checkAll(made, { folder: { header: 'none' } })).toEqual(
            await checkAll(hand, { folder: { header: 'none' } }),
          );
        },
      ),
      { numRuns: 30 },
    );
  });

  it('keeps an apostrophe that only looks like the guard of a formula', async () => {
    const profile = exampleProfile('xero-invoices');
    const lines = EXAMPLE_FILES['xero-invoices'];
    const bytes = encodeLines([lines[0]![0], lines[1]![0].replace('June', "'-June")], profile);
    const { check } = await judge('xero-invoices', profile, bytes);
    expect(check.rows[0]!.payment?.canonical.at(-1)).toBe("'-June");
  });

  it.each([
    ['is left out, so that the file may be cut off', 'xero-invoices', true],
    ['is the total row, which shows that the file is complete', 'excel-de', false],
    ['stands behind the total row', 'quickbooks-dues', false],
  ] as const)('has an open last line that %s', async (_, name, isOpen) => {
    const profile = exampleProfile(name);
    const text = EXAMPLE_FILES[name].map(([sender]) => sender).join('\n');
    const rules = rulesWith({ ...PLACES[name], profile });
    const { check } = await checkByBytes(chunksOf(encodeLines([text], profile, '')), rules);
    expect(check.faults.some(({ code }) => code === 'LAST_LINE_OPEN')).toBe(isOpen);
  });

  it('ends like the file of the sender', async () => {
    const profile = exampleProfile('xero-invoices');
    const lines = EXAMPLE_FILES['xero-invoices'].slice(0, 3).map(([sender]) => sender);
    const open = await judge('xero-invoices', profile, Buffer.from(lines.join('\n')));
    expect(open.made.endsWith('\n')).toBe(false);
    expect(open.findings.isLastLineOpen).toBe(true);
    expect(open.check.codes).toContain('LAST_LINE_OPEN');
    const marked = await judge('xero-invoices', profile, Buffer.from(`${lines.join('\r\n')}\n\u001a`));
    expect(marked.findings).toMatchObject({ isLastLineOpen: false, mixesLineEnds: true, lines: { blank: 1 } });
    expect(marked.verdict).toBe('T');
    const early = await judge('xero-invoices', profile, Buffer.from(`${lines[0]}\n\u001a\n${lines[1]}\n`));
    expect(early.faults).toContainEqual(expect.objectContaining({ code: 'CONTROL_CHARACTER', line: 2 }));
  });

  it('has no bytes if the file has none', async () => {
    const { made, findings } = await readBoth(Buffer.alloc(0), exampleProfile('excel-de'), CONTEXT);
    expect(made).toBe('');
    expect(findings.faults).toEqual([]);
  });

  it('is blank from the first line to the last if the file is refused for its titles', async () => {
    const lines = ['Date,Amount', ...Array.from({ length: 3_000 }, (_, row) => `${row},1.00`)];
    const profile = exampleProfile('xero-invoices');
    const { made, findings } = await readBoth(encodeLines(lines, profile), profile, CONTEXT);
    expect(made).toBe('\n'.repeat(3_001));
    expect(findings.lines.unread).toBe(3_001);
  });

  it('needs no memory for an endless line, and says that it is too long', async () => {
    const profile = exampleProfile('xero-invoices');
    const [titles] = EXAMPLE_FILES['xero-invoices'][0]!;
    async function* endless(): AsyncGenerator<Uint8Array> {
      yield Buffer.from(`${titles}\n`);
      for (let piece = 0; piece < 50; piece += 1) yield Buffer.alloc(65_536, 'x');
      yield Buffer.from('\n');
    }
    const reading = readByProfile(endless(), profile, CONTEXT);
    let bytes = 0;
    for await (const piece of reading.source) bytes += piece.length;
    expect(bytes).toBe(2);
    expect(reading.findings().faults).toEqual([{ code: 'LINE_TOO_LONG', line: 2 }]);
  });

  it('lists a thousand of many broken lines, and counts the rest', async () => {
    const profile = exampleProfile('xero-invoices');
    const lines = [EXAMPLE_FILES['xero-invoices'][0]![0], ...Array.from({ length: 1_500 }, () => 'a,b')];
    const { findings } = await readBoth(encodeLines(lines, profile), profile, CONTEXT);
    expect(findings.faults).toHaveLength(1_001);
    expect(findings.faults.at(-1)).toEqual({ code: 'COLUMN_COUNT', line: 0, detail: '500 more are not listed' });
  });
});

describe('lines of any kind', () => {
  const profile = exampleProfile('quickbooks-dues', ['separator: comma', 'separator: comma, lineBreaks: space']);
  const pool = [
    ...EXAMPLE_FILES['quickbooks-dues'].map(([sender]) => sender),
    '"open,',
    'closed",x',
    '\u001a',
    'x'.repeat(17_000),
    '\ufffd',
    '"Ä,é"',
    '',
  ];
  const someLines = fc.array(fc.tuple(fc.constantFrom(...pool), fc.constantFrom('\n', '\r\n', '\r', '')), {
    maxLength: 14,
  });

  it('are read the same however their bytes are cut, and each is in one kind', async () => {
    const head = pool
      .slice(0, 5)
      .map((line) => `${line}\n`)
      .join('');
    await fc.assert(
      fc.asyncProperty(fc.boolean(), someLines, fc.constantFrom(1, 2, 3, 64, 1_000), async (hasHead, lines, length) => {
        const bytes = Buffer.from((hasHead ? head : '') + lines.map((line) => line.join('')).join(''));
        const pieceBytes = Math.max(length, Math.ceil(bytes.length / 2_000));
        const whole = await readBoth(bytes, profile, CONTEXT, bytes.length + 1);
        expect(await readBoth(bytes, profile, CONTEXT, pieceBytes)).toEqual(whole);
        expect(whole.lines).toHaveLength(Object.values(whole.findings.lines).reduce((sum, count) => sum + count, 0));
        const isClosed = /[\r\n]$/.test(bytes.toString('latin1'));
        const kinds = whole.lines.map(({ made }) => (made ? 'row' : '')).join('\n');
        expect(whole.made.replaceAll(/.+/g, 'row')).toBe(isClosed ? `${kinds}\n` : kinds);
      }),
      { numRuns: 30 },
    );
  });
});

describe('the faults of payments', () => {
  it('can be asked for while the made file is checked', async () => {
    const profile = exampleProfile('xero-invoices');
    const [titles] = EXAMPLE_FILES['xero-invoices'][0]!;
    const row = (invoice: number, due: string) =>
      `Byron Ltd,B0017,,INV-${invoice},,15/06/2026,30/06/2026,${due},0.00,0.00,${due},GBP,Sales invoice,Awaiting Payment`;
    const rows = Array.from({ length: 3_000 }, (_, index) => row(index, index % 3 === 0 ? '25' : '25.00'));
    const bytes = encodeLines([titles, ...rows], profile);
    const reading = readByProfile(chunksOf(bytes, 4_096), profile, CONTEXT);
    const { account } = PLACES['xero-invoices'];
    const told: number[] = [];
    for await (const { withheld } of checkPaymentFile(
      reading.source,
      rulesWith({ account, folder: { header: 'none' } }),
    )) {
      for (const { raw } of withheld) told.push(reading.faultsOf(raw.line).length);
    }
    expect(told).toHaveLength(1_000);
    expect(new Set(told)).toEqual(new Set([3]));
  });
});

describe('profile titles', () => {
  function profileOf(name: ExampleName): Profile {
    const parsed = parseProfile(EXAMPLE_PROFILES[name]);
    if ('faults' in parsed) throw new Error(`${name} has faults`);
    return parsed.profile;
  }

  describe('usesOfTitles', () => {
    it('names the columns that each title feeds, in the order of the file', () => {
      const uses = [...usesOfTitles(profileOf('quickbooks-dues'))];
      expect(uses.map(([title]) => title)).toEqual(profileOf('quickbooks-dues').head.titles);
      expect(uses.filter(([, { columns }]) => columns.length === 0).map(([title]) => title)).toEqual([
        'Transaction Type',
        'Memo/Description',
        'Open Balance',
      ]);
      expect(usesOfTitles(profileOf('quickbooks-dues')).get('Customer')).toEqual({
        columns: ['firstName', 'lastName'],
        isSecret: false,
      });
    });

    it.each([
      ['quickbooks-dues', ['Card Number']],
      ['sage-eft', ['Institution', 'Transit', 'Bank Account']],
      ['bank-ach', [3, 4]],
    ] as const)('of %s marks each part of a card or account number', (name, secret) => {
      const uses = [...usesOfTitles(profileOf(name))];
      expect(uses.filter(([, { isSecret }]) => isSecret).map(([title]) => title)).toEqual(secret);
    });

    it('counts both columns of an amount and the column of its sign', () => {
      const sage = usesOfTitles(profileOf('sage-eft'));
      expect([sage.get('Debit')?.columns, sage.get('Credit')?.columns]).toEqual([['amount'], ['amount']]);
      expect(usesOfTitles(profileOf('bank-ach')).get(2)?.columns).toEqual(['amount', 'accountType']);
    });
  });

  describe('titlesOf', () => {
    it('numbers titles that are the same but for case and blanks', () => {
      const head = { ...profileOf('excel-de').head, titles: ['City', 'Zip', ' CITY ', 'city'] };
      expect(titlesOf({ head })).toEqual(['City#1', 'Zip', ' CITY #2', 'city#3']);
    });

    it('counts the columns of a file without titles', () => {
      expect(titlesOf(profileOf('bank-ach'))).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
    });
  });
});
