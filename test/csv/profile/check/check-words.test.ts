import { describe, expect, it } from 'vitest';
import { parseProfile } from '../../../../src/csv/profile/parse-profile.ts';
import { faultsOf, finds } from '../support/changed-example.ts';
import { EXAMPLE_PROFILES } from '../support/example-profiles.ts';

describe('words and texts', () => {
  finds('PROFILE_KEY', [
    [
      'quickbooks-dues',
      'Acme Swim Club Inc',
      '"Acme\\u202e Swim"',
      'head.above.1: it holds the hidden character U+202E; type the text again',
    ],
    [
      'quickbooks-dues',
      'Visa: VISA',
      '"Vi\\u200bsa": VISA',
      'columns.mop.words.ViU+200Bsa: it holds the hidden character U+200B; type the text again',
    ],
  ]);

  finds('PROFILE_WORD', [
    [
      'quickbooks-dues',
      'Express: AMX',
      'Express: AMEX',
      'columns.mop.words.American Express: "AMEX" cannot be sent; the account takes VISA, MC, AMX, DSC; near: AMX',
    ],
    [
      'quickbooks-dues',
      'Discover: DSC',
      'Discover: MAESTR',
      'columns.mop.words.Discover: "MAESTR" cannot be sent; the account takes VISA, MC, AMX, DSC',
    ],
    [
      'quickbooks-dues',
      'Visa: VISA',
      "Visa: VISA, 'VISA ': VISA",
      'columns.mop.words.VISA : "VISA " stands twice; case and outer blanks do not count',
    ],
    [
      'quickbooks-dues',
      'skip: [Payment]',
      'skip: [INVOICE]',
      'rows.only.1.skip.1: "INVOICE" stands twice; case and outer blanks do not count',
    ],
    [
      'bank-ach',
      "negative: ['22'",
      "negative: ['27'",
      'columns.amount.sign.negative.1: "27" stands twice; case and outer blanks do not count',
    ],
    [
      'sage-eft',
      'Savings: SAVING',
      'Savings: SAVINGS',
      'columns.accountType.words.Savings: "SAVINGS" cannot be sent; the account takes CHECKING, SAVING; near: SAVING',
    ],
  ]);

  finds('PROFILE_NUMBER_IN_TEXT', [
    [
      'bank-ach',
      'Monthly dues',
      'Dues 4222 2222 2222 2220',
      'columns.comment.value: it looks like a card number; take it out of the profile',
    ],
    [
      'quickbooks-dues',
      'Visa: VISA',
      "'4222222222222220': VISA",
      'columns.mop.words.************2220: it looks like a card number; take it out of the profile',
    ],
  ]);
});

describe('a method of payment', () => {
  it('must be one that the account takes in its currency', () => {
    const account = { server: 'UK', country: 'UK', currency: 'EUR' } as const;
    expect(parseProfile(EXAMPLE_PROFILES['excel-de'], { operation: 'card', account })).toMatchObject({
      faults: [{ code: 'PROFILE_WORD', message: expect.stringContaining('the account takes VISA, MC, AMX') }],
    });
  });

  it('is one of any account where the account is not known', () => {
    expect(faultsOf(EXAMPLE_PROFILES['excel-de'])).toEqual([]);
  });
});
