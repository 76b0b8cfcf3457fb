import type { FieldName } from './fields.ts';
import type { FolderOperation } from './operations.ts';

/**
 * Every column of the batch files, once.
 *
 * `title`     the spec's words, used as header text and in messages
 * `kind`      which rule checks it and how it is written to the service
 * `freeText`  commas, quotes and line ends become a space instead of making the row invalid
 * `required`  must not be empty
 * `field`     the service's field that it carries; its length limit applies here too
 */
type ColumnRow = {
  readonly title: string;
  readonly kind: ColumnKind;
  readonly freeText: boolean;
  readonly required: boolean;
  readonly field?: FieldName;
};

export type ColumnKind =
  | 'date'
  | 'invoice'
  | 'text'
  | 'amount'
  | 'mop'
  | 'cardNumber'
  | 'expiry'
  | 'accountType'
  | 'accountNumber'
  | 'customerCode';

export const COLUMNS = {
  date: { title: 'Date', kind: 'date', freeText: false, required: true },
  invoice: { title: 'Invoice #', kind: 'invoice', freeText: false, required: true, field: 'invoiceNum' },
  firstName: { title: 'First Name', kind: 'text', freeText: true, required: false, field: 'firstName' },
  lastName: { title: 'Last Name', kind: 'text', freeText: true, required: false, field: 'lastName' },
  fullName: { title: 'Full Name', kind: 'text', freeText: true, required: false, field: 'creditCardCustomerName' },
  street: { title: 'Street', kind: 'text', freeText: true, required: false, field: 'address' },
  city: { title: 'City', kind: 'text', freeText: true, required: false, field: 'city' },
  state: { title: 'State', kind: 'text', freeText: false, required: false, field: 'state' },
  zipCode: { title: 'Zip Code', kind: 'text', freeText: false, required: false, field: 'zipCode' },
  amount: { title: 'Amount', kind: 'amount', freeText: false, required: true, field: 'total' },
  mop: { title: 'MOP', kind: 'mop', freeText: false, required: true, field: 'mop' },
  cardNumber: { title: 'Credit Card #', kind: 'cardNumber', freeText: false, required: true, field: 'creditCardNum' },
  expiry: { title: 'Expiry', kind: 'expiry', freeText: false, required: true, field: 'creditCardExpiry' },
  accountType: { title: 'Account Type', kind: 'accountType', freeText: false, required: true, field: 'accountType' },
  accountNumber: { title: 'Account #', kind: 'accountNumber', freeText: false, required: true, field: 'accountNum' },
  customerCode: {
    title: 'Customer Code',
    kind: 'customerCode',
    freeText: false,
    required: true,
    field: 'customerCode',
  },
  comment: { title: 'Comment', kind: 'text', freeText: true, required: false, field: 'comment' },
} as const satisfies Record<string, ColumnRow>;

export type ColumnName = keyof typeof COLUMNS;

/**
 * The five layouts of batch files. Operation and number of columns together identify exactly one. Seven columns are a
 * bank file for the ACH operations and a Canadian card file for the card operation. Four columns look alike for all
 * three. So the layout is never guessed from the content.
 *
 * `countries` countries of the clients that use it, where the spec makes a difference
 */
type LayoutRow = {
  readonly title: string;
  readonly operations: readonly FolderOperation[];
  readonly columns: readonly ColumnName[];
  readonly countries?: readonly Country[];
};

/** Country of the merchant account. */
export const COUNTRIES = ['US', 'CA', 'UK'] as const;
export type Country = (typeof COUNTRIES)[number];

export const LAYOUTS = {
  ach: {
    title: 'bank account, without customer codes',
    operations: ['ach-charge', 'ach-refund'],
    columns: ['invoice', 'firstName', 'lastName', 'accountType', 'accountNumber', 'amount', 'comment'],
  },
  'ach-code': {
    title: 'bank account, with customer codes',
    operations: ['ach-charge', 'ach-refund'],
    columns: ['invoice', 'customerCode', 'amount', 'comment'],
  },
  card: {
    title: 'card, without customer codes, US and UK clients',
    operations: ['card'],
    columns: [
      'date',
      'invoice',
      'firstName',
      'lastName',
      'street',
      'city',
      'state',
      'zipCode',
      'amount',
      'mop',
      'cardNumber',
      'expiry',
    ],
    countries: ['US', 'UK'],
  },
  'card-ca': {
    title: 'card, without customer codes, Canadian clients',
    operations: ['card'],
    columns: ['date', 'invoice', 'fullName', 'amount', 'mop', 'cardNumber', 'expiry'],
    countries: ['CA'],
  },
  'card-code': {
    title: 'card, with customer codes',
    operations: ['card'],
    columns: ['invoice', 'customerCode', 'amount', 'comment'],
  },
} as const satisfies Record<string, LayoutRow>;

export type LayoutName = keyof typeof LAYOUTS;

/**
 * The column that rejects and retry files have after those of their layout. It is ignored when such a file is dropped
 * again.
 */
export const REASON_TITLE = 'Reason';

/** The columns that a result has after those of the input, in this order. */
export const RESULT_TITLES = [
  'Outcome',
  'Code',
  'Message',
  'Authorization',
  'Batch Id',
  'Sent At',
  'Result At',
  'Attempt',
  'Amount Charged',
  'Currency',
  'Account',
  'Meaning',
] as const;
export type ResultTitle = (typeof RESULT_TITLES)[number];

/** Returns the one layout of an operation with this number of columns, if any. */
export function layoutOf(operation: FolderOperation, columnCount: number): LayoutName | undefined {
  return ROWS.find(([, layout]) => layout.operations.includes(operation) && layout.columns.length === columnCount)?.[0];
}

const ROWS = Object.entries(LAYOUTS) as readonly [LayoutName, LayoutRow][];

export function columnsOf(layout: LayoutName): readonly ColumnName[] {
  return LAYOUTS[layout].columns;
}
