import { COMMA, QUOTE, SPACE } from '../../kernel/byte-names.ts';

/**
 * A plain row is a line of printable ASCII that can be split without a CSV parser. Commas stand only between cells or
 * inside a fully quoted cell, which holds no other quote. csv-parse, which reads all other lines, finds the same cells.
 */

/**
 * Returns whether a line of printable ASCII with quotes is a plain row. Spaces around an unquoted cell are not part of
 * it, so a line that has them is not plain.
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

/** Returns where the cell at `start` of a plain row ends: at the next comma or the end of the row. */
export function endOfCell(bytes: Buffer, start: number, end: number): number {
  let place = start;
  if (bytes[place] === QUOTE && place < end) {
    place += 1;
    while (bytes[place] !== QUOTE) place += 1;
  }
  while (place < end && bytes[place] !== COMMA) place += 1;
  return place;
}

/** Returns the cells of a plain row. */
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
