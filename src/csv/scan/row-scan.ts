import type { PaymentBytes } from '../check/duplicate-rows.ts';
import type { Brand } from '../rules/card-brand.ts';
import { type ColumnName, COLUMNS } from '../../../schemas/layouts.ts';

/**
 * State that the cell scanners share while a line is read: its bytes in, canonical bytes out, and findings. One object
 * serves the whole file, because an object per row would cost more than reading the row.
 */
export type RowScan = PaymentBytes & {
  input: Buffer;
  to: number;
  /** The current cell is in quotes, so a comma belongs to it. */
  isQuoted: boolean;
  /** Most digits in any one text of the row. A number with more digits cannot hide there. */
  mostDigits: number;
  brand: Brand | undefined;
  cardStart: number;
  /** Texts of the row whose commas were replaced, as positions in `input`. */
  replaced: { readonly column: number; readonly start: number; readonly end: number }[];
};

/** A cell scanner returns this when it is not certain that the cell is valid, or what to send. */
export const DECLINED = -1;

export function newRowScan(): RowScan {
  return {
    input: Buffer.alloc(0),
    output: new Uint8Array(0),
    to: 0,
    isQuoted: false,
    mostDigits: 0,
    brand: undefined,
    cardStart: 0,
    replaced: [],
    invoiceStart: 0,
    invoiceEnd: 0,
    payerStart: 0,
    payerEnd: 0,
    cents: 0,
  };
}

/** Returns the indexes of the columns with a meaning of their own; -1 for those that the layout lacks. */
export function placesOf(columns: readonly ColumnName[]) {
  const numberColumns: readonly ColumnName[] = ['cardNumber', 'accountNumber'];
  return {
    invoice: columns.indexOf('invoice'),
    customerCode: columns.indexOf('customerCode'),
    amount: columns.indexOf('amount'),
    mop: columns.indexOf('mop'),
    state: columns.indexOf('state'),
    zipCode: columns.indexOf('zipCode'),
    number: columns.findIndex((column) => numberColumns.includes(column)),
    texts: columns.flatMap((column, index) => (TEXT_KINDS.includes(COLUMNS[column].kind) ? [index] : [])),
  };
}

const TEXT_KINDS: readonly string[] = ['invoice', 'text', 'customerCode'];
