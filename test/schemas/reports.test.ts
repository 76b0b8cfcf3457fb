import { describe, expect, it } from 'vitest';
import { FIELDS } from '../../schemas/fields.ts';
import { REPORT_FIELDS, reportPurpose, type ReportRow, REPORTS } from '../../schemas/reports.ts';

const ROWS = Object.entries(REPORTS) as [string, ReportRow][];
const WORDS = { card: 'CreditCard', bank: 'ACHEFT' } as const;
const LISTS = { approved: 'Approved', rejected: 'Reject', returned: 'Return', reconciliation: '' } as const;
const PERIODS = { day: 'SpecificDate', range: 'DateRange' } as const;

describe('REPORTS', () => {
  it('has the 17 reports of public clients', () => {
    expect(ROWS).toHaveLength(17);
  });

  it.each(ROWS)('%s is named after what stands in its row', (name, { method, list, period, form }) => {
    const what = list === 'reconciliation' ? 'BankReconciliationReport' : LISTS[list] + PERIODS[period];
    expect(name).toBe(`get${WORDS[method]}${what}${form}`);
  });

  it.each(ROWS)('%s is offered where such payments are', (_name, { method, servers }) => {
    expect(servers).toEqual(method === 'card' ? ['NA', 'UK'] : ['NA']);
  });

  it.each(ROWS)('%s has the elements of its period in their order', (_name, { list, period, wire }) => {
    const expected =
      list === 'reconciliation'
        ? 'fromDate toDate currency summaryOnly customerIPAddress'
        : { day: 'date customerIPAddress', range: 'fromDate toDate customerIPAddress startIndex endIndex' }[period];
    expect(wire.join(' ')).toBe(expected);
  });
});

describe('REPORT_FIELDS', () => {
  it.each(['fromDate', 'toDate', 'customerIPAddress'] as const)('%s is of the kind that it has in the spec', (name) => {
    expect(REPORT_FIELDS[name].kind).toBe(FIELDS[name].kind);
  });
});

describe('reportPurpose', () => {
  it.each([
    ['getCreditCardRejectSpecificDateCSV', 'Rejected card payments of a day, as CSV'],
    ['getACHEFTReturnDateRangeCSV', 'Returned bank payments of a range of time, as CSV'],
    ['getACHEFTBankReconciliationReportCSV', 'What the bank paid out for bank payments, as CSV'],
  ] as const)('says of %s: %s', (name, purpose) => {
    expect(reportPurpose(REPORTS[name])).toBe(purpose);
  });
});
