import { deriveKey } from './derive-key.ts';
import type { Fingerprinter } from './fingerprint.ts';
import { MAC_BYTES, manyMacs } from './many-macs.ts';

/** By what a payment is known again within its account and operation: the bytes of invoice and payer, and the cents. */
export type RowPrinter = {
  /**
   * Takes a payment; its print comes with those of the others.
   * @param bytes in which invoice and payer stand, each from its first byte to the one behind its last
   */
  add(
    bytes: Uint8Array,
    invoiceFrom: number,
    invoiceTo: number,
    payerFrom: number,
    payerTo: number,
    cents: number,
  ): void;
  /** The prints of what was added since the last call. Of each the first `PRINT_BYTES` of `BLOCK_BYTES` are to be kept. */
  take(): Buffer;
};

/** A row of a file of a million has the print of another payment among a hundred million once in some 200,000 such files. */
export const PRINT_BYTES = 8;

/** From one print to the next. */
export const BLOCK_BYTES = MAC_BYTES;

/**
 * Prints are macs (AES-256-CMAC) over invoice, payer and amount, cut: who has the ledger but not the key can try no number.
 * @param key of printKey
 */
export function openRowPrinter(key: Uint8Array): RowPrinter {
  const macs = manyMacs(deriveKey(key, ['prints']));
  return {
    add: (bytes, invoiceFrom, invoiceTo, payerFrom, payerTo, cents) => {
      // The lengths keep apart what would read the same in one piece.
      macs.addNumber(invoiceTo - invoiceFrom);
      macs.addBytes(bytes, invoiceFrom, invoiceTo);
      macs.addNumber(payerTo - payerFrom);
      macs.addBytes(bytes, payerFrom, payerTo);
      macs.addNumber(cents);
      macs.end();
    },
    take: macs.take,
  };
}

/** A key of 32 bytes for the prints of one account and operation; those of another one have nothing in common with it. */
export function printKey(fingerprint: Fingerprinter, account: string, operation: string): Buffer {
  return keyFor(fingerprint, ['prints of rows', account, operation]);
}

/** Two fingerprints of 16 bytes, of parts that nothing else has. */
export function keyFor(fingerprint: Fingerprinter, use: readonly string[]): Buffer {
  return Buffer.concat([fingerprint(['key', '1', ...use]), fingerprint(['key', '2', ...use])]);
}
