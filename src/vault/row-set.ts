import type { Fingerprinter } from './fingerprint.ts';
import { keyedMessage } from './keyed-message.ts';
import { keyFor } from './row-print.ts';

/** The mark of a set of rows while they stream by: the same for the same rows in any order. */
export type RowSet = {
  /** A row from its first byte to the one behind its last, in which nothing but its cells counts. */
  add(bytes: Uint8Array, from: number, to: number): void;
  /** 32 hex digits; null for no rows. */
  mark(): string | null;
};

/**
 * Marks the rows of a file whatever their order (F69), without keeping them. Each row is hashed with a key, and the
 * hashes are added up, as numbers, piece by piece; the mark is a keyed hash of the sums.
 *
 * Added, and not combined by XOR: there two equal rows would cancel each other, so that a file with a payment written
 * twice, or a hundred times, would look like one without it. Sums only grow. With the key unknown nobody can look for
 * rows whose hashes have the same sum as others, and by chance two files meet once in 2^128.
 * @param key of rowSetKey
 */
export function openRowSet(key: Uint8Array): RowSet {
  const message = keyedMessage(key);
  const sums = new Float64Array(PIECES);
  let rows = 0;

  return {
    add: (bytes, from, to) => {
      message.begin();
      message.add(bytes, from, to);
      const digest = message.digest();
      for (let piece = 0; piece < PIECES; piece += 1) {
        sums[piece]! += digest.charCodeAt(2 * piece) | (digest.charCodeAt(2 * piece + 1) << 8);
      }
      rows += 1;
    },
    mark: () => (rows === 0 ? null : markOf(rows, sums)),
  };

  function markOf(count: number, pieces: Float64Array): string {
    message.begin();
    message.add(SUMS, 0, SUMS.length);
    message.addNumber(count);
    for (const sum of pieces) message.addNumber(sum);
    return Buffer.from(message.digest(), 'latin1').toString('hex', 0, MARK_BYTES);
  }
}

/** A key of its own, so that the hash of a row here says nothing about its print. */
export function rowSetKey(fingerprint: Fingerprinter): Buffer {
  return keyFor(fingerprint, ['sets of rows']);
}

/** Pieces of 16 bits. Their sums are exact up to 2^37 rows. */
const PIECES = 16;

const MARK_BYTES = 16;

/** Begins with a byte that stands in no text, so that no row can pass for sums. */
const SUMS = Buffer.from([0xff, 0x73, 0x75, 0x6d, 0x73]);
