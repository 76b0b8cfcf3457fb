import { createHmac } from 'node:crypto';
import { keyedHash } from '../../rows/keyed-hash.ts';
import type { Fingerprinter } from './fingerprint.ts';
import { deriveKey } from '../derive-key.ts';
import { keyFor } from './row-print.ts';

/** The mark of a set of rows while they stream by: the same for the same rows in any order. */
export type RowSet = {
  /** A row from its first byte to the one behind its last, in which nothing but its cells counts. */
  add(bytes: Uint8Array, from: number, to: number): void;
  /** 32 hex digits; null for no rows. */
  mark(): string | null;
};

/**
 * Marks the rows of a file whatever their order, without keeping them. Each row is hashed with a key, and the
 * hashes are added up, word by word, modulo 2^32; the mark is an HMAC of the sums. Neither the hashes nor the sums are
 * ever given away, so a quick hash will do.
 *
 * Added, and not combined by XOR: there two equal rows would cancel each other, so that a file with a payment written
 * twice, or a hundred times, would look like one without it. With the key unknown nobody can look for
 * rows whose hashes have the same sum as others, and by chance two files meet once in 2^64.
 * @param key of rowSetKey
 */
export function openRowSet(key: Uint8Array): RowSet {
  const hasher = keyedHash(hashKeyOf(key));
  const hash = new Uint32Array(HASH_WORDS);
  const sums = new Uint32Array(HASH_WORDS);
  const markKey = deriveKey(key, ['mark']);
  let rows = 0;

  return {
    add: (bytes, from, to) => {
      hasher.takeBytes(bytes, from, to);
      hasher.finish(hash, 0);
      for (let word = 0; word < HASH_WORDS; word += 1) sums[word]! += hash[word]!;
      rows += 1;
    },
    mark: () => {
      if (rows === 0) return null;
      const mark = createHmac('sha256', markKey).update(`${rows}:${sums.join(':')}`);
      return mark.digest('hex').slice(0, MARK_DIGITS);
    },
  };
}

/** A key of its own, so that the hash of a row here says nothing about its print. */
export function rowSetKey(fingerprint: Fingerprinter): Buffer {
  return keyFor(fingerprint, ['sets of rows']);
}

const HASH_WORDS = 2;

const MARK_DIGITS = 32;

/** What `keyedHash` needs, from a key of keyFor. */
export function hashKeyOf(key: Uint8Array): Uint32Array {
  const bytes = deriveKey(key, ['hashes of rows']);
  return Uint32Array.of(bytes.readUInt32LE(0), bytes.readUInt32LE(4));
}
