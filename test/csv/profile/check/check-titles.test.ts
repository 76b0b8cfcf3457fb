import { describe, expect, it } from 'vitest';
import { changed, faultsOf, finds } from '../support/read-example.ts';
import { EXAMPLE_PROFILES } from '../support/example-profiles.ts';
import { parseProfile } from '../../../../src/csv/profile/profile-text.ts';

describe('titles', () => {
  finds('PROFILE_KEY', [
    ['bank-ach', ', count: 8', '', 'head.titles: without titles, write the number of columns as count'],
    ['quickbooks-dues', 'within: 8', 'within: 1', 'head.above: nothing stands above line 1; write line or within'],
  ]);

  finds('PROFILE_TITLE_OPEN', [
    [
      'quickbooks-dues',
      'ignore: [Memo/Description, ',
      'ignore: [',
      'head.titles.12: "Memo/Description" is neither used nor ignored; put it into ignore if it is not sent',
    ],
    [
      'bank-ach',
      'ignore: [8]',
      '',
      'head.count: column 8 is neither used nor ignored; put it into ignore if it is not sent',
    ],
    [
      'xero-invoices',
      ', Total, TaxTotal, InvoiceAmountPaid]',
      ', TaxTotal, InvoiceAmountPaid]',
      'head.titles.8: "Total" is only added up; put it into ignore',
    ],
  ]);

  finds('PROFILE_TITLE_UNKNOWN', [
    [
      'quickbooks-dues',
      'from: Card Exp',
      'from: Card Expp',
      'columns.expiry.from: the file has no title "Card Expp"; near: "Card Exp"',
    ],
    [
      'quickbooks-dues',
      'from: Card Exp',
      'from: card exp',
      'columns.expiry.from: the file has no title "card exp"; near: "Card Exp"',
    ],
    [
      'quickbooks-dues',
      'from: Num',
      'from: 3',
      'columns.invoice.from: 3 is not a title; write the title itself, in quotes if it is a number',
    ],
    [
      'bank-ach',
      'from: 7',
      'from: 9',
      'columns.invoice.from: 9 is not a column; without titles, write a number from 1 to 8',
    ],
  ]);

  finds('PROFILE_TITLE_TWICE', [
    [
      'quickbooks-dues',
      'Billing State,',
      'Billing City,',
      'columns.city.from: "Billing City" stands twice; write "Billing City#1" or "Billing City#2"',
    ],
  ]);

  finds('PROFILE_TITLE_BOTH', [
    ['quickbooks-dues', 'ignore: [', 'ignore: [Amount, ', 'ignore.1: "Amount" is used and ignored'],
    ['xero-invoices', 'ignore: [', 'ignore: [Currency, ', 'ignore.1: "Currency" is used and ignored'],
  ]);

  finds('PROFILE_SECRET_TWICE', [
    [
      'sage-eft',
      'comment: { from: Details',
      'comment: { from: Transit',
      'columns.comment.from: "Transit" holds a card or account number and feeds Account # and Comment; it may feed one column only',
    ],
  ]);

  finds('PROFILE_SECURITY_CODE', [
    [
      'blackbaud-gifts',
      'Expires On, Fund]',
      'Expires On, Fund, CVV]',
      'head.titles.16: "CVV" is a security code; make the export without it, ignore does not help',
    ],
  ]);
});

it('finds a security code among the titles that are not sent', () => {
  const ignored = changed('blackbaud-gifts', 'Fund]\nrows', 'CVV]\nrows').replace(', Fund]', ', CVV]');
  expect(faultsOf(ignored).map(({ code }) => code)).toEqual(['PROFILE_SECURITY_CODE']);
});

describe('titles that stand twice', () => {
  const twice = changed('quickbooks-dues', 'Billing State,', 'BILLING  city,')
    .replace('city: { from: Billing City }', 'city: { from: Billing City#1 }')
    .replace('state: { from: Billing State }', "state: { from: 'BILLING  city#2' }");

  it('are told apart by their place', () => {
    expect(faultsOf(twice)).toEqual([]);
  });

  it('have no place when their order is open', () => {
    expect(faultsOf(twice.replace('within: 8', 'within: 8\n  order: any'))).toMatchObject([
      { code: 'PROFILE_TITLE_TWICE', message: expect.stringContaining('write order: exact') },
    ]);
  });

  it('must not be named like another title', () => {
    expect(faultsOf(twice.replace('Memo/Description,', 'billing city#2,'))).toContainEqual(
      expect.objectContaining({ code: 'PROFILE_TITLE_TWICE', message: expect.stringContaining('head.titles.12') }),
    );
  });
});

describe('a title that is read in rows other than payments', () => {
  it('is decided, whether it is ignored or not', () => {
    expect(faultsOf(changed('sage-eft', 'ignore: [Customer No, ', 'ignore: ['))).toEqual([]);
    expect(faultsOf(EXAMPLE_PROFILES['sage-eft'])).toEqual([]);
  });
});

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
