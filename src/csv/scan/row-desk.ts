import type { PaymentBytes } from '../check/hash-payment.ts';
import type { Brand } from '../rules/card-brand.ts';

/**
 * What the scanners of cells share while a line is read: its bytes in, canonical bytes out, and what was seen on the
 * way. One desk serves a whole file, because an object for each row would cost more than reading it.
 */
export type RowDesk = PaymentBytes & {
  /** Whole lines; every one that is scanned has its line end in here. */
  input: Buffer;
  /** Where the next canonical byte goes in `output`. */
  to: number;
  /** The cell at hand stands in quotes, so a comma belongs to it. */
  isQuoted: boolean;
  /** Most digits in any one text of the row: among fewer than a number has, it cannot hide. */
  mostDigits: number;
  /** Of the method of payment. */
  brand: Brand | undefined;
  /** The first six digits of the card number. */
  cardStart: number;
  /** Texts of the row whose commas were replaced, as places in `input`. */
  replaced: { readonly column: number; readonly start: number; readonly end: number }[];
};

/** What a scanner of a cell gives when it is not certain that the cell is valid, or what is sent of it. */
export const DECLINED = -1;

export function newRowDesk(): RowDesk {
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
