import { HASH_WORDS } from '../check/hash-payment.ts';
import { BLOCK_BYTES } from '../read/read-blocks.ts';

/** The rows that the scanner took of a block of lines, in their order, as numbers that two threads can see. */
export type ScannedRows = {
  /** At ROWS how many there are, at REPLACED how many cells of them, at LINE_ENDS the kinds of the ends of their lines. */
  readonly counts: Uint32Array;
  /** Where the line of each row begins in the block, and where the one behind it does. */
  readonly places: Uint32Array;
  readonly nextPlaces: Uint32Array;
  /** What is sent of all rows, and where each begins in it; one more than rows. See `PackedRows`. */
  readonly bytes: Uint8Array;
  readonly starts: Uint32Array;
  readonly cents: Float64Array;
  /** Of the payments, HASH_WORDS each. */
  readonly hashes: Uint32Array;
  /** Of each cell whose commas were replaced its row, its column, where it begins in the block and where it ends. */
  readonly replaced: Uint32Array;
};

export const ROWS = 0;
export const REPLACED = 1;
export const LINE_ENDS = 2;

/** Numbers for one cell of `replaced`. */
export const REPLACED_WORDS = 4;

/** Bits of the kinds of line ends. */
export const ENDS_WITH = { lf: 1, crlf: 2, cr: 4 } as const;

/** A row has at least four bytes, and so has a cell with commas; of no row twice as much is sent as stands in its line. */
const MOST_ROWS = BLOCK_BYTES / 4;
const MOST_SENT_BYTES = 2 * BLOCK_BYTES;

/** Each part and its size in bytes, those of eight bytes first. */
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

/** Memory that the rows of any block find room in. Most blocks touch a tenth of it; the rest costs nothing. */
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
