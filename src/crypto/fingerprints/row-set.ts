import { createHmac } from 'node:crypto';
import { KeyedHash } from '../../rows/keyed-hash.ts';
import type { Fingerprinter } from './fingerprint.ts';
import { deriveKey } from '../derive-key.ts';
import { keyFor } from './row-fingerprint.ts';

/**
 * Marks the rows of a file, equal for equal rows in any order, without keeping them. Each row is hashed with a key, and
 * the hashes are summed word by word, modulo 2^32. The mark is an HMAC of the sums. Hashes and sums never leave this
 * object, so a fast hash is enough.
 * The hashes are added, not combined by XOR. Under XOR two equal rows cancel out, so a file with a payment twice would
 * look like one without it. Without the key, no attacker can search for rows with an equal sum; by chance two files
 * collide once in 2^64.
 */
export class RowSet {
  readonly #hasher: KeyedHash;
  readonly #hash = new Uint32Array(HASH_WORDS);
  readonly #sums = new Uint32Array(HASH_WORDS);
  readonly #markKey: Buffer;
  #rows = 0;

  /** @param key of `rowSetKey` */
  constructor(key: Uint8Array) {
    this.#hasher = new KeyedHash(hashKeyOf(key));
    this.#markKey = deriveKey(key, ['mark']);
  }

  /** Adds a row, from its first byte to the one after its last; only its cells count. */
  add(bytes: Uint8Array, from: number, to: number): void {
    this.#hasher.takeBytes(bytes, from, to);
    this.#hasher.finish(this.#hash, 0);
    for (let word = 0; word < HASH_WORDS; word += 1) this.#sums[word]! += this.#hash[word]!;
    this.#rows += 1;
  }

  mark(): string | null {
    if (this.#rows === 0) return null;
    const mark = createHmac('sha256', this.#markKey).update(`${this.#rows}:${this.#sums.join(':')}`);
    return mark.digest('hex').slice(0, MARK_DIGITS);
  }
}

/** Returns a separate key, so that the hash of a row here reveals nothing about its fingerprint. */
export function rowSetKey(fingerprint: Fingerprinter): Buffer {
  return keyFor(fingerprint, ['sets of rows']);
}

const HASH_WORDS = 2;

const MARK_DIGITS = 32;

/** Returns the key that `KeyedHash` needs, from a key of `keyFor`. */
export function hashKeyOf(key: Uint8Array): Uint32Array {
  const bytes = deriveKey(key, ['hashes of rows']);
  return Uint32Array.of(bytes.readUInt32LE(0), bytes.readUInt32LE(4));
}
