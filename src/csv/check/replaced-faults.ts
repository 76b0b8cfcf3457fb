import { columnsOf, type LayoutName } from '../../../schemas/layouts.ts';
import type { Fault } from '../../rows/rows.ts';
import { cellEnd, cellStart } from '../write/packed-rows.ts';
import { placesOf } from '../scan/places-of.ts';
import { cellFault } from './row-notes.ts';
import { REPLACED, REPLACED_WORDS, type ScannedRows } from '../scan/scanned-rows.ts';

/** Returns the faults for cells whose commas were replaced, in a range of rows of one block. */
export type TellReplaced = (from: number, to: number, firstLine: number) => Fault[];

/**
 * Builds the faults of scanned rows.
 * @returns a function that starts a block and returns the function to call for its rows, in order. `firstLine` is the
 *   line of the row `from`; the others follow without gaps
 */
export function replacedFaults(layout: LayoutName): (rows: ScannedRows, block: Buffer) => TellReplaced {
  const columns = columnsOf(layout);
  const { number } = placesOf(columns);

  return (rows, block) => {
    const { replaced } = rows;
    const end = rows.counts[REPLACED]! * REPLACED_WORDS;
    let next = 0;
    return (from, to, firstLine) => {
      const faults: Fault[] = [];
      for (; next < end && replaced[next]! < to; next += REPLACED_WORDS) {
        const row = replaced[next]!;
        if (row < from) continue;
        const line = firstLine + row - from;
        const column = columns[replaced[next + 1]!]!;
        const cell = block.toString('latin1', replaced[next + 2], replaced[next + 3]).trim();
        // Masking the row's own number takes time, and the cell needs at least four digits to hold it.
        const ownNumber = /\d{4}/.test(cell) ? numberOf(rows, row) : '';
        faults.push(cellFault({ code: 'TEXT_REPLACED', line, column, cell, number: ownNumber }));
      }
      return faults;
    };
  };

  function numberOf({ bytes, starts }: ScannedRows, row: number): string {
    if (number < 0) return '';
    const start = cellStart(bytes, starts[row]!, number);
    // Scanned cells are ASCII.
    return Buffer.from(bytes.subarray(start, cellEnd(bytes, start))).toString('latin1');
  }
}
