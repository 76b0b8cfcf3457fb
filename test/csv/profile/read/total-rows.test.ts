import { describe } from 'vitest';
import { exampleProfile } from '../support/example-files.ts';
import { type FileCase, replaced, testCases } from '../support/file-cases.ts';

const QUICKBOOKS = 'quickbooks-dues';
const SAGE = 'sage-eft';
const BANK = 'bank-ach';
const EXCEL = 'excel-de';

const TOTALS: readonly FileCase[] = [
  {
    given: 'a total that is off by a cent',
    name: QUICKBOOKS,
    change: replaced(['"1,280.00","1,280.00"', '"1,280.00","1,280.01"']),
    verdict: 'H',
    codes: ['TOTAL_DIFFERS'],
    says: ['"Amount": the total row says 1280.01, the rows add up to 1280.00'],
  },
  {
    given: 'a total that is no amount',
    name: QUICKBOOKS,
    change: replaced(['"1,280.00","1,280.00"', '"1,280.00",1280']),
    verdict: 'H',
    codes: ['TOTAL_DIFFERS'],
  },
  {
    given: 'a total over all rows',
    name: QUICKBOOKS,
    change: replaced(['"1,280.00","1,280.00"', '"1,280.00","1,220.00"']),
    profile: exampleProfile(QUICKBOOKS, ['of: taken', 'of: all']),
    verdict: 'T',
  },
  {
    given: 'no total row',
    name: QUICKBOOKS,
    change: (text) => text.replace(/^TOTAL[^]*/m, ''),
    verdict: 'H',
    codes: ['TOTAL_MISSING'],
    says: ['no row has "Date" "TOTAL"'],
  },
  {
    given: 'the total row twice',
    name: QUICKBOOKS,
    change: (text) => text.replace(/^TOTAL.*\n/m, '$&$&'),
    verdict: 'H',
    codes: ['TOTAL_MISSING'],
    says: ['the first is on line 9'],
  },
  {
    given: 'no total row where it may be missing',
    name: EXCEL,
    change: (text) => text.replace(/^Summe.*\n/m, ''),
    verdict: 'T',
  },
  {
    given: 'another number of rows in the total row',
    name: BANK,
    change: replaced(['T,2,', 'T,3,']),
    verdict: 'H',
    codes: ['TOTAL_DIFFERS'],
    says: ['column 2: the total row says 3 rows, there are 2'],
  },
  {
    given: 'a total row with the cells of a row',
    name: BANK,
    change: replaced(['T,2,0000014345', 'T,2,0000014345,,,,,']),
    verdict: 'R',
    codes: ['COLUMN_COUNT'],
    says: ['8 columns, expected 3'],
  },
  {
    given: 'a total row that is a whole payment',
    name: EXCEL,
    change: replaced(['Summe;;;;;;;1.469,12;;;', '15.06.2026;R-9;Eve;Summe;;;;1.469,12;Visa;4111111111111111;12/35']),
    profile: exampleProfile(EXCEL, ['column: Datum, is: Summe', 'column: Nachname, is: summe']),
    verdict: 'H',
    codes: ['SKIPPED_PAYMENT'],
    says: ['it is taken for a total row'],
  },
  {
    given: 'a skip rule that eats a payment',
    name: SAGE,
    change: replaced(['Total for HOP02,,,,30.00,,,', 'Total for HOP02,Hopper,5003,,30.00,,Savings,010,00012,98765']),
    profile: exampleProfile(SAGE, [', { column: Document No, empty: true }', '']),
    verdict: 'R',
    codes: ['COLUMN_COUNT'],
  },
  {
    given: 'a skip rule that fits a payment',
    name: SAGE,
    change: replaced([
      'Total for HOP02,,,,30.00,,,,,,',
      'Total for HOP02,Hopper,5003,,30.00,,Savings,010,00012,98765,',
    ]),
    profile: exampleProfile(SAGE, [', { column: Document No, empty: true }', '']),
    verdict: 'H',
    codes: ['SKIPPED_PAYMENT'],
    says: ['it is left out as "subtotal"'],
  },
  {
    given: 'subtotals, which are left out',
    name: SAGE,
    verdict: 'T',
    says: ['subtotal, 2 rows, sum 1050.00'],
  },
  {
    given: 'a third line behind the total row',
    name: QUICKBOOKS,
    change: (text) => `${text}Printed by Ada\nPage 1\n`,
    verdict: 'R',
    codes: ['ROW_MISPLACED'],
    says: ['more than 2 lines at the end'],
  },
  {
    given: 'two filled cells behind the total row',
    name: QUICKBOOKS,
    change: (text) => `${text}Printed by,Ada\n`,
    verdict: 'R',
    codes: ['ROW_MISPLACED'],
  },
  {
    given: 'a payment behind the total row',
    name: BANK,
    change: (text) => `${text}D,27,021000021,40000000,0000002000,Ada Byron,D00000044,X\n`,
    verdict: 'R',
    codes: ['ROW_MISPLACED'],
  },
];

describe('total rows', () => testCases(TOTALS));
