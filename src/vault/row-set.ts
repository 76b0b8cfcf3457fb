import { hash } from 'node:crypto';
import type { Fingerprinter } from './fingerprint.ts';

/** The mark of a set of rows while they stream by: the same for the same rows in any order. */
export type RowSet = {
  /** @param row the canonical text of a row, in which nothing but its cells counts */
  add(row: string): void;
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
 */
export function openRowSet(fingerprint: Fingerprinter): RowSet {
  // A key of its own, so that the hash of a row here says nothing about its fingerprint. One call of `hash` costs half of
  // what an HMAC does; nobody ever sees its result, so what sets an HMAC apart is not needed.
  const key = fingerprint(['key of row sets']).toString('hex');
  const sums = new Float64Array(PIECES);
  let rows = 0;

  return {
    add: (row) => {
      const digest = hash('sha256', key + row, 'buffer');
      for (let piece = 0; piece < PIECES; piece += 1) sums[piece]! += digest.readUInt16LE(piece * 2);
      rows += 1;
    },
    mark: () =>
      rows === 0 ? null : fingerprint(['row set', String(rows), ...Array.from(sums, String)]).toString('hex'),
  };
}

/** Pieces of 16 bits. Their sums are exact up to 2^37 rows. */
const PIECES = 16;
