import type { LayoutName } from '../../../schemas/layouts.ts';
import { LF } from '../../kernel/byte-names.ts';
import type { CheckRules } from '../check/check-rules.ts';
import { KeyedHash } from '../../rows/keyed-hash.ts';
import { HASH_WORDS, hashPayment } from '../check/duplicate-rows.ts';
import { behindLineEnd, BLOCK_BYTES, findLineEnd } from '../read/read-blocks.ts';
import { LONGEST_LINE } from '../read/split-lines.ts';
import { planRowScan, type ScanPlan, scanRow } from './plan-row-scan.ts';
import { DECLINED, newRowScan, type RowScan } from './row-scan.ts';

export type ScanOrder = {
  readonly layout: LayoutName;
  readonly rules: CheckRules;
  /** Key of the payment hashes. */
  readonly hashKey: Uint32Array;
};

/** Scans whole lines with their ends, from one position of a block to another, and skips the lines it declines. */
export type BlockScan = (bytes: Buffer, from: number, to: number, found: ScannedRows) => void;

export function compileBlockScan({ layout, rules, hashKey }: ScanOrder): BlockScan {
  const parts = { plan: planRowScan(layout, rules), hasher: new KeyedHash(hashKey), scan: newRowScan() };
  return (bytes, from, to, found) => scanLines(parts, bytes, from, to, found);
}

type ScanParts = { readonly plan: ScanPlan; readonly hasher: KeyedHash; readonly scan: RowScan };

/** A function of the module, whose compiled code V8 keeps from one small file to the next. */
function scanLines(
  { plan, hasher, scan }: ScanParts,
  bytes: Buffer,
  from: number,
  to: number,
  found: ScannedRows,
): void {
  const { places, nextPlaces, starts, cents, hashes } = found;
  let row = 0;
  let lineEnds = 0;
  found.counts[REPLACED] = 0;
  scan.input = bytes;
  scan.output = found.bytes;
  for (let at = from; at < to; ) {
    scan.to = starts[row]!;
    const lineEnd = scanRow(plan, scan, at);
    if (lineEnd === DECLINED || lineEnd - at > LONGEST_LINE) {
      at = behindLineEnd(bytes, findLineEnd(bytes, at));
      continue;
    }
    const next = behindLineEnd(bytes, lineEnd);
    lineEnds |= bytes[lineEnd] === LF ? ENDS_WITH.lf : next - lineEnd === 2 ? ENDS_WITH.crlf : ENDS_WITH.cr;
    places[row] = at;
    nextPlaces[row] = next;
    cents[row] = scan.cents;
    hashPayment(hasher, scan, hashes, row);
    if (scan.replaced.length > 0) noteReplaced(scan, row, found);
    row += 1;
    starts[row] = scan.to;
    at = next;
  }
  found.counts[ROWS] = row;
  found.counts[LINE_ENDS] = lineEnds;
}

function noteReplaced({ replaced }: RowScan, row: number, found: ScannedRows): void {
  for (const { column, start, end } of replaced) {
    const at = found.counts[REPLACED]! * REPLACED_WORDS;
    found.replaced[at] = row;
    found.replaced[at + 1] = column;
    found.replaced[at + 2] = start;
    found.replaced[at + 3] = end;
    found.counts[REPLACED]! += 1;
  }
}

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

/**
 * Makes room for the rows of any block of this size. Rows and cells with commas have at least four bytes; what is sent
 * of a row is less than twice its line.
 */
export function newScannedRows(blockBytes: number = BLOCK_BYTES): ScannedRows {
  const rows = Math.ceil(blockBytes / 4) + 1;
  return {
    cents: new Float64Array(rows),
    hashes: new Uint32Array(HASH_WORDS * rows),
    places: new Uint32Array(rows),
    nextPlaces: new Uint32Array(rows),
    starts: new Uint32Array(rows + 1),
    replaced: new Uint32Array(REPLACED_WORDS * rows),
    counts: new Uint32Array(3),
    bytes: new Uint8Array(2 * blockBytes + 8),
  };
}
