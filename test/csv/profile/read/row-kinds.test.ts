import { describe } from 'vitest';
import { exampleProfile } from '../support/example-files.ts';
import { type FileCase, replaced, testCases, xeroRow } from '../support/file-cases.ts';

const QUICKBOOKS = 'quickbooks-dues';
const XERO = 'xero-invoices';
const GIFTS = 'blackbaud-gifts';
const SAGE = 'sage-eft';
const BANK = 'bank-ach';
const EXCEL = 'excel-de';

const ROWS: readonly FileCase[] = [
  {
    given: 'invoices and card numbers exchanged under the right titles',
    name: QUICKBOOKS,
    change: (text) => text.replaceAll(/,(100\d),(.*),([45][\d ]{15,}),/g, ',$3,$2,$1,'),
    verdict: 'R',
  },
  {
    given: 'one amount of many with a mark for thousands that the profile does not have',
    name: XERO,
    change: (text) => text + manyRows(99) + xeroRow('X-1', '"1,200.00"'),
    verdict: 'H',
    codes: ['NUMBER_FORMAT'],
    sent: ['INV-0042 120.00', 'INV-0043 60.00', ...Array.from({ length: 99 }, (_, row) => `N-${row} 25.00`)],
  },
  {
    given: 'a row whose parts are off by a cent',
    name: XERO,
    change: replaced(['120.00,20.00,0.00,120.00', '120.01,20.00,0.00,120.00']),
    verdict: 'H',
    codes: ['SUM_DIFFERS'],
    says: ['"Total": the others add up to 120.00'],
    sent: ['INV-0043 60.00'],
  },
  {
    given: 'a part that is no amount',
    name: XERO,
    change: replaced(['120.00,20.00,0.00,120.00', '120.00,20.00,none,120.00']),
    verdict: 'H',
    codes: ['NUMBER_FORMAT'],
    sent: ['INV-0043 60.00'],
  },
  {
    given: 'another currency',
    name: XERO,
    change: replaced(['120.00,GBP', '120.00,EUR']),
    verdict: 'H',
    codes: ['CELL_WORD'],
    says: ['"Currency"'],
    sent: ['INV-0043 60.00'],
  },
  {
    given: 'an unlisted status',
    name: XERO,
    change: replaced(['Sales invoice,Awaiting', 'Sales invoice,Scheduled']),
    verdict: 'H',
    codes: ['WORD_UNLISTED'],
    says: ['"Status"'],
    sent: ['INV-0043 60.00'],
  },
  {
    given: 'a listed status of rows that are left out',
    name: XERO,
    verdict: 'T',
    codes: ['PROFILE_SKIPPED'],
    says: ['Status: Paid, 1 row, sum 0.00; Type: Sales credit note, 1 row, sum 10.00'],
  },
  {
    given: 'an invoice that comes again with the same amount',
    name: XERO,
    change: replaced(
      ['INV-0043', 'INV-0042'],
      ['B0018', 'B0017'],
      ['90.00,15.00,30.00,60.00', '120.00,20.00,0.00,120.00'],
    ),
    verdict: 'H',
    codes: ['INVOICE_REPEATED'],
    says: ['"InvoiceNumber": the first is on line 2'],
    sent: ['INV-0042 120.00', 'INV-0042 120.00'],
  },
  {
    given: 'an invoice that comes again with another amount',
    name: XERO,
    change: replaced(['INV-0043', 'INV-0042']),
    verdict: 'H',
    codes: ['INVOICE_REPEATED'],
    sent: ['INV-0042 120.00', 'INV-0042 60.00'],
  },
  {
    given: 'an invoice that comes again, where that is allowed',
    name: XERO,
    change: replaced(['INV-0043', 'INV-0042']),
    profile: exampleProfile(XERO, ['repeatedInvoice: hold', 'repeatedInvoice: allow']),
    verdict: 'T',
    sent: ['INV-0042 120.00', 'INV-0042 60.00'],
  },
  {
    given: 'a blank row where none is allowed',
    name: QUICKBOOKS,
    profile: exampleProfile(QUICKBOOKS, ['rows:', 'rows:\n  blank: refuse']),
    verdict: 'R',
    codes: ['ROW_MISPLACED'],
    says: ['a blank row'],
  },
  {
    given: 'refunds among charges',
    name: XERO,
    change: replaced(['90.00,15.00,30.00,60.00', '-90.00,15.00,-30.00,-60.00']),
    verdict: 'H',
    sent: ['INV-0042 120.00'],
  },
  {
    given: 'a refund in parentheses among charges',
    name: GIFTS,
    change: replaced(['$25.00', '($25.00)']),
    verdict: 'H',
    sent: ['G-79 1000.00'],
  },
  {
    given: 'refunds among charges, which the profile leaves out',
    name: XERO,
    change: replaced(['90.00,15.00,30.00,60.00', '-90.00,15.00,-30.00,-60.00']),
    profile: exampleProfile(XERO, ['repeatedInvoice: hold', 'otherSign: skip']),
    verdict: 'T',
    says: ['other sign, 1 row, sum -60.00'],
    sent: ['INV-0042 120.00'],
  },
];

describe('rows', () => testCases(ROWS));

function manyRows(count: number): string {
  return Array.from({ length: count }, (_, row) => xeroRow(`N-${row}`, '25.00')).join('');
}

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
