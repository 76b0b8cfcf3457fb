import { describe, expect, it } from 'vitest';
import { type ReportParametersOf, reportParametersOf } from '../../schemas/report-parameters.ts';
import type { ReportName } from '../../schemas/reports.ts';

const DAY: ReportName = 'getCreditCardApprovedSpecificDateXML';
const RANGE: ReportName = 'getCreditCardApprovedDateRangeCSV';
const BALANCE: ReportName = 'getCreditCardBankReconciliationReportCSV';
const FROM = '2026-06-15T00:00:00-07:00';
const TO = '2026-06-15T23:59:59-07:00';

describe('reportParametersOf', () => {
  it.each<[string, ReportName, object, object]>([
    ['a day', DAY, { date: FROM }, { date: FROM, customerIPAddress: '' }],
    [
      'a Date and an address',
      DAY,
      { date: new Date('2026-06-15T10:00:00Z'), customerIPAddress: '10.0.0.1' },
      { date: '2026-06-15T10:00:00.000Z', customerIPAddress: '10.0.0.1' },
    ],
    [
      'an address that the service mishandles',
      DAY,
      { date: FROM, customerIPAddress: '::1' },
      { date: FROM, customerIPAddress: '' },
    ],
    [
      'a range without a part',
      RANGE,
      { fromDate: FROM, toDate: TO, startIndex: undefined },
      { fromDate: FROM, toDate: TO, startIndex: '', endIndex: '', customerIPAddress: '' },
    ],
    [
      'a part of a moment',
      RANGE,
      { fromDate: FROM, toDate: FROM, startIndex: 0, endIndex: 0 },
      { fromDate: FROM, toDate: FROM, startIndex: '0', endIndex: '0', customerIPAddress: '' },
    ],
    [
      'a reconciliation',
      BALANCE,
      { fromDate: FROM, toDate: TO, currency: 'CAD' },
      { fromDate: FROM, toDate: TO, currency: 'CAD', summaryOnly: 'false', customerIPAddress: '' },
    ],
    [
      'a summary',
      BALANCE,
      { fromDate: FROM, toDate: TO, currency: 'GBP', summaryOnly: true },
      { fromDate: FROM, toDate: TO, currency: 'GBP', summaryOnly: 'true', customerIPAddress: '' },
    ],
  ])('takes %s', (_what, report, parameters, values) => {
    expect(reportParametersOf(report).parse(parameters)).toEqual(values);
  });

  it.each<[string, ReportName, unknown, string]>([
    ['nothing', DAY, undefined, 'must be an object with the parameters of the report'],
    ['no date', DAY, {}, 'is required'],
    [
      'a date without an offset',
      DAY,
      { date: '2026-06-15T00:00:00' },
      'must be a date-time of ISO 8601 with an offset',
    ],
    ['an invalid Date', DAY, { date: new Date(Number.NaN) }, 'must be a date-time of ISO 8601 with an offset'],
    [
      'an element of another report',
      DAY,
      { date: FROM, startIndex: 0 },
      'must be an object with the parameters of the report',
    ],
    ['no address', DAY, { date: FROM, customerIPAddress: 'x' }, 'must be an IP address or empty'],
    ['a range that ends before', RANGE, { fromDate: TO, toDate: FROM }, 'must not be before fromDate'],
    [
      'a range that ends before in other words',
      RANGE,
      { fromDate: '2026-06-15T00:00:00-07:00', toDate: '2026-06-15T06:59:59Z' },
      'must not be before fromDate',
    ],
    ['a half line', RANGE, { fromDate: FROM, toDate: TO, startIndex: 0.5 }, 'must be a whole number'],
    ['a line as text', RANGE, { fromDate: FROM, toDate: TO, startIndex: '0' }, 'must be a whole number'],
    ['a line below the first', RANGE, { fromDate: FROM, toDate: TO, endIndex: -1 }, 'must be 0 or more'],
    [
      'a part that ends before',
      RANGE,
      { fromDate: FROM, toDate: TO, startIndex: 2, endIndex: 1 },
      'must not be before startIndex',
    ],
    ['no currency', BALANCE, { fromDate: FROM, toDate: TO }, 'must be one of USD, CAD, GBP, EUR'],
    [
      'no boolean',
      BALANCE,
      { fromDate: FROM, toDate: TO, currency: 'USD', summaryOnly: 'true' },
      'must be true or false',
    ],
  ])('refuses %s', (_what, report, parameters, message) => {
    const { error } = reportParametersOf(report).safeParse(parameters);
    expect(error?.issues.map((issue) => issue.message)).toEqual([message]);
  });

  it('names each parameter with its type', () => {
    const range: ReportParametersOf<typeof RANGE> = { fromDate: FROM, toDate: new Date(0), startIndex: undefined };
    // @ts-expect-error a range has an end
    const open: ReportParametersOf<'getACHEFTRejectDateRangeCSV'> = { fromDate: FROM };
    // @ts-expect-error a day is not a range
    const day: ReportParametersOf<'getACHEFTRejectSpecificDateCSV'> = { date: FROM, toDate: TO };
    expect([range, open, day]).toHaveLength(3);
  });
});
