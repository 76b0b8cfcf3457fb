import { describe, expect, it } from 'vitest';
import fc from 'fast-check';
import { findTitles, trySeparators } from '../../../src/csv/suggest/form.ts';
import { rowsOf } from '../../../src/csv/suggest/sample-rows.ts';
import { evidenceOf, isBalanceOf, sumsIn } from '../../../src/csv/suggest/kinds-of-columns.ts';
import { OTHER_VISA, VISA } from '../support.ts';
import { assign } from '../../../src/csv/suggest/match-columns.ts';
import { type Answers, openProposal, questionsOf } from '../../../src/csv/suggest/questions.ts';
import { type Preview, previewSample } from '../../../src/csv/suggest/preview.ts';
import { plainDigits } from '../../../src/kernel/plain-digits.ts';
import { encodeLines, EXAMPLE_FILES, type ExampleName, exampleProfile } from '../profile/support/example-files.ts';
import { PLACES } from '../profile/support/example-profiles.ts';
import { TODAY } from '../profile/support/made-payments.ts';

describe('trySeparators', () => {
  it.each([
    ['comma', ['a,b,c,d', '1,2,"3,5",4', '5,6,7,8']],
    ['semicolon', ['a;b;c;d', 'x, y;1,50;2,50;z', 'x, y;1,50;2,50;z']],
    ['tab', ['a\tb\tc\td', '1\t2\t3\t4']],
    ['pipe', ['Report', '', 'a|b|c|d', '1|2|3|4', 'Printed today']],
  ] as const)('is sure of %s', (separator, lines) => {
    const { trials, isSure } = trySeparators(lines);
    expect([trials[0]?.separator, isSure]).toEqual([separator, true]);
  });

  it('is not sure when two fit', () => {
    expect(trySeparators(['a,b,c;d;e', '1,2,3;4;5']).isSure).toBe(false);
  });

  it('is not sure when lines differ', () => {
    expect(trySeparators(['a,b,c,d', '1,2,3', '1,2,3,4,5', '1,2,3,4']).isSure).toBe(false);
  });
});

describe('findTitles', () => {
  const find = (...lines: string[]) => findTitles(rowsOf(lines, 'comma'), 4);

  it.each([
    [0, ['Date,Num,Name,Amount', '06/15/2026,1,Ada,1.00']],
    [1, ['Acme Club,,,', 'Datum,Nummer,Name,Betrag', '15.06.2026,1,Ada,1.00']],
    [0, ['Uno,Dos,Tres,Quatro', '1,2,3,4']],
  ])('is sure that row %i has the titles of %j', (place, lines) => {
    expect(find(...lines)).toEqual({ place, isSure: true });
  });

  it('finds none above data', () => {
    expect(find('D,27,021000021,10.00', 'D,27,021000021,11.00')).toEqual({ place: -1, isSure: true });
  });

  it('is not sure where the rows below look alike', () => {
    expect(find('Ada,Byron,Troy,red', 'Bo,Wu,Leeds,blue').isSure).toBe(false);
  });
});

describe('evidenceOf', () => {
  it('knows cards by their check digit, and no phone number of twelve digits', () => {
    expect(evidenceOf([VISA, OTHER_VISA, '4222 2222 2222 2220'], 0).isCard).toBe(true);
    expect(evidenceOf(['491512345678', '491512345679'], 0).isCard).toBe(false);
  });

  it('keeps no words where there is a long number, because words are shown whole', () => {
    expect([...evidenceOf(['Visa', 'visa ', 'Amex'], 0).words]).toEqual([
      ['Visa', 2],
      ['Amex', 1],
    ]);
    expect(evidenceOf(['Visa', 'DE89 3704 0044 0532 0130 00'], 0).words.size).toBe(0);
  });

  it('looks at every cell: one decides the marks', () => {
    const forms = (last: string) => evidenceOf([...Array<string>(50).fill('25.00'), last], 0).numberForms;
    expect(forms('1,234.00').map(({ decimal, group }) => [decimal, group])).toEqual([['.', ',']]);
    expect(forms('30.00').length).toBeGreaterThan(1);
    expect(forms('1.234,00')).toEqual([]);
  });
});

describe('amounts that belong together', () => {
  const amount = evidenceOf(['10.00', '20.00', '30.00', '5.00'], 0);

  it('shows a running balance', () => {
    expect(isBalanceOf(evidenceOf(['110.00', '130.00', '160.00', '165.00'], 1), amount)).toBe(true);
    expect(isBalanceOf(evidenceOf(['110.00', '130.00', '161.00', '100.00'], 1), amount)).toBe(false);
  });

  it('finds columns that add up in all rows', () => {
    const tax = evidenceOf(['1.00', '2.00', '3.00', '0.50'], 1);
    expect(sumsIn([amount, tax, evidenceOf(['11.00', '22.00', '33.00', '5.50'], 2)])).toEqual([
      { add: [0, 1], equals: 2 },
    ]);
    expect(sumsIn([amount, tax, evidenceOf(['11.00', '22.00', '33.00', '5.51'], 2)])).toEqual([]);
  });
});

describe('assign', () => {
  /** Tries all ways to give each row its own column. */
  function greatest(scores: readonly (readonly number[])[], used: readonly number[] = []): number {
    const row = scores[used.length];
    if (!row) return 0;
    const sums = row.flatMap((score, column) =>
      used.includes(column) ? [] : [score + greatest(scores, [...used, column])],
    );
    return Math.max(...sums);
  }

  it('gives each row its own column with the greatest sum', () => {
    const tables = fc.tuple(fc.integer({ min: 1, max: 4 }), fc.integer({ min: 0, max: 2 })).chain(([rows, more]) =>
      fc.array(fc.array(fc.integer({ min: -5, max: 10 }), { minLength: rows + more, maxLength: rows + more }), {
        minLength: rows,
        maxLength: rows,
      }),
    );
    fc.assert(
      fc.property(tables, (scores) => {
        const places = assign(scores);
        expect(new Set(places).size).toBe(scores.length);
        expect(places.reduce((sum, place, row) => sum + scores[row]![place]!, 0)).toBe(greatest(scores));
      }),
    );
  });
});

function previewExample(name: ExampleName, most = 20): Promise<Preview> {
  const profile = exampleProfile(name);
  const bytes = encodeLines(
    EXAMPLE_FILES[name].map(([line]) => line),
    profile,
  );
  return previewSample(bytes, profile, { ...PLACES[name], today: TODAY }, most);
}

describe('previewSample', () => {
  it('shows each cell, what it is sent as, and what is not sent', async () => {
    const { rows } = await previewExample('quickbooks-dues');
    const [first] = rows;
    expect(first!.line).toBe(6);
    expect(
      first!.cells
        .filter(({ sent }) => sent.length > 0)
        .map(({ title, cell, sent }) => [title, cell, ...sent.map(({ value }) => value)]),
    ).toEqual([
      ['Date', '06/15/2026', '06/15/2026'],
      ['Num', '1001', '1001'],
      ['Customer', 'Byron, Ada', 'Ada', 'Byron'],
      ['Billing Street', '1 Mill Lane', '1 Mill Lane'],
      ['Billing City', 'Troy', 'Troy'],
      ['Billing State', 'NY', 'NY'],
      ['Billing ZIP', '12180', '12180'],
      ['Card Type', 'Visa', 'VISA'],
      ['Card Number', '***************2220', '************2220'],
      ['Card Exp', '12/2035', '12/35'],
      ['Amount', '1,200.00', '1200.00'],
    ]);
    expect(first!.cells.filter(({ sent }) => sent.length === 0).map(({ title }) => title)).toEqual([
      'Transaction Type',
      'Memo/Description',
      'Open Balance',
    ]);
  });

  it('adds up the payments, and names what is left out', async () => {
    const { payments, skipped, totals } = await previewExample('quickbooks-dues');
    expect(payments).toEqual({ rows: 2, cents: 128_000 });
    expect(skipped).toEqual([{ name: 'Transaction Type: Payment', rows: 1, cents: -6_000 }]);
    expect(totals).toEqual(['TOTAL | 1,280.00 | 1,280.00']);
  });

  it('shows the extreme rows before others, and says why', async () => {
    const { rows } = await previewExample('quickbooks-dues', 1);
    expect(rows.map(({ line }) => line)).toEqual([6, 7]);
    expect(rows[0]!.why).toEqual([
      'first',
      'longest',
      'largest',
      'word "invoice"',
      'word "visa"',
      'amount like 9,999.99',
    ]);
    expect(rows[1]!.why).toEqual(['last', 'smallest', 'word "mastercard"', 'amount like 9.99']);
  });

  it('shows parts of an account and constants, masked', async () => {
    const { rows } = await previewExample('bank-ach');
    const shown = JSON.stringify(rows);
    expect(rows[0]!.constants).toContainEqual({ title: 'Comment', value: 'Monthly dues' });
    expect(shown).not.toContain('021000021');
    expect(shown).not.toContain('40000000');
  });

  it.each(['1234/567', '1234  567', '１２３４５６７８'])(
    'hides the number of a row wherever its digits stand: %s',
    async (copy) => {
      const profile = exampleProfile('sage-eft', ['charset: windows-1252', 'charset: utf-8']);
      const [titles, , ...others] = EXAMPLE_FILES['sage-eft'].map(([line]) => line);
      const row = `${copy},Ada ${copy},5001,,${copy},,${copy},004,10202,1234567,${copy}`;
      const context = { ...PLACES['sage-eft'], today: TODAY };
      const preview = await previewSample(encodeLines([titles!, row, ...others], profile), profile, context, 20);
      const shown = preview.rows.filter(({ line }) => line === 2).map((one) => ({ ...one, faults: [], line: 0 }));
      expect(shown).toHaveLength(1);
      expect(plainDigits(JSON.stringify(shown)).replace(/[ /-]/g, '')).not.toMatch(/\d{5}/);
    },
  );
});

const someDigits = (min: number, max: number) =>
  fc.array(fc.integer({ min: 0, max: 9 }), { minLength: min, maxLength: max }).map((digits) => digits.join(''));

/** Ways in which the number of a row gets into a cell of another column. */
const SOME_COPY = fc.constantFrom<(number: string) => string>(
  (number) => number,
  (number) => `BK${number}`,
  (number) => `BK-${number.slice(0, 10)}`,
  (number) => `INV-${number.slice(0, 5)}`,
  (number) => `${number.slice(0, 4)}-${number.slice(4, 6)}-${number.slice(6)}`,
  (number) => `paid by ${number}`,
  () => 'BK20260101',
);

describe('a preview', () => {
  it('shows no five digits in a row of an account, whatever stands in the other columns', async () => {
    const profile = exampleProfile('sage-eft');
    const [titles, ...others] = EXAMPLE_FILES['sage-eft'].map(([line]) => line);
    const context = { ...PLACES['sage-eft'], today: TODAY };
    await fc.assert(
      fc.asyncProperty(
        someDigits(5, 5),
        someDigits(8, 12),
        fc.array(SOME_COPY, { minLength: 5, maxLength: 5 }),
        async (transit, account, copies) => {
          const [customer, name, invoice, kind, details] = copies.map((copy) => copy(account));
          const rowOf = (word = '') =>
            `${customer},${name},${invoice},2026-06-15,20.00,,${word},004,${transit},${account},${details}`;
          const sample = encodeLines([titles!, rowOf('Chequing'), rowOf(kind), ...others], profile);
          const { rows } = await previewSample(sample, profile, context, 20);
          const own = rows.filter(({ line }) => line === 2 || line === 3);
          expect(own).toHaveLength(2);
          const texts = own.flatMap(({ cells, constants }) => [
            ...cells.flatMap(({ cell, sent }) => [cell, ...sent.map(({ value }) => value)]),
            ...constants.map(({ value }) => value),
          ]);
          const shown = texts.map((text) => text.replaceAll('BK20260101', '').replace(/[^\p{L}\p{N}*]/gu, ''));
          const runs = [transit, ...Array.from({ length: account.length - 4 }, (_, at) => account.slice(at, at + 5))];
          expect(runs.filter((run) => shown.some((text) => text.includes(run)))).toEqual([]);
        },
      ),
      { numRuns: 60 },
    );
  });

  it('shows dates and lettered invoices of a file without titles whole, and hides digits alone', async () => {
    const { rows } = await previewBank([
      'D,27,021000021,40817263,0000012345,Ada Byron,BK20260101,2026-06-15',
      'D,27,021000021,40817263,0000012345,Ada Byron,BK20260102,20260615',
    ]);
    const cells = rows.map((row) => row.cells.slice(-2).map(({ cell }) => cell));
    expect(cells).toEqual([
      ['BK20260101', '2026-06-15'],
      ['BK20260102', '****0615'],
    ]);
    expect(rows[0]!.cells.map(({ cell }) => cell)).toContain('0000012345');
    expect(rows[0]!.cells.at(-2)!.sent).toEqual([{ title: 'Invoice #', value: 'BK20260101' }]);
  });
});

function previewBank(lines: readonly string[]): Promise<Preview> {
  const shape = 'starts: [D], rest: digits, length: 9';
  const profile = exampleProfile('bank-ach', [shape, 'starts: [BK], rest: digits, length: 10']);
  const total = `T,${lines.length},${String(12_345 * lines.length).padStart(10, '0')}`;
  const context = { ...PLACES['bank-ach'], today: TODAY };
  return previewSample(encodeLines([...lines, total], profile), profile, context, 20);
}

describe('questionsOf', () => {
  const ask = (lines: readonly string[], answers: Answers) =>
    questionsOf(
      openProposal({ bytes: Buffer.from(lines.join('\n'), 'latin1'), place: PLACES['sage-eft'], today: TODAY }),
      answers,
    );
  const TITLES = 'Name,Document,Debit,Account kind,Institution,Transit,Bank account,Details';
  const ROWS = [1, 2, 3, 4, 5].map((n) => `Zoë Côté,S-${n},${n}0.50,Chequing,004,10202,123456${n},Dues`);

  it('suggests no account number by its title alone where bank numbers stand beside it', () => {
    const account = (titles: string) =>
      ask([titles, ...ROWS], { charset: 'windows-1252', layout: 'ach' }).find(
        ({ id }) => id === 'column:accountNumber',
      );
    const { options, preselected } = account(TITLES)!;
    expect(options!.map(({ value }) => value)).toContain('"0" + Institution + Transit + Bank account');
    expect(preselected).toBeUndefined();
    const untitled = '"0" + Institution + Transit + Last';
    expect(account(TITLES.replace('Bank account', 'Last'))!.preselected).toBe(untitled);
  });

  it('shows the words of which the character set is in doubt, not whole lines', () => {
    expect(ask([TITLES, ...ROWS], {})[0]).toMatchObject({ id: 'charset', evidence: ['Zoë', 'Zoë', 'Zoë'] });
  });
});
