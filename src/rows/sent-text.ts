import { MINUS } from '../kernel/byte-names.ts';
import { cutCells, readDigits } from './cut-cells.ts';

/**
 * The rows of a batch in the ledger (SentRow in rows.ts), in the order sent, as one UTF-8 text. Each row is
 * `line,invoice,customerCode,cents,lastFour` and an LF. Objects and strings for them take ten times as long.
 *
 * Cells of sent rows hold no comma or line end. If the ledger ever had one, the row would have too many cells or the
 * text too many lines. Such a row cannot pass as another.
 */
export type SentText = { readonly rows: number; readonly bytes: Buffer };

const CELLS = 5;

/**
 * Reads the rows one after the other. `places` are the cell positions of the current row (cut-cells.ts); `invoice`,
 * `customerCode` and `lastFour` are indexes into them.
 */
export function sentTextReader({ bytes }: SentText) {
  const places = new Uint32Array(CELLS + 2);
  let next = 0;
  return {
    bytes,
    places,
    invoice: 1,
    customerCode: 2,
    lastFour: 4,
    line: 0,
    /** Integer cents, negative for refunds. */
    cents: 0,
    /** Moves to the next row. Returns false when there is none, or it cannot be parsed. */
    read(): boolean {
      if (next >= bytes.length || cutCells(bytes, next, places) !== CELLS) return false;
      next = places[CELLS + 1]!;
      this.line = readDigits(bytes, places[0]!, places[1]! - 1);
      const isNegative = bytes[places[3]!] === MINUS;
      const cents = readDigits(bytes, places[3]! + (isNegative ? 1 : 0), places[4]! - 1);
      this.cents = isNegative ? -cents : cents;
      return this.line >= 0 && cents >= 0;
    },
    isAtEnd: () => next === bytes.length,
  };
}
