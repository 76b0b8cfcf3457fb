import { HASH_WORDS } from '../check/hash-payment.ts';
import { BLOCK_BYTES } from '../read/read-blocks.ts';

/** The rows that the scanner took from a block of lines, in order, as numbers. */
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

/** Makes room for the rows of any block. Most blocks touch a tenth of it; the rest costs nothing. */
export function newScannedRows(): ScannedRows {
  return {
    cents: new Float64Array(MOST_ROWS),
    hashes: new Uint32Array(HASH_WORDS * MOST_ROWS),
    places: new Uint32Array(MOST_ROWS),
    nextPlaces: new Uint32Array(MOST_ROWS),
    starts: new Uint32Array(MOST_ROWS + 1),
    replaced: new Uint32Array(REPLACED_WORDS * MOST_ROWS),
    counts: new Uint32Array(3),
    bytes: new Uint8Array(MOST_SENT_BYTES),
  };
}
