import { describe } from 'vitest';
import { exampleProfile } from '../support/example-files.ts';
import { type FileCase, replaced, testCases, xeroRow } from '../support/file-cases.ts';

const QUICKBOOKS = 'quickbooks-dues';
const XERO = 'xero-invoices';
const GIFTS = 'blackbaud-gifts';

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
