import { describe } from 'vitest';
import { finds } from './support/changed-example.ts';

describe('layout, rows and columns', () => {
  finds('PROFILE_KEY', [
    ['bank-ach', 'rows: 2, amount: 3, ', '', 'rows.totals.1: write amount or rows, the column that is compared'],
    [
      'quickbooks-dues',
      '  invoice: {',
      '  comment: { value: A }\n  invoice: {',
      'columns.comment: layout card has no such column; leave it out',
    ],
  ]);

  finds('PROFILE_COLUMN_OPEN', [
    [
      'quickbooks-dues',
      '  expiry: { from: Card Exp, format: MM/YYYY }\n',
      '',
      'columns: Expiry has no rule; write one for expiry',
    ],
  ]);

  finds('PROFILE_LAYOUT', [
    ['quickbooks-dues', 'layout: card', 'layout: card-ca', 'layout: "card-ca" is not for accounts in US'],
    ['quickbooks-dues', 'layout: card', 'layout: ach', 'layout: "ach" is not a layout of card'],
  ]);
});
