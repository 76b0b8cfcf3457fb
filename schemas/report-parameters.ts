import { z } from 'zod';
import { addressField, dateTimeField } from './parameters.ts';
import { REPORT_FIELDS, type ReportField, type ReportName, REPORTS } from './reports.ts';
import { CURRENCIES, type Currency } from './restrictions.ts';

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
