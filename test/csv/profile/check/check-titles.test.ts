import { describe, expect, it } from 'vitest';
import { changed, faultsOf, finds } from '../support/changed-example.ts';
import { EXAMPLE_PROFILES } from '../support/example-profiles.ts';

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
