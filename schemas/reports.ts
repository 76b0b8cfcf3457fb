import { z } from 'zod';
import { FIELDS } from './fields.ts';
import type { Server } from './operations.ts';
import { addressField, dateTimeField } from './parameters.ts';
import { CURRENCIES, type Currency } from './restrictions.ts';

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

/** The parameters of a report as a caller writes them. Dates are `Date` or ISO 8601 with an offset. */
export type ReportParametersOf<R extends ReportName> = {
  [F in Extract<FieldsOf<R>, RequiredField>]: ReportValue<F>;
} & {
  [F in Exclude<FieldsOf<R>, RequiredField>]?: ReportValue<F> | undefined;
};

type FieldsOf<R extends ReportName> = (typeof REPORTS)[R]['wire'][number];
type RequiredField = {
  [F in ReportField]: (typeof REPORT_FIELDS)[F]['required'] extends true ? F : never;
}[ReportField];

type ReportValue<F extends ReportField> = F extends 'currency'
  ? Currency
  : ValueOfKind<(typeof REPORT_FIELDS)[F]['kind']>;
type ValueOfKind<Kind> = Kind extends 'dateTime'
  ? Date | string
  : Kind extends 'digits'
    ? number
    : Kind extends 'boolean'
      ? boolean
      : string;

type ReportValues = Partial<Record<ReportField, string>>;

/**
 * Returns the check for the parameters of one report, which outputs text for the wire, with every element. It refuses a
 * range that ends before it begins: the empty report would look like proof that nothing was booked.
 * @internal its type needs zod, which is inside the package
 */
export function reportParametersOf(report: ReportName): z.ZodType<ReportValues> {
  const { wire } = REPORTS[report];
  const shape = Object.fromEntries(
    wire.map((name: ReportField) => {
      const field = fieldOf(name);
      return [name, REPORT_FIELDS[name].required ? field : field.optional()];
    }),
  );
  const fields: z.ZodType = z.strictObject(shape, { error: 'must be an object with the parameters of the report' });
  return fields
    .refine((values) => isInOrder(values as ReportValues, 'fromDate', 'toDate', Date.parse), {
      path: ['toDate'],
      error: 'must not be before fromDate',
    })
    .refine((values) => isInOrder(values as ReportValues, 'startIndex', 'endIndex', Number), {
      path: ['endIndex'],
      error: 'must not be before startIndex',
    })
    .transform((values) => ({ ...emptyValues(wire), ...withoutUndefined(values as ReportValues) }));
}

function fieldOf(name: ReportField): z.ZodType {
  const row = REPORT_FIELDS[name];
  switch (row.kind) {
    case 'dateTime':
      return dateTimeField();
    case 'digits':
      return z.int({ error: 'must be a whole number' }).min(0, { error: 'must be 0 or more' }).transform(String);
    case 'boolean':
      return z.boolean({ error: 'must be true or false' }).transform(String);
    case 'enum':
      return z.enum(CURRENCIES, { error: `must be one of ${CURRENCIES.join(', ')}` });
    case 'ipv4':
      return addressField();
  }
}

function isInOrder(values: ReportValues, first: ReportField, last: ReportField, read: (text: string) => number) {
  const [from, to] = [values[first], values[last]];
  return from === undefined || to === undefined || read(from) <= read(to);
}

function emptyValues(wire: readonly ReportField[]): ReportValues {
  return Object.fromEntries(wire.map((name) => [name, REPORT_FIELDS[name].kind === 'boolean' ? 'false' : '']));
}

function withoutUndefined(values: ReportValues): ReportValues {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined));
}
