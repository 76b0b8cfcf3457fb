import { MINUS } from '../kernel/byte-names.ts';
import { cutCells, readDigits } from './cut-cells.ts';

/**
 * The rows of a batch as the ledger has them (SentRow in rows.ts), in the order in which they were sent, as one text:
 * `line,invoice,customerCode,cents,lastFour` and an LF each, UTF-8. An object for each row and a text for each of its
 * cells take ten times as long.
 *
 * Cells of sent rows hold no comma and no line end. Were there one in the ledger all the same, its row would have too many
 * cells or the text too many lines, so that it cannot pass for other cells.
 */
export type SentText = { readonly rows: number; readonly bytes: Buffer };

const CELLS = 5;

/**
 * Reads the rows one after the other. `places` are those of the cells of the present row (cut-cells.ts); `invoice`,
 * `customerCode` and `lastFour` say which is which.
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
    /** Goes to the next row. False when there is none, or none that can be understood. */
    read(): boolean {
      if (next >= bytes.length || cutCells(bytes, next, places) !== CELLS) return false;
      next = places[CELLS + 1]!;
      this.line = readDigits(bytes, places[0]!, places[1]! - 1);
      const isNegative = bytes[places[3]!] === MINUS;
      const cents = readDigits(bytes, places[3]! + (isNegative ? 1 : 0), places[4]! - 1);
      this.cents = isNegative ? -cents : cents;
      return this.line >= 0 && cents >= 0;
    },
    /** Whether the last row was read. */
    isAtEnd: () => next === bytes.length,
  };
}
