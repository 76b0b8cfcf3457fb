import { FIELDS } from './fields.ts';
import type { Server } from './operations.ts';
import { CURRENCIES } from './restrictions.ts';

/**
 * The operations of ReportLink, the service's transaction reports. They are not in the spec, but known from public
 * clients. On the wire the first letter of a name is a capital, as in the spec's operations.
 *
 * `list`    which payments it lists; a reconciliation lists what the bank paid out
 * `period`  one day, or everything between two moments
 * `servers` bank payments are made, and so reported, in North America only
 * `wire`    order of the elements after agentCode and password
 */
export type ReportRow = {
  readonly method: 'card' | 'bank';
  readonly list: 'approved' | 'rejected' | 'returned' | 'reconciliation';
  readonly period: 'day' | 'range';
  readonly form: 'CSV' | 'XML';
  readonly servers: readonly Server[];
  readonly wire: readonly ReportField[];
};

/**
 * Every element of these requests after the login, once.
 *
 * `required` the caller must give it; other elements are sent empty or as false, as known clients do
 */
type ReportFieldRow = {
  readonly kind: 'dateTime' | 'digits' | 'enum' | 'boolean' | 'ipv4';
  readonly required: boolean;
  readonly about: string;
  readonly values?: readonly string[];
};

export const REPORT_FIELDS = {
  date: { kind: 'dateTime', required: true, about: 'A moment of the day wanted, ISO 8601 with UTC offset' },
  fromDate: { kind: 'dateTime', required: true, about: 'First moment of the range, ISO 8601 with UTC offset' },
  toDate: { kind: 'dateTime', required: true, about: 'Last moment of the range, ISO 8601 with UTC offset' },
  startIndex: { kind: 'digits', required: false, about: 'First line wanted, counted from 0' },
  endIndex: { kind: 'digits', required: false, about: 'Last line wanted, itself included' },
  currency: { kind: 'enum', values: CURRENCIES, required: true, about: 'Currency of the bank account' },
  summaryOnly: { kind: 'boolean', required: false, about: 'TRUE for totals without the single payments' },
  customerIPAddress: { kind: 'ipv4', required: false, about: FIELDS.customerIPAddress.about },
} as const satisfies Record<string, ReportFieldRow>;

export type ReportField = keyof typeof REPORT_FIELDS;

const BOTH = ['NA', 'UK'] as const;
const NA_ONLY = ['NA'] as const;
const DAY = ['date', 'customerIPAddress'] as const;
const RANGE = ['fromDate', 'toDate', 'customerIPAddress', 'startIndex', 'endIndex'] as const;
const BALANCE = ['fromDate', 'toDate', 'currency', 'summaryOnly', 'customerIPAddress'] as const;
const CARD = { method: 'card', servers: BOTH } as const;
const BANK = { method: 'bank', servers: NA_ONLY } as const;
const DAY_XML = { period: 'day', form: 'XML', wire: DAY } as const;
const DAY_CSV = { period: 'day', form: 'CSV', wire: DAY } as const;
const RANGE_CSV = { period: 'range', form: 'CSV', wire: RANGE } as const;
const BALANCE_CSV = { list: 'reconciliation', period: 'range', form: 'CSV', wire: BALANCE } as const;

export const REPORTS = {
  getCreditCardApprovedSpecificDateXML: { ...CARD, list: 'approved', ...DAY_XML },
  getCreditCardApprovedSpecificDateCSV: { ...CARD, list: 'approved', ...DAY_CSV },
  getCreditCardApprovedDateRangeCSV: { ...CARD, list: 'approved', ...RANGE_CSV },
  getCreditCardRejectSpecificDateXML: { ...CARD, list: 'rejected', ...DAY_XML },
  getCreditCardRejectSpecificDateCSV: { ...CARD, list: 'rejected', ...DAY_CSV },
  getCreditCardRejectDateRangeCSV: { ...CARD, list: 'rejected', ...RANGE_CSV },
  getCreditCardBankReconciliationReportCSV: { ...CARD, ...BALANCE_CSV },
  getACHEFTApprovedSpecificDateXML: { ...BANK, list: 'approved', ...DAY_XML },
  getACHEFTApprovedSpecificDateCSV: { ...BANK, list: 'approved', ...DAY_CSV },
  getACHEFTApprovedDateRangeCSV: { ...BANK, list: 'approved', ...RANGE_CSV },
  getACHEFTRejectSpecificDateXML: { ...BANK, list: 'rejected', ...DAY_XML },
  getACHEFTRejectSpecificDateCSV: { ...BANK, list: 'rejected', ...DAY_CSV },
  getACHEFTRejectDateRangeCSV: { ...BANK, list: 'rejected', ...RANGE_CSV },
  getACHEFTReturnSpecificDateXML: { ...BANK, list: 'returned', ...DAY_XML },
  getACHEFTReturnSpecificDateCSV: { ...BANK, list: 'returned', ...DAY_CSV },
  getACHEFTReturnDateRangeCSV: { ...BANK, list: 'returned', ...RANGE_CSV },
  getACHEFTBankReconciliationReportCSV: { ...BANK, ...BALANCE_CSV },
} as const satisfies Record<string, ReportRow>;

export type ReportName = keyof typeof REPORTS;

/** How each server writes and compares report times: the local time of its processor, without an offset. */
export const REPORT_TIMES = {
  NA: { timeZone: 'America/Vancouver', order: 'month/day/year' },
  UK: { timeZone: 'Europe/London', order: 'day/month/year' },
} as const satisfies Record<Server, { timeZone: string; order: string }>;

/** Text of the customer code column for a payment without a code. */
export const NO_CUSTOMER_CODE = 'Quick Client';

/** Returns what a report shows, as a phrase. */
export function reportPurpose({ method, list, period, form }: ReportRow): string {
  const payments = `${method} payments`;
  if (list === 'reconciliation') return `What the bank paid out for ${payments}, as ${form}`;
  const listed = `${list.charAt(0).toUpperCase()}${list.slice(1)} ${payments}`;
  return `${listed} of ${period === 'day' ? 'a day' : 'a range of time'}, as ${form}`;
}
