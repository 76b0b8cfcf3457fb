import type { Fingerprinter } from './fingerprint.ts';
import { keyedMessage } from './keyed-message.ts';

/** By what a payment is known again within its account and operation: the bytes of invoice and payer, and the cents. */
export type RowPrinter = {
  /**
   * Writes the print, `PRINT_BYTES` long, to its place.
   * @param bytes in which invoice and payer stand, each from its first byte to the one behind its last
   */
  print(
    bytes: Uint8Array,
    invoice: { from: number; to: number },
    payer: { from: number; to: number },
    cents: number,
    to: Uint8Array,
    at: number,
  ): void;
};

/** Two payments of a hundred million have the same print once in some ten thousand million files of a million rows. */
export const PRINT_BYTES = 11;

/** @param key of printKey */
export function openRowPrinter(key: Uint8Array): RowPrinter {
  const message = keyedMessage(key);
  return {
    print: (bytes, invoice, payer, cents, to, at) => {
      message.begin();
      message.addPart(bytes, invoice.from, invoice.to);
      message.addPart(bytes, payer.from, payer.to);
      message.addNumber(cents);
      const digest = message.digest();
      for (let index = 0; index < PRINT_BYTES; index += 1) to[at + index] = digest.charCodeAt(index);
    },
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
