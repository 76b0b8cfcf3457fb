import { COMMA, LF } from '../kernel/byte-names.ts';
import type { PaymentRow } from '../kernel/rows.ts';

/** Valid rows of a stretch of a file, packed: what is sent lies in one run of bytes, of each row only numbers are kept. */
export type PackedRows = {
  readonly count: number;
  /**
   * Canonical bytes of gateway wire 3.1, UTF-8: cells joined by commas, an LF behind each row, also the last. No cell
   * holds a comma, quote or line end. A batch has no LF at its end, so the body of the rows `from` up to but not with
   * `to` is `bytes.subarray(starts[from], starts[to] - 1)`.
   */
  readonly bytes: Uint8Array;
  /** Where each row begins in `bytes`; one more than rows, the last is the end. The array may be longer. */
  readonly starts: Uint32Array;
  /** Physical line of each row, counted from 1. The array may be longer than there are rows. */
  readonly lines: Uint32Array;
  /** Integer cents of each row, negative for refunds. The array may be longer than there are rows. */
  readonly cents: Float64Array;
};

/** Packed rows that are being written. The buffers are replaced when they are too small, so nobody else keeps them. */
export type RowPack = { -readonly [Part in keyof PackedRows]: PackedRows[Part] };

/**
 * Where a cell of a packed row begins.
 * @param from where the row begins
 * @param column place of the cell in the layout, from 0
 */
export function cellStart(bytes: Uint8Array, from: number, column: number): number {
  let at = from;
  for (let left = column; left > 0; at += 1) if (bytes[at] === COMMA) left -= 1;
  return at;
}

/** Where the cell ends that begins here: the place of the comma or LF behind it. */
export function cellEnd(bytes: Uint8Array, start: number): number {
  let at = start;
  while (bytes[at] !== COMMA && bytes[at] !== LF) at += 1;
  return at;
}

export function newRowPack(): RowPack {
  return {
    count: 0,
    bytes: new Uint8Array(0),
    starts: new Uint32Array(1),
    lines: new Uint32Array(0),
    cents: new Float64Array(0),
  };
}

/** Adds a row that is held as texts. */
export function packRow(pack: RowPack, row: PaymentRow): void {
  const text = `${row.canonical.join(',')}\n`;
  makeRoom(pack, { rows: 1, bytes: MOST_BYTES_OF_UNIT * text.length });
  const start = pack.starts[pack.count]!;
  const { written } = ENCODER.encodeInto(text, pack.bytes.subarray(start));
  closeRow(pack, { end: start + written, line: row.line, cents: row.amountCents });
}

/** Adds the row whose bytes, with their LF, were written behind those of the last one. */
export function closeRow(pack: RowPack, { end, line, cents }: { end: number; line: number; cents: number }): void {
  pack.lines[pack.count] = line;
  pack.cents[pack.count] = cents;
  pack.count += 1;
  pack.starts[pack.count] = end;
}

/** Makes sure that so many more rows and bytes can be written. */
export function makeRoom(pack: RowPack, more: { rows: number; bytes: number }): void {
  const bytes = pack.starts[pack.count]! + more.bytes;
  if (bytes > pack.bytes.length) pack.bytes = enlarged(pack.bytes, new Uint8Array(2 * bytes));
  const rows = pack.count + more.rows;
  if (rows <= pack.lines.length) return;
  pack.starts = enlarged(pack.starts, new Uint32Array(2 * rows + 1));
  pack.lines = enlarged(pack.lines, new Uint32Array(2 * rows));
  pack.cents = enlarged(pack.cents, new Float64Array(2 * rows));
}

/** UTF-8 needs at most three bytes for each UTF-16 unit. */
const MOST_BYTES_OF_UNIT = 3;
const ENCODER = new TextEncoder();

function enlarged<Items extends Uint8Array | Uint32Array | Float64Array>(old: Items, larger: Items): Items {
  larger.set(old);
  return larger;
}
