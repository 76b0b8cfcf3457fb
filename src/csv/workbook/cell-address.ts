import { refuse } from './refusal.ts';

/** The format has no more rows and columns. */
export const LAST_ROW = 1_048_576;
export const LAST_COLUMN = 16_384;

const LETTERS = 26;
const LETTER_A = 65;

/** A rectangle of cells; all places count from 1. */
export type CellRange = {
  readonly top: number;
  readonly bottom: number;
  readonly left: number;
  readonly right: number;
};

/** Returns the number of the column of an address such as AB12, from 1. */
export function columnOf(address: string): number {
  let column = 0;
  for (let at = 0; at < address.length; at += 1) {
    const letter = address.charCodeAt(at) - LETTER_A;
    if (letter < 0 || letter >= LETTERS) break;
    column = column * LETTERS + letter + 1;
  }
  return column >= 1 && column <= LAST_COLUMN ? column : refuse('a cell has no place in the sheet');
}

/** Returns the letters of a column, from 1. */
export function columnName(column: number): string {
  const last = (column - 1) % LETTERS;
  const rest = (column - 1 - last) / LETTERS;
  return `${rest > 0 ? columnName(rest) : ''}${String.fromCharCode(LETTER_A + last)}`;
}

/** Reads a range such as A7:C9, or one cell. */
export function rangeOf(text: string): CellRange {
  const [, from = '', top = '', to = from, bottom = top] = /^([A-Z]+)(\d+)(?::([A-Z]+)(\d+))?$/.exec(text) ?? [];
  return { top: Number(top), bottom: Number(bottom), left: columnOf(from), right: columnOf(to) };
}
