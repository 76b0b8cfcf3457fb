import type { SEPARATORS } from '../../../../schemas/profiles.ts';
import type { UnreadableCode } from '../../read/split-cells.ts';

export type Dialect = {
  readonly separator: (typeof SEPARATORS)[keyof typeof SEPARATORS];
  readonly quotes: 'double' | 'none';
};

/** The cells of a line, or why it has none. */
export type SplitLine = readonly string[] | Extract<UnreadableCode, 'STRAY_QUOTE' | 'LINE_BREAK'>;

const SPACE = 0x20;
const QUOTE = 0x22;

/** Spreadsheets keep leading zeros in `="00123"`, which CSV does not allow; it is a cell as it stands. */
const FORMULA = /^="[^"]*"$/;

/**
 * Returns a function that splits a line into its cells, by RFC 4180. As in plain payment files, spaces may stand around
 * a quoted cell. Cells are as the sender wrote them, with spaces around unquoted ones.
 */
export function cellSplitter({ separator, quotes }: Dialect): (text: string) => SplitLine {
  return (text) => {
    if (!text.includes('"')) return text.split(separator);
    return quotes === 'none' ? 'STRAY_QUOTE' : splitQuoted(text, separator);
  };
}

function splitQuoted(text: string, separator: string): SplitLine {
  const cells: string[] = [];
  for (let at = 0; ; at += 1) {
    const open = skipSpaces(text, at);
    if (text.charCodeAt(open) === QUOTE) {
      const close = closingQuote(text, open);
      if (close < 0) return 'LINE_BREAK';
      const cell = text.slice(open + 1, close);
      cells.push(cell.includes('"') ? cell.replaceAll('""', '"') : cell);
      at = skipSpaces(text, close + 1);
    } else {
      const end = text.indexOf(separator, at);
      const cell = text.slice(at, end < 0 ? text.length : end);
      if (cell.includes('"') && !FORMULA.test(cell)) return 'STRAY_QUOTE';
      cells.push(cell);
      at += cell.length;
    }
    if (at === text.length) return cells;
    if (text[at] !== separator) return 'STRAY_QUOTE';
  }
}

function skipSpaces(text: string, from: number): number {
  let at = from;
  while (text.charCodeAt(at) === SPACE) at += 1;
  return at;
}

/** Returns where the quote that closes a cell stands, or -1; two quotes in a row are one of the cell. */
function closingQuote(text: string, open: number): number {
  let close = text.indexOf('"', open + 1);
  while (close >= 0 && text.charCodeAt(close + 1) === QUOTE) close = text.indexOf('"', close + 2);
  return close;
}

/** Returns whether a cell is still open at the end of a line, so that it continues on the next one. */
export function endsInQuotes(text: string): boolean {
  let isOpen = false;
  for (let at = text.indexOf('"'); at >= 0; at = text.indexOf('"', at + 1)) isOpen = !isOpen;
  return isOpen;
}
