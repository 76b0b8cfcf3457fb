import { createCipheriv } from 'node:crypto';
import { keyedHash } from '../kernel/keyed-hash.ts';
import { deriveKey } from './derive-key.ts';
import type { Fingerprinter } from './fingerprint.ts';

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
export const BLOCK_BYTES = 16;

/**
 * Prints are AES-256 over a keyed hash of 128 bits. What stands in the ledger is encrypted with a key that is not there,
 * so no number can be tried, whatever the hash is worth. The hash makes one block of a payment, so that a single call
 * encrypts those of many rows: a call for each, be it of SHA-256, costs more than all else that is done with a row.
 * @param key of printKey
 */
export function openRowPrinter(key: Uint8Array): RowPrinter {
  const hasher = keyedHash(hashKeyOf(key), BLOCK_WORDS);
  const cipher = createCipheriv('aes-256-ecb', deriveKey(key, ['prints']), null).setAutoPadding(false);
  let blocks = new Uint32Array(FIRST_PRINTS * BLOCK_WORDS);
  let used = 0;

  return {
    add: (bytes, invoiceFrom, invoiceTo, payerFrom, payerTo, cents) => {
      if (used === blocks.length) blocks = doubled(blocks);
      hasher.takeBytes(bytes, invoiceFrom, invoiceTo);
      hasher.takeBytes(bytes, payerFrom, payerTo);
      hasher.takeNumber(cents);
      hasher.finish(blocks, used);
      used += BLOCK_WORDS;
    },
    take: () => {
      // Each block is of another payment, and equal payments are meant to look alike, so no block need hide in the others.
      const prints = cipher.update(new Uint8Array(blocks.buffer, 0, used * 4));
      used = 0;
      return prints;
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

/** What `keyedHash` needs, from a key of keyFor. */
export function hashKeyOf(key: Uint8Array): Uint32Array {
  const bytes = deriveKey(key, ['hashes of rows']);
  return Uint32Array.of(bytes.readUInt32LE(0), bytes.readUInt32LE(4));
}

const BLOCK_WORDS = 4;
const FIRST_PRINTS = 16;

function doubled(blocks: Uint32Array): Uint32Array<ArrayBuffer> {
  const larger = new Uint32Array(2 * blocks.length);
  larger.set(blocks);
  return larger;
}
