import { COMMA, LF } from '../../kernel/byte-names.ts';
import type { PaymentRow } from '../../rows/rows.ts';
import type { ScannedRows } from '../scan/scan-block.ts';
import { columnsOf, type LayoutName } from '../../../schemas/layouts.ts';

/** Valid rows of a part of a file, packed: the sent bytes in one run, and only numbers per row. */
export type PackedRows = {
  readonly count: number;
  /**
   * The bytes to send, UTF-8: cells joined by commas, an LF after each row, including the last. No cell holds a comma,
   * quote or line end. A batch has no LF at its end, so the body of the rows from `from` to before `to` is
   * `bytes.subarray(starts[from], starts[to] - 1)`.
   */
  readonly bytes: Uint8Array;
  /** Where each row begins in `bytes`, plus the end of the last one. The array may be longer. */
  readonly starts: Uint32Array;
  /** Physical line of each row, counted from 1. The array may be longer than there are rows. */
  readonly lines: Uint32Array;
  /** Integer cents of each row, negative for refunds. The array may be longer than there are rows. */
  readonly cents: Float64Array;
};

/** Packed rows being written. Buffers are replaced when they grow, so callers must not keep them. */
export type RowPack = { -readonly [Part in keyof PackedRows]: PackedRows[Part] };

/**
 * Returns where a cell of a packed row begins.
 * @param from where the row begins
 * @param column index of the cell in the layout, from 0
 */
export function cellStart(bytes: Uint8Array, from: number, column: number): number {
  let at = from;
  for (let left = column; left > 0; at += 1) if (bytes[at] === COMMA) left -= 1;
  return at;
}

/** Returns where the cell at `start` ends: at the next comma or LF. */
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

/** Adds a row held as text. */
export function packRow(pack: RowPack, row: PaymentRow): void {
  const text = `${row.canonical.join(',')}\n`;
  makeRoom(pack, { rows: 1, bytes: MOST_BYTES_OF_UNIT * text.length });
  const start = pack.starts[pack.count]!;
  const { written } = ENCODER.encodeInto(text, pack.bytes.subarray(start));
  pack.lines[pack.count] = row.line;
  pack.cents[pack.count] = row.amountCents;
  pack.count += 1;
  pack.starts[pack.count] = start + written;
}

/**
 * Adds scanned rows, from `from` to before `to`.
 * @param firstLine line of the first row; the others follow without gaps
 */
export function packScanned(
  pack: RowPack,
  { bytes, starts, cents }: Pick<ScannedRows, 'bytes' | 'starts' | 'cents'>,
  { from, to, firstLine }: { from: number; to: number; firstLine: number },
): void {
  const start = pack.starts[pack.count]!;
  makeRoom(pack, { rows: to - from, bytes: starts[to]! - starts[from]! });
  pack.bytes.set(bytes.subarray(starts[from], starts[to]), start);
  pack.cents.set(cents.subarray(from, to), pack.count);
  const shift = start - starts[from]!;
  const first = pack.count - from;
  for (let row = from; row < to; row += 1) {
    pack.lines[first + row] = firstLine + row - from;
    pack.starts[first + row + 1] = starts[row + 1]! + shift;
  }
  pack.count += to - from;
}

function makeRoom(pack: RowPack, more: { rows: number; bytes: number }): void {
  const bytes = pack.starts[pack.count]! + more.bytes;
  if (bytes > pack.bytes.length) pack.bytes = enlarged(pack.bytes, new Uint8Array(2 * bytes));
  const rows = pack.count + more.rows;
  if (rows <= pack.lines.length) return;
  pack.starts = enlarged(pack.starts, new Uint32Array(2 * rows + 1));
  pack.lines = enlarged(pack.lines, new Uint32Array(2 * rows));
  pack.cents = enlarged(pack.cents, new Float64Array(2 * rows));
}

const MOST_BYTES_OF_UNIT = 3;
const ENCODER = new TextEncoder();

function enlarged<Items extends Uint8Array | Uint32Array | Float64Array>(old: Items, larger: Items): Items {
  larger.set(old);
  return larger;
}

/**
 * Returns the bytes of a batch as they are sent: UTF-8 without a mark or header. Commas join cells and LFs join rows;
 * none follows the last row. The same rows always give the same bytes.
 */
export function canonicalBytes(rows: readonly PaymentRow[]): Buffer {
  return Buffer.from(rows.map((row) => row.canonical.join(',')).join('\n'), 'utf8');
}

/** Returns the valid rows of a group as objects, which cost far more than their bytes. */
export function unpackRows(group: { layout: LayoutName | undefined; packed: PackedRows }): PaymentRow[] {
  const { layout, packed } = group;
  if (!layout) return [];
  const { count, bytes, starts, lines, cents } = packed;
  const columns = columnsOf(layout);
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return Array.from({ length: count }, (_, index) => {
    const canonical = text.toString('utf8', starts[index], starts[index + 1]! - 1).split(',');
    const valueOf = (column: (typeof columns)[number]) => canonical[columns.indexOf(column)] ?? '';
    return {
      line: lines[index]!,
      invoice: valueOf('invoice'),
      customerCode: valueOf('customerCode'),
      amountCents: cents[index]!,
      number: valueOf('cardNumber') || valueOf('accountNumber'),
      canonical,
    };
  });
}
