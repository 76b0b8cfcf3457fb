import { keyedHash } from '../../rows/keyed-hash.ts';

/** What identifies a payment among others, as positions in a run of bytes; each part ends before its `End`. */
export type PaymentBytes = {
  output: Uint8Array;
  invoiceStart: number;
  invoiceEnd: number;
  /** The card or account number, or the customer code. */
  payerStart: number;
  payerEnd: number;
  cents: number;
};

/** Words of the hash of one payment. */
export const HASH_WORDS = 2;

/**
 * Returns the hash function by which payments are compared.
 * @param key two words of 32 random bits, different for each file
 * @returns a function that writes the hash of a payment at index `row` of `hashes`
 */
export function paymentHasher(key: Uint32Array) {
  const hasher = keyedHash(key);
  return (payment: PaymentBytes, hashes: Uint32Array, row: number): void => {
    hasher.takeBytes(payment.output, payment.invoiceStart, payment.invoiceEnd);
    hasher.takeNumber(payment.cents);
    hasher.takeBytes(payment.output, payment.payerStart, payment.payerEnd);
    hasher.finish(hashes, row * HASH_WORDS);
  };
}
