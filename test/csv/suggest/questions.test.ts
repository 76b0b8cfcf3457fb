import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Profile } from '../../../schemas/profiles.ts';
import { parseProfile } from '../../../src/csv/profile/parse-profile.ts';
import {
  answer,
  type Answers,
  askedBy,
  openProposal,
  questionsOf,
  reasonsOf,
} from '../../../src/csv/suggest/questions.ts';
import { answerTruly } from '../profile/support/answer-truly.ts';
import { encodeLines, EXAMPLE_FILES, type ExampleName, exampleProfile } from '../profile/support/example-files.ts';
import { judgeExport } from '../profile/support/judge-export.ts';
import { makeExport } from '../profile/support/made-exports.ts';
import { freshSeed } from '../../gateway/support/seeds.ts';
import { TODAY } from '../profile/support/made-payments.ts';
import { PLACES } from '../profile/support/places.ts';
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
      const asked = askedBy(proposal, answerTruly(proposal, made.truth)).map(({ id }) => id);
      const words = ['mop', 'accountType'].filter((column) => Object.hasOwn(made.truth.sources, column));
      const wanted = [
        'negative',
        'repeated',
        ...(made.truth.numbers.isCents ? [] : ['whole']),
        ...words.map((column) => `words:${column}`),
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

describe('a sample of which no profile can be made', () => {
  const sampleOf = (text: string) =>
    openProposal({
      bytes: Buffer.from(text),
      place: { operation: 'card', account: { server: 'NA', country: 'US', currency: 'USD' } },
      today: TODAY,
    });

  it.each([
    ['Date,Num,Card Number,CVV,Amount\n06/15/2026,1,4222222222222220,123,1.00\n', 'security code'],
    ['Date,Num,,Amount\n06/15/2026,1,x,1.00\n', 'column 3 has no title'],
    ['a,b\n1,2\n', 'no line has three cells'],
    ['Date,Num,Card Number,Amount\n', 'no row below'],
  ])('says why: %j', (text, why) => {
    const { faults, open, profile } = answer(sampleOf(text), {});
    expect(faults.join()).toContain(why);
    expect([open, profile]).toEqual([[], undefined]);
  });
});
