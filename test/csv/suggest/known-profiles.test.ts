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
