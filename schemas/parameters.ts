import { z } from 'zod';
import { amountLimit, FIELDS, type FieldName, lengthLimit, type LimitedField, type ServiceLimits } from './fields.ts';
import { type OperationName, OPERATIONS, type Server } from './operations.ts';
import { extraMops, sentMop, SERVER_MOPS } from './restrictions.ts';

/**
 * The parameters of an operation as a caller writes them. Those that the spec leaves unstated are optional. Dates are
 * `Date` or ISO 8601 with an offset, the batch file is its bytes, amounts are decimal text.
 *
 * Beware of `recurring` in updates: the wire cannot omit it. An update without it sends false, and now as both dates,
 * which switches a stored schedule off. To keep it, read the record first and send its schedule.
 */
export type ParametersOf<O extends OperationName> = {
  [F in (typeof OPERATIONS)[O]['required'][number]]: ParameterValue<F>;
} & {
  [F in (typeof OPERATIONS)[O]['optional' | 'unstated'][number]]?: ParameterValue<F> | undefined;
};

type ParameterValue<F extends FieldName> = F extends 'scheduleType'
  ? ValueOfRow<(typeof FIELDS)[F]> | ''
  : F extends 'mop'
    ? ValueOfRow<(typeof FIELDS)[F]> | 'MAESTRO' | 'VISA DEBIT' | 'MC DEBIT'
    : ValueOfRow<(typeof FIELDS)[F]>;

type ValueOfRow<Row> = Row extends { kind: 'boolean' }
  ? boolean
  : Row extends { kind: 'dateTime' }
    ? Date | string
    : Row extends { kind: 'base64' }
      ? Uint8Array
      : Row extends { kind: 'enum'; values: readonly (infer Value)[] }
        ? Value
        : string;

/** Values as sent in the request: text, `true` or `false`, base64. */
export type WireValues = Partial<Record<FieldName, string>>;

/**
 * Returns the check for the parameters of one operation, which outputs text for the wire. Messages say what a field
 * must be and never what it was, because the value may be a card number.
 *
 * An optional field may be empty, which the service takes as not given. So may most required texts, because the spec
 * requires fields that many payers lack, such as a company. Only fields that name the target must not be empty.
 * @param limits those of the account, where they differ from our assumptions
 * @internal its type needs zod, which is inside the package
 */
export function parametersOf(
  operation: OperationName,
  server: Server,
  limits: ServiceLimits = {},
): z.ZodType<WireValues> {
  const key = `${operation} ${server} ${JSON.stringify(limits)}`;
  const known = CHECKS.get(key) ?? makeCheck({ operation, server, limits });
  CHECKS.set(key, known);
  return known;
}

/** Cached, because making a check takes longer than the rest of a call. */
const CHECKS = new Map<string, z.ZodType<WireValues>>();

type Place = { readonly operation: OperationName; readonly server: Server; readonly limits: ServiceLimits };

function makeCheck(place: Place): z.ZodType<WireValues> {
  const { operation } = place;
  const { required, optional, unstated } = namesOf(operation);
  const shape = Object.fromEntries([
    ...required.map((name) => [name, fieldOf(name, place, mayBeEmpty(name, operation))] as const),
    ...[...optional, ...unstated].map((name) => [name, fieldOf(name, place, true).optional()] as const),
  ]);
  const fields: z.ZodType = z.strictObject(shape, { error: 'must be an object with the parameters of the operation' });
  const rules = PAIR_RULES.filter((rule) => OPERATIONS[operation].wire.some((name) => name === rule.needs));
  const checked = rules.reduce(
    (schema, { field, message, isKept }) =>
      schema.refine((values) => isKept(values as WireValues), {
        path: [field],
        error: message,
        // Also run beside faults of single fields, so that the caller learns of all faults at once.
        when: ({ value }) => typeof value === 'object' && value !== null,
      }),
    fields,
  );
  return checked as z.ZodType<WireValues>;
}

type Names = readonly FieldName[];

function namesOf(operation: OperationName): { required: Names; optional: Names; unstated: Names } {
  return OPERATIONS[operation];
}

/**
 * Returns whether a field may be empty. Spec and wire allow it for schedule and IP address; in the two lists, no
 * customer code means all.
 */
function mayBeEmpty(name: FieldName, operation: OperationName): boolean {
  if (name === 'scheduleType' || name === 'amount' || name === 'customerIPAddress') return true;
  if (name === 'customerCode') return namesOf(operation).required.includes('fromDate');
  return FIELDS[name].kind === 'text' && name !== 'transactionId' && name !== 'batchId';
}

function fieldOf(name: FieldName, { operation, server, limits }: Place, isEmptyTaken: boolean): z.ZodType {
  const row = FIELDS[name];
  switch (row.kind) {
    case 'boolean':
      return z.boolean({ error: say('must be true or false') }).transform(String);
    case 'dateTime':
      return dateTimeField();
    case 'base64':
      return z
        .custom<Uint8Array>((value) => value instanceof Uint8Array && value.length > 0, {
          error: say('must be the bytes of a file that is not empty'),
        })
        .transform((bytes) => Buffer.from(bytes).toString('base64'));
    case 'decimal':
      return amountOf(name === 'total' ? totalOf(operation) : AMOUNT, limits);
    case 'expiry':
      return pattern(/^(?:0[1-9]|1[0-2])\/\d\d$/, 'must be MM/YY', isEmptyTaken);
    case 'ipv4':
      return addressField();
    case 'digits':
      return digitsOf(name as LimitedField, limits, isEmptyTaken);
    case 'enum':
      return name === 'mop' ? mopOf(server, isEmptyTaken) : choice(row.values, isEmptyTaken);
    case 'text':
      return freeText(name as LimitedField, limits, isEmptyTaken);
  }
}

/** The check of a recurring amount: at most two decimals, no sign, no grouping. */
const AMOUNT = pattern(/^\d+(?:\.\d{1,2})?$/, 'must be a decimal number of 0 or more', true);

/** Adds the limit of digits to the check of an amount. */
function amountOf(check: z.ZodType<string>, limits: ServiceLimits): z.ZodType {
  const { most, whose } = amountLimit(limits);
  const error = `must have at most ${most} digits before the point ${whose}`;
  return check.refine((value) => value.replace(/^-|\..*$/g, '').length <= most, { error });
}

/** Returns the check for the total. A negative charge would pay out, and a positive refund would charge. */
function totalOf(operation: OperationName): z.ZodType<string> {
  const isRefund = namesOf(operation).required.includes('transactionId');
  const sign = isRefund ? '-' : '';
  const whole = new RegExp(`^${sign}(?=.*[1-9])\\d+(?:\\.\\d{1,2})?$`);
  return pattern(whole, `must be a ${isRefund ? 'negative' : 'positive'} decimal number`, false);
}

function digitsOf(name: LimitedField, limits: ServiceLimits, isEmptyTaken: boolean): z.ZodType {
  const least = name === 'cvv2' ? 3 : 4;
  const { most, whose } = lengthLimit(name, limits);
  const whole = new RegExp(`^\\d{${least},${most}}$`);
  return pattern(whole, `must be ${least} to ${most} digits ${whose}`, isEmptyTaken);
}

function choice(values: readonly string[], isEmptyTaken: boolean): z.ZodType<string> {
  return text().refine((value) => (value === '' && isEmptyTaken) || values.includes(value), {
    error: `must be one of ${values.join(', ')}`,
  });
}

/**
 * Returns the check for the method of payment. Words that only the table of restrictions has are accepted and sent as
 * the spec has them: of a debit card its brand.
 */
function mopOf(server: Server, isEmptyTaken: boolean): z.ZodType {
  const mop = choice([...SERVER_MOPS[server], ...extraMops(server)], isEmptyTaken);
  return mop.transform((word) => sentMop(server, word));
}

/** Returns the check for an IP address. The service's fraud tools mishandle IPv6, so it is sent as empty. @internal */
export function addressField(): z.ZodType {
  return text()
    .refine((value) => value === '' || isIpv4(value) || isIpv6(value), { error: 'must be an IP address or empty' })
    .transform((value) => (isIpv4(value) ? value : ''));
}

/** XML cannot carry these characters, not even escaped; they would be silently lost. */
const NOT_IN_XML = /[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/u;

function freeText(name: LimitedField, limits: ServiceLimits, isEmptyTaken: boolean): z.ZodType {
  const { most, whose } = lengthLimit(name, limits);
  return text()
    .refine((value) => isEmptyTaken || value.trim() !== '', { error: 'must not be empty' })
    .refine((value) => value.length <= most, { error: `must be at most ${most} characters ${whose}` })
    .refine((value) => !NOT_IN_XML.test(value), { error: 'must not hold control characters' });
}

function pattern(whole: RegExp, message: string, isEmptyTaken: boolean): z.ZodType<string> {
  return text().refine((value) => (value === '' && isEmptyTaken) || whole.test(value), { error: message, abort: true });
}

function text() {
  return z.string({ error: say('must be text') });
}

function say(message: string) {
  return (issue: { input?: unknown }) => (issue.input === undefined ? 'is required' : message);
}

function isIpv4(value: string): boolean {
  return z.ipv4().safeParse(value).success;
}

function isIpv6(value: string): boolean {
  return z.ipv6().safeParse(value).success;
}

/** The service reads date-times by XML Schema, which requires the seconds that ISO 8601 may omit. */
const DATE_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,7})?(?:Z|[+-](?:0\d|1[0-4]):[0-5]\d)$/;
const CalendarTime = z.iso.datetime({ offset: true });

/** @internal */
export function dateTimeField(): z.ZodType<string> {
  return z
    .custom<Date | string>(isDateTime, { error: say('must be a date-time of ISO 8601 with an offset') })
    .transform(dateTimeText);
}

function isDateTime(value: unknown): value is Date | string {
  if (value instanceof Date) return !Number.isNaN(value.getTime()) && DATE_TIME.test(value.toISOString());
  return typeof value === 'string' && DATE_TIME.test(value) && CalendarTime.safeParse(value).success;
}

function dateTimeText(value: Date | string): string {
  return typeof value === 'string' ? value : value.toISOString();
}

/** A rule between fields, for operations that have the field `needs`. */
type PairRule = {
  readonly needs: FieldName;
  readonly field: FieldName;
  readonly message: string;
  readonly isKept: (values: WireValues) => boolean;
};

/** Requires a field once `flag` is true; the request would otherwise carry made-up values. */
function neededWith(flag: FieldName, field: FieldName, message: string): PairRule {
  return { needs: flag, field, message, isKept: (values) => values[flag] !== 'true' || Boolean(values[field]) };
}

const PAIR_RULES: readonly PairRule[] = [
  {
    needs: 'scheduleType',
    field: 'scheduleDate',
    message: 'must be 1 to 31 for Monthly, 1 to 7 for Weekly and empty for all others',
    isKept: ({ scheduleType = '', scheduleDate = '' }) => {
      if (scheduleType === 'Monthly') return /^(?:[1-9]|[12]\d|3[01])$/.test(scheduleDate);
      return scheduleType === 'Weekly' ? /^[1-7]$/.test(scheduleDate) : scheduleDate === '';
    },
  },
  {
    needs: 'recurring',
    field: 'amount',
    message: 'must be more than 0 when recurring is true',
    isKept: ({ recurring, amount = '' }) => recurring !== 'true' || /[1-9]/.test(amount),
  },
  neededWith('recurring', 'beginDate', 'must be given when recurring is true'),
  neededWith('recurring', 'endDate', 'must be given when recurring is true'),
  neededWith('recurring', 'scheduleType', 'must be given when recurring is true'),
  neededWith('updateAccountNum', 'accountNum', 'must be given when updateAccountNum is true'),
  neededWith('updateCreditCardNum', 'creditCardNum', 'must be given when updateCreditCardNum is true'),
];
