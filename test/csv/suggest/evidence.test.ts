import { describe, expect, it } from 'vitest';
import { answer, type Answers, askedBy, openProposal, reasonsOf } from '../../../src/csv/suggest/questions.ts';
import { encodeLines, EXAMPLE_FILES, exampleProfile } from '../profile/support/example-files.ts';
import { TODAY } from '../profile/support/made-payments.ts';
import { PLACES } from '../profile/support/example-profiles.ts';

const TOLD: Answers = {
  'column:customerCode': 'AccountNumber',
  'column:amount': 'InvoiceAmountDue',
  'column:comment': 'Reference',
  'tells:ContactName': 'nothing',
  'tells:AccountNumber': 'nothing',
};

/** A file dropped for cards in the US. */
const sampleOf = (file: string | Buffer) =>
  openProposal({
    bytes: Buffer.from(file),
    place: { operation: 'card', account: { server: 'NA', country: 'US', currency: 'USD' } },
    today: TODAY,
  });

describe('profiles that read files of the same titles', () => {
  const name = 'xero-invoices';
  const byHand = exampleProfile(name);
  const bytes = encodeLines(
    EXAMPLE_FILES[name].map(([line]) => line),
    byHand,
  );
  const swapped = { ...byHand, columns: { ...byHand.columns, amount: { ...byHand.columns.amount, from: 'Total' } } };
  const known = [
    { name: 'dues', version: 3, profile: byHand },
    { name: 'fees', version: 1, profile: swapped },
    { name: 'other', version: 2, profile: exampleProfile('sage-eft') },
  ];
  const sample = { bytes, place: PLACES[name], today: TODAY };
  const whyOf = (answers: Answers) => {
    const { columns } = reasonsOf(openProposal({ ...sample, known }), answers)!;
    return Object.fromEntries(columns.map(({ column, why }) => [column, why]));
  };

  it('are a reason for a column, whether they read it alike or otherwise', () => {
    const why = whyOf({ layout: 'card-code', ...TOLD });
    expect(why['invoice']).toMatch(/; as in dues, version 3; as in fees, version 1$/);
    expect(why['amount']).toMatch(/; as in dues, version 3; fees, version 1, reads Total$/);
    expect(JSON.stringify(why)).not.toContain('other');
  });

  it('decide nothing: questions and draft stay the same', () => {
    const [alone, among] = [openProposal(sample), openProposal({ ...sample, known })];
    for (const answers of [{}, { layout: 'card-code' }, { layout: 'card-code', ...TOLD }]) {
      expect(askedBy(among, answers)).toEqual(askedBy(alone, answers));
      expect(answer(among, answers)).toEqual(answer(alone, answers));
    }
  });
});

describe('a sample of which no profile can be made', () => {
  it.each([
    ['Date,Num,Card Number,CVV,Amount\n06/15/2026,1,4222222222222220,123,1.00\n', 'security code'],
    ['Date,Num,,Amount\n06/15/2026,1,x,1.00\n', 'column 3 has no title'],
    ['a,b\n1,2\n', 'no line has three cells'],
    ['', 'it is empty'],
    ['\ufeff\r\n', 'it is empty'],
    ['<html><table>', 'it is an HTML table or page'],
    ['Date\0'.replaceAll(/(\w)/g, '$1\0'), 'UTF-16 without a byte order mark'],
    ['Code,,Invoice,,Amount,,\nA1,,E-1,,20.50,,\nA2,,E-2,,21.50,,\n', 'column 2 has no title'],
    ['Date,Num,Card Number,Amount\n', 'no row below'],
  ])('says why: %j', (text, why) => {
    const { faults, open, profile } = answer(sampleOf(text), {});
    expect(faults.join()).toContain(why);
    expect([open, profile]).toEqual([[], undefined]);
  });

  it('leaves a character set that nobody can read to the person', () => {
    const proposal = sampleOf(Buffer.from('Code,Member,Bill,Owed\rA1,Zo\x91,M-1,20.50\r', 'latin1'));
    const [charset] = askedBy(proposal, {});
    expect(charset!.options!.map(({ value }) => value)).toEqual(['windows-1252', 'iso-8859-1', 'other']);
    expect(answer(proposal, { charset: 'other' }).faults.join()).toContain('export it as UTF-8');
  });
});

describe('what is said of negative amounts', () => {
  const said = (text: string, answers: Answers) => {
    const asked = askedBy(sampleOf(text), { layout: 'card-code', guard: 'none', ...answers });
    const { evidence, preselected } = asked.find(({ id }) => id === 'negative') ?? {};
    return [evidence?.join(), preselected];
  };
  const COLUMNS: Answers = { 'column:invoice': 'Invoice', 'column:customerCode': 'Code', 'column:comment': '(empty)' };

  it('counts the cells of the column that is taken away', () => {
    const text = 'Invoice,Code,Debit,Credit\nI-1,A1010001,20.50,\nI-2,A1010002,,15.00\nI-3,A1010003,30.50,0.00\n';
    const given = { ...COLUMNS, 'column:amount': 'Debit - Credit' };
    expect(said(text, given)).toEqual(['1 amount of 3 is negative here', undefined]);
  });

  it('counts the rows whose word makes the amount negative, once the words are known', () => {
    const text = 'Invoice,Code,Amount,DC\nI-1,A1010001,20.50,D\nI-2,A1010002,15.00,C\nI-3,A1010003,30.50,D\n';
    const given = { ...COLUMNS, 'column:amount': 'Amount', 'tells:DC': 'nothing', sign: 'DC' };
    expect(said(text, given)).toEqual([undefined, undefined]);
    const words = { D: 'positive', C: 'negative' };
    expect(said(text, { ...given, 'sign-words': words })).toEqual(['1 amount of 3 is negative here', undefined]);
  });

  it('takes no formula for a negative amount', () => {
    const text = 'Invoice,Code,Amount\nI-1,A1010001,=SUM(B1:B2)\nI-2,A1010002,15.00\n';
    const given = { ...COLUMNS, 'column:amount': 'Amount', number: '1,234.56' };
    expect(said(text, given)).toEqual(['no amount is negative here', 'hold']);
  });
});

it('suggests no amount where another column has other amounts', () => {
  const rows = 'I-1,A1010001,45.00,40.00\nI-2,A1010002,15.00,15.00\n';
  const asked = (titles: string) =>
    askedBy(sampleOf(`${titles}\n${rows}`), { layout: 'card-code' }).find(({ id }) => id === 'column:amount');
  expect(asked('Invoice,Code,Amount,Open balance')).toMatchObject({ about: 'Amount' });
  expect(asked('Invoice,Code,Amount,Open balance')!.preselected).toBeUndefined();
});

it('asks whether a row of stars, as SAP writes it, is the total', () => {
  const text = 'Code,Invoice,Day,Note,Open\nA1,I-1,06/01/2026,x,20.50\nA2,I-2,06/01/2026,y,21.50\n*,,,,42.00\n';
  expect(reasonsOf(sampleOf(text), {})!.form).toContain('2 rows, 1 total row');
});
