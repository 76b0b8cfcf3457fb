import { HASH_WORDS } from '../check/hash-payment.ts';
import { BLOCK_BYTES } from '../read/read-blocks.ts';

/** The rows that the scanner took from a block of lines, in order, as numbers that two threads can share. */
export type ScannedRows = {
  /** At ROWS: how many rows. At REPLACED: how many cells with replaced commas. At LINE_ENDS: kinds of line ends. */
  readonly counts: Uint32Array;
  /** Where each row's line begins in the block, and where the next line begins. */
  readonly places: Uint32Array;
  readonly nextPlaces: Uint32Array;
  /** The bytes to send of all rows, and where each row begins, plus the end of the last one. See `PackedRows`. */
  readonly bytes: Uint8Array;
  readonly starts: Uint32Array;
  readonly cents: Float64Array;
  /** Hashes of the payments, HASH_WORDS each. */
  readonly hashes: Uint32Array;
  /** For each cell whose commas were replaced: its row, column, start and end in the block. */
  readonly replaced: Uint32Array;
};

export const ROWS = 0;
export const REPLACED = 1;
export const LINE_ENDS = 2;

/** Numbers per cell in `replaced`. */
export const REPLACED_WORDS = 4;

/** Bits for the kinds of line ends. */
export const ENDS_WITH = { lf: 1, crlf: 2, cr: 4 } as const;

/** Rows and cells with commas have at least four bytes. What is sent of a row is less than twice its line. */
const MOST_ROWS = BLOCK_BYTES / 4;
const MOST_SENT_BYTES = 2 * BLOCK_BYTES;

/** Size of each part in bytes, with eight-byte elements first for alignment. */
const SIZES = {
  cents: 8 * MOST_ROWS,
  hashes: 4 * HASH_WORDS * MOST_ROWS,
  places: 4 * MOST_ROWS,
  nextPlaces: 4 * MOST_ROWS,
  starts: 4 * (MOST_ROWS + 1),
  replaced: 4 * REPLACED_WORDS * MOST_ROWS,
  counts: 4 * 3,
  bytes: MOST_SENT_BYTES,
};

/** Memory that fits the rows of any block. Most blocks touch a tenth of it; the rest costs nothing. */
export const SCANNED_BYTES = Object.values(SIZES).reduce((sum, size) => sum + size, 0);

/** @param memory of SCANNED_BYTES */
export function scannedRowsIn(memory: ArrayBufferLike): ScannedRows {
  let next = 0;
  const take = (part: keyof typeof SIZES) => {
    const at = next;
    next += SIZES[part];
    return [memory, at, SIZES[part] / 4] as const;
  };
  const [, centsAt] = take('cents');
  return {
    cents: new Float64Array(memory, centsAt, MOST_ROWS),
    hashes: new Uint32Array(...take('hashes')),
    places: new Uint32Array(...take('places')),
    nextPlaces: new Uint32Array(...take('nextPlaces')),
    starts: new Uint32Array(...take('starts')),
    replaced: new Uint32Array(...take('replaced')),
    counts: new Uint32Array(...take('counts')),
    bytes: new Uint8Array(memory, next, MOST_SENT_BYTES),
  };
}
