import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Profile } from '../../../schemas/profiles.ts';
import { parseProfile } from '../../../src/csv/profile/profile-text.ts';
import {
  answer,
  type Answers,
  askedBy,
  openProposal,
  questionsOf,
  reasonsOf,
} from '../../../src/csv/suggest/questions.ts';
import { sheetsOf } from '../../../src/csv/suggest/sample-rows.ts';
import { type MadeCell, makeWorkbook, type MadeWorkbook, STYLE, styled } from '../workbook/support/make-workbook.ts';
import { answerTruly } from '../profile/support/answer-truly.ts';
import { encodeLines, EXAMPLE_FILES, type ExampleName, exampleProfile } from '../profile/support/example-files.ts';
import { judgeExport } from '../profile/support/judge-export.ts';
import { makeExport } from '../profile/support/made-exports.ts';
import { freshSeed } from '../../support/random.ts';
import { TODAY } from '../profile/support/made-payments.ts';
import { PLACES } from '../profile/support/example-profiles.ts';
import { readBoth } from '../profile/support/read-example.ts';

function openMade(seed: number) {
  const made = makeExport(seed);
  return { made, proposal: openProposal({ bytes: made.bytes, place: made.place, today: TODAY }) };
}

describe('a suggestion for a made-up export', () => {
  it('is right where it is sure, and true answers make a profile that reads exactly its payments', async () => {
    let sure = 0;
    for (let seed = 1; seed <= 90; seed += 1) sure += await judgeExport(seed);
    expect(sure).toBeGreaterThan(90);
  });

  it('is so with a fresh seed too', async () => {
    const fresh = freshSeed();
    for (let seed = fresh; seed < fresh + 40; seed += 1) await judgeExport(seed);
  });

  it('shows no number of a card or account, and none gets into the profile', () => {
    for (let seed = 1; seed <= 30; seed += 1) {
      const { made, proposal } = openMade(seed);
      const answers = answerTruly(proposal, made.truth);
      const shown = JSON.stringify([
        askedBy(proposal, answers),
        reasonsOf(proposal, answers),
        answer(proposal, answers),
      ]);
      const plain = shown.replace(/[ -]/g, '');
      expect({ seed, leaked: made.secrets.filter((secret) => plain.includes(secret)) }).toEqual({ seed, leaked: [] });
    }
  });

  it('gives a draft that cannot be imported as long as a question is open', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 40 }), fc.integer(), (seed, pick) => {
        const { made, proposal } = openMade(seed);
        const all = Object.entries(answerTruly(proposal, made.truth));
        const without = all[Math.abs(pick) % all.length]!;
        const some: Answers = Object.fromEntries(all.filter((one) => one !== without));
        const { open, draft, profile } = answer(proposal, some);
        expect(open.map(({ id }) => id)).toContain(without[0]);
        expect(profile).toBeUndefined();
        expect(draft).toContain('???');
        expect(parseProfile(draft)).toHaveProperty('faults');
      }),
      { numRuns: 25 },
    );
  });

  it('always asks what a negative amount is, whole numbers, repeated invoices, every word and every ignored column', () => {
    for (let seed = 1; seed <= 15; seed += 1) {
      const { made, proposal } = openMade(seed);
      const answers = answerTruly(proposal, made.truth);
      const asked = askedBy(proposal, answers).map(({ id }) => id);
      const { ignore } = answer(proposal, answers).profile!;
      const words = ['mop', 'accountType'].filter((column) => Object.hasOwn(made.truth.sources, column));
      const wanted = [
        'negative',
        'repeated',
        ...(made.truth.numbers.isCents ? [] : ['whole']),
        ...words.map((column) => `words:${column}`),
        ...(ignore.length > 0 ? ['ignored'] : []),
      ];
      expect({ seed, missing: wanted.filter((id) => !asked.includes(id)) }).toEqual({ seed, missing: [] });
    }
  });
});

describe('a column that a person wants to send after all', () => {
  it('opens the questions of the columns that were sure, and then asks again what is not sent', () => {
    const { made, proposal } = openMade(3);
    const answers = answerTruly(proposal, made.truth);
    const ignored = answers['ignored'] as readonly string[];
    const changed = { ...answers, ignored: ignored.slice(1) };
    const sure = reasonsOf(proposal, answers)!.columns.filter(({ confidence }) => confidence === 'sure');
    const wanted = sure.map(({ column }) => `column:${column}`);
    expect(wanted.length).toBeGreaterThan(0);
    expect(questionsOf(proposal, changed).map(({ id }) => id)).toEqual(wanted);
    const told = Object.fromEntries(sure.map(({ column }) => [`column:${column}`, made.truth.sources[column]!]));
    expect(questionsOf(proposal, { ...changed, ...told }).map(({ id }) => id)).toEqual(['ignored']);
  });
});

/** What a person answers about the examples; all else is as suggested. */
const TOLD: { readonly [Name in ExampleName]: Answers } = {
  'quickbooks-dues': {
    'column:invoice': 'Num',
    'column:street': 'Billing Street',
    'column:city': 'Billing City',
    'column:zipCode': 'Billing ZIP',
    'column:amount': 'Amount',
    negative: 'hold',
  },
  'xero-invoices': {
    'column:customerCode': 'AccountNumber',
    'column:amount': 'InvoiceAmountDue',
    'column:comment': 'Reference',
    'tells:ContactName': 'nothing',
    'tells:AccountNumber': 'nothing',
  },
  'sage-eft': {
    'column:invoice': 'Document No',
    'column:firstName': '(empty)',
    'column:lastName': 'Name',
    'column:accountType': 'Acct Kind',
    'column:accountNumber': '"0" + Institution + Transit + Bank Account',
    'column:comment': 'Details',
    guard: 'none',
  },
  'blackbaud-gifts': {
    'column:invoice': 'Gift ID',
    'column:firstName': 'First Name',
    'column:lastName': 'Last Name',
    'column:mop': 'Credit Type',
    'column:amount': 'Gift Amount',
    'column:expiry': 'Expires On',
    'tells:Fund': 'nothing',
    'tells:Pay Method': 'payments',
    'date-format': 'M/D/YYYY',
    negative: 'hold',
  },
  'excel-de': { 'column:invoice': 'Rechnungsnr.', guard: 'none' },
  'bank-ach': {
    titles: 'none',
    'column:invoice': '7',
    'column:firstName': '(empty)',
    'column:lastName': '6',
    'column:accountType': '2',
    'column:accountNumber': '3 + 4',
    'column:amount': '5',
    'column:comment': '(same text)',
    'value:comment': 'Monthly dues',
    'tells:1': 'guard',
    'tells:8': 'nothing',
    number: '0000123456',
    sign: '2',
    'sign-words': { '27': 'positive', '37': 'positive' },
  },
};

describe('a suggestion for an example', () => {
  it.each(Object.keys(TOLD) as ExampleName[])(
    'makes of %s a profile that reads it as the one by hand',
    async (name) => {
      const place = PLACES[name];
      const byHand = exampleProfile(name);
      const bytes = encodeLines(
        EXAMPLE_FILES[name].map(([line]) => line),
        byHand,
      );
      const proposal = openProposal({ bytes, place, today: TODAY });
      const profile = answerAsSuggested(proposal, TOLD[name]);
      const context = { ...place, today: TODAY };
      const read = await readBoth(bytes, profile, context);
      expect(read.made).toBe((await readBoth(bytes, byHand, context)).made);
      expect(read.findings.faults.map(({ code }) => code).filter((code) => code !== 'PROFILE_SKIPPED')).toEqual([]);
    },
  );
});

function answerAsSuggested(proposal: Parameters<typeof answer>[0], told: Answers): Profile {
  let answers = told;
  for (let turn = 0; turn < 40; turn += 1) {
    const [question] = questionsOf(proposal, answers);
    if (!question) break;
    if (question.preselected === undefined || Object.hasOwn(answers, question.id)) {
      throw new Error(`${question.id} is open: ${JSON.stringify([answers[question.id], question])}`);
    }
    answers = { ...answers, [question.id]: question.preselected };
  }
  const { profile, faults } = answer(proposal, answers);
  if (!profile) throw new Error(faults.join('; '));
  return profile;
}

const BOOK_TITLES = ['Date', 'Num', 'Name', 'Card Type', 'Card Number', 'Card Exp', 'Tax', 'Amount'];

function bookRow(n: number): MadeCell[] {
  const [day, expiry] = [styled(46_170 + n, STYLE.date), styled(49_644, STYLE.date)];
  const tax = { xml: `<c r="@"><f>H@*0.1</f><v>${n}.1</v></c>` };
  return [day, 1_000 + n, 'Ada Byron', 'Visa', '4222222222222220', expiry, tax, 20 + n / 4];
}

const BOOK: MadeWorkbook = {
  sheets: [['Dues'], ['Empty']],
  rows: [
    ['Acme Swim Club Inc'],
    BOOK_TITLES,
    ...[1, 2, 3, 4, 5, 6].map(bookRow),
    ['TOTAL', '', '', '', '', '', '', { xml: '<c r="@"><f>SUM(H3:H8)</f><v>125.25000000000001</v></c>' }],
  ],
};

async function openBook(book: MadeWorkbook) {
  const bytes = makeWorkbook(book);
  const place = { operation: 'card', account: { server: 'NA', country: 'CA', currency: 'CAD' } } as const;
  return { bytes, proposal: openProposal({ bytes, sheets: await sheetsOf(bytes), place, today: TODAY }) };
}

const BOOK_ANSWERS = { layout: 'card-ca', whole: 'yes', 'column:amount': 'Amount' };

describe('a suggestion for a workbook', () => {
  it('has typed rules and reads it without a fault', async () => {
    const { bytes, proposal } = await openBook(BOOK);
    const profile = answerAsSuggested(proposal, BOOK_ANSWERS);
    expect(profile).toMatchObject({
      read: { kind: 'workbook', sheet: 'Dues', formulas: [] },
      rows: { totals: [{ when: { column: 'Date', is: 'TOTAL' }, amount: 'Amount', must: 'once' }] },
      columns: {
        date: { from: 'Date', type: 'date' },
        invoice: { from: 'Num' },
        amount: { from: 'Amount', type: 'number', sign: 'as-written' },
        expiry: { from: 'Card Exp', type: 'date' },
      },
      ignore: ['Tax'],
    });
    const read = await readBoth(bytes, profile, { operation: 'card', today: TODAY });
    expect(read.findings.faults).toEqual([]);
    expect(read.made.split('\n')[3]).toBe('05/30/2026,1002,Ada Byron,20.50,VISA,4222222222222220,12/35');
  });

  it('asks for the sheet when more than one holds anything, and never takes a hidden one', async () => {
    const part = {
      'xl/worksheets/sheet2.xml': '<worksheet><sheetData><row><c><v>1</v></c></row></sheetData></worksheet>',
    };
    const { proposal } = await openBook({ ...BOOK, parts: part });
    const [question, ...others] = questionsOf(proposal, {});
    expect(others).toEqual([]);
    expect(question).toMatchObject({ id: 'sheet', preselected: 'Dues' });
    expect(question!.options!.map(({ label }) => label)).toEqual(['Dues: 9 rows', 'Empty: 1 row']);
    expect(answer(proposal, {}).draft).toContain('???');

    const hidden = await openBook({ ...BOOK, parts: part, sheets: [['Dues'], ['Empty', 'hidden']] });
    expect(questionsOf(hidden.proposal, {}).map(({ id }) => id)).not.toContain('sheet');
  });

  it('asks in which columns formulas count, where they are sent', async () => {
    const amount = (n: number) => ({ xml: `<c r="@"><f>G@*10</f><v>${20 + n / 4}</v></c>` });
    const rows = BOOK.rows.map((cells, at) => (at > 1 && at < 8 ? cells.with(7, amount(at - 1)) : cells));
    const { bytes, proposal } = await openBook({ ...BOOK, rows });
    const profile = answerAsSuggested(proposal, BOOK_ANSWERS);
    expect(profile.read).toMatchObject({ formulas: ['Amount'] });
    const { findings } = await readBoth(bytes, profile, { operation: 'card', today: TODAY });
    expect(findings.faults).toEqual([]);
    const without = answerAsSuggested(proposal, { ...BOOK_ANSWERS, formulas: [] });
    const held = await readBoth(bytes, without, { operation: 'card', today: TODAY });
    expect(new Set(held.faults.map(({ code }) => code))).toContain('NUMBER_FORMAT');
  });

  it('says why it cannot be read', async () => {
    const { proposal } = await openBook({ ...BOOK, parts: { 'xl/vbaProject.bin': '' } });
    expect(answer(proposal, {}).faults).toEqual(['it holds macros']);
    const { proposal: empty } = await openBook({ rows: [] });
    expect(answer(empty, {}).faults).toEqual(['no sheet of it holds anything, or all are hidden']);
  });
});
