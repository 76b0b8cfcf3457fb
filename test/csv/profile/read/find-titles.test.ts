import { describe } from 'vitest';
import { exampleProfile } from '../support/example-files.ts';
import { type FileCase, replaced, testCases } from '../support/file-cases.ts';

const QUICKBOOKS = 'quickbooks-dues';
const XERO = 'xero-invoices';

const TITLES: readonly FileCase[] = [
  {
    given: 'titles in other case, with more blanks and no-break blanks',
    name: QUICKBOOKS,
    change: replaced(['Date,Transaction Type,Num', ' DATE ,transaction \u00a0TYPE,num\u00a0']),
    verdict: 'T',
  },
  {
    given: 'a renamed title',
    name: QUICKBOOKS,
    change: replaced(['Card Exp,', 'Expiration,']),
    verdict: 'R',
    codes: ['TITLES_DIFFER'],
    says: ['"Card Exp" went; "Expiration" came as column 11'],
  },
  {
    given: 'two columns exchanged',
    name: QUICKBOOKS,
    change: swapLastColumns,
    verdict: 'R',
    codes: ['TITLES_DIFFER'],
    says: ['"Open Balance" moved to column 14; "Amount" moved to column 13'],
  },
  {
    given: 'two columns exchanged where any order is allowed',
    name: QUICKBOOKS,
    change: (text) =>
      swapLastColumns(text).replace('"1,200.00","1,200.00"', '"1,200.00",9.00').replace('80.00,80.00', '80.00,7.00'),
    profile: exampleProfile(QUICKBOOKS, ['within: 8', 'within: 8\n  order: any']),
    verdict: 'T',
  },
  {
    given: 'a new column at the end',
    name: XERO,
    change: (text) => text.replaceAll(/\n/g, ',1.00\n').replace('Status,1.00', 'Status,Fee'),
    verdict: 'R',
    codes: ['TITLES_DIFFER'],
    says: ['"Fee" came as column 15'],
  },
  {
    given: 'an empty column at the end',
    name: XERO,
    change: (text) => text.replaceAll('\n', ',\n'),
    verdict: 'R',
    codes: ['TITLES_DIFFER'],
    says: ['an empty column came as column 15'],
  },
  {
    given: 'the titles twice among the first lines',
    name: QUICKBOOKS,
    change: (text) => text.replace(/^Date,.*\n/m, '$&$&'),
    verdict: 'R',
    codes: ['TITLES_MISSING'],
    says: ['it stands on lines 5 and 6'],
  },
  {
    given: 'the titles once more among the rows',
    name: QUICKBOOKS,
    change: (text) => text.replace(/^(Date,.*\n)(.*\n)(.*\n)(.*\n)/m, '$1$2$3$4$1'),
    verdict: 'R',
    codes: ['ROW_MISPLACED'],
    says: ['the titles stand there again'],
  },
  {
    given: 'no titles at all',
    name: QUICKBOOKS,
    change: (text) => text.replace(/^Date,.*\n/m, ''),
    verdict: 'R',
    codes: ['TITLES_MISSING'],
    says: ['it is not among the first 8 lines'],
  },
  {
    given: 'another company above the titles',
    name: QUICKBOOKS,
    change: replaced(['Acme Swim Club', 'Acme Golf Club']),
    verdict: 'R',
    codes: ['ABOVE_DIFFERS'],
    says: ['"Acme Swim Club Inc"'],
  },
  {
    given: 'semicolons for commas',
    name: QUICKBOOKS,
    change: (text) => text.replaceAll(/"[^"]*"|,/g, (part) => (part === ',' ? ';' : part)),
    verdict: 'R',
    codes: ['TITLES_DIFFER'],
    says: ['1 column, expected 14; they seem to be separated by semicolons'],
  },
  {
    given: 'a title that names a security code',
    name: QUICKBOOKS,
    change: replaced(['Memo/Description', 'CVV']),
    verdict: 'R',
    codes: ['SECURITY_CODE', 'TITLES_DIFFER'],
  },
  {
    given: 'a title with a character that nobody sees',
    name: QUICKBOOKS,
    change: replaced(['Card Number', 'Card\u200b Number']),
    verdict: 'R',
    codes: ['TITLES_DIFFER'],
    says: ['"Card Number" went; "CardU+200B Number" came as column 10'],
  },
  {
    given: 'two equal titles, told apart by their place',
    name: XERO,
    change: replaced(['ContactName,', 'Reference,']),
    profile: exampleProfile(
      XERO,
      ['[ContactName', '[Reference'],
      ['from: Reference', 'from: Reference#2'],
      ['ignore: [ContactName', 'ignore: [Reference#1'],
    ),
    verdict: 'T',
  },
];

describe('titles', () => testCases(TITLES));

/** Exchanges Open Balance and Amount, which have the same cells in each row but the titles. */
function swapLastColumns(text: string): string {
  return text.replace('Open Balance,Amount', 'Amount,Open Balance');
}
