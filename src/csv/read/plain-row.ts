import { COMMA, QUOTE, SPACE } from '../../kernel/byte-names.ts';

/**
 * A plain row is a line of printable ASCII whose cells anybody can see: there is a comma between two cells and nowhere else,
 * but in cells that stand whole between two quotes and hold no other quote. csv-parse, which has the last word on all other
 * lines, finds the same cells in it.
 */

/**
 * Whether a line of printable ASCII with quotes is a plain row. In such a line blanks around a cell without quotes are no
 * part of it, so one that has any is not plain.
 */
export function isPlainlyQuoted(bytes: Buffer, start: number, end: number): boolean {
  for (let cell = start; cell <= end; ) {
    const isQuoted = bytes[cell] === QUOTE && cell < end;
    let place = isQuoted ? cell + 1 : cell;
    const stop = isQuoted ? QUOTE : COMMA;
    while (place < end && bytes[place] !== stop) {
      if (bytes[place] === QUOTE) return false;
      place += 1;
    }
    if (isQuoted) {
      place += 1;
      if (place > end || (place < end && bytes[place] !== COMMA)) return false;
    } else if (place > cell && (bytes[cell] === SPACE || bytes[place - 1] === SPACE)) return false;
    cell = place + 1;
  }
  return true;
}

/** Where a cell of a plain row that begins at `start` ends: at the comma behind it, or at the end of the row. */
export function endOfCell(bytes: Buffer, start: number, end: number): number {
  let place = start;
  if (bytes[place] === QUOTE && place < end) {
    place += 1;
    while (bytes[place] !== QUOTE) place += 1;
  }
  while (place < end && bytes[place] !== COMMA) place += 1;
  return place;
}

/** The cells of a plain row. */
export function splitPlainRow(text: string): string[] {
  if (!text.includes('"')) return text.split(',');
  const cells: string[] = [];
  for (let cell = 0; cell <= text.length; ) {
    const isQuoted = text[cell] === '"';
    const end = isQuoted ? text.indexOf('"', cell + 1) : text.indexOf(',', cell);
    const stop = end < 0 ? text.length : end;
    cells.push(text.slice(isQuoted ? cell + 1 : cell, stop));
    cell = isQuoted ? stop + 2 : stop + 1;
  }
  return cells;
}
