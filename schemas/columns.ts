import type { FieldName } from './fields.ts';

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
