import { COLUMNS, columnsOf, type LayoutName } from '../../schemas/layouts.ts';
import { COMMA, MINUS, NINE, POINT, QUOTE, SPACE, STAR, ZERO } from '../../src/kernel/byte-names.ts';
import { passesLuhnIn } from '../../src/kernel/luhn.ts';
import { maskRow } from '../../src/reconcile/outputs/mask-row.ts';

/**
 * Copies a plain row (see split-cells.ts) as the output files show it, with a comma after each cell. It takes only rows
 * in which nothing but their own number changes. `to` needs room for one byte more than the row.
 * @returns where the copy ends, or -1 for a row that needs `shownRow`; what was written to `to` is then void
 */
type PlainRowCopier = (from: Buffer, start: number, end: number, to: Buffer, at: number) => number;

/** By byte: whether it is a digit, and whether it starts a spreadsheet formula or is the apostrophe before one. */
const IS_DIGIT = Uint8Array.from({ length: 256 }, (_, byte) => Number(byte >= ZERO && byte <= NINE));
const MAY_BE_FORMULA = Uint8Array.from({ length: 256 }, (_, byte) =>
  Number("=+-@'".includes(String.fromCharCode(byte))),
);

/** A row of more bytes than this may hold a cell that must be cut. */
const LONGEST_ROW = 500;

/** A cell with this many digits may hold a card number, or make it unclear which cell holds the row's number. */
const MANY_DIGITS = 12;

/** A number of at least this many digits is also searched for in the other cells. */
const TELLING_DIGITS = 8;

/** A number of at least this many digits, but fewer than `TELLING_DIGITS`, is starred wherever it stands alone. */
const SHORT_DIGITS = 5;

/**
 * Returns a copier that takes only what is certain and leaves the rest to `shownRow`. The number stands in its column,
 * all digits, and no other cell has as many. No cell looks like a formula, and amounts are plain decimals.
 * @param options.clear shows the number whole
 */
export function plainRowCopier(layout: LayoutName, { clear = false } = {}): PlainRowCopier {
  const columns = columnsOf(layout);
  const amountAt = columns.indexOf('amount');
  const cardAt = columns.findIndex((column) => COLUMNS[column].kind === 'cardNumber');
  const accountAt = columns.findIndex((column) => COLUMNS[column].kind === 'accountNumber');
  const numberAt = Math.max(cardAt, accountAt);
  const isNumber = cardAt < 0 ? isAccountNumber : isCardNumber;

  return (from, start, end, to, at) => {
    if (end - start > LONGEST_ROW) return -1;
    let column = 0;
    let mostDigits = 0;
    let numberDigits = TELLING_DIGITS - 1;
    let next = at;
    for (let cell = start; cell <= end; ) {
      const isQuoted = from[cell] === QUOTE && cell < end;
      const first = isQuoted ? cell + 1 : cell;
      // A quoted cell keeps its quotes only if it holds a comma, which is known at its end.
      const copy = isQuoted ? next + 1 : next;
      const shift = copy - first;
      let commas = 0;
      let place = first;
      if (isQuoted) {
        for (let byte: number; place < end && (byte = from[place]!) !== QUOTE; place += 1) {
          to[place + shift] = byte;
          if (byte === COMMA) commas += 1;
        }
      } else {
        for (let byte: number; place < end && (byte = from[place]!) !== COMMA; place += 1) to[place + shift] = byte;
      }
      if (column === numberAt) {
        const digits = countDigits(from, first, place);
        if (digits !== place - first || !isNumber(from, first, place)) return -1;
        if (digits >= SHORT_DIGITS && digits < TELLING_DIGITS) return -1;
        numberDigits = digits;
        const hidden = clear ? 0 : digits - shownDigits(digits);
        for (let star = 0; star < hidden; star += 1) to[copy + star] = STAR;
      } else if (column === amountAt) {
        if (!isPlainAmount(from, first, place)) return -1;
      } else {
        let begin = first;
        while (begin < place && from[begin] === SPACE) begin += 1;
        if (begin < place && MAY_BE_FORMULA[from[begin]!] === 1) return -1;
        // Fewer digits do not matter, and most cells are short.
        if (place - first >= TELLING_DIGITS) mostDigits = Math.max(mostDigits, countDigits(from, first, place));
      }
      if (commas > 0) {
        to[next] = QUOTE;
        next = copy + place - first;
        to[next] = QUOTE;
        next += 1;
      } else {
        if (isQuoted) to.copyWithin(next, copy, copy + place - first);
        next += place - first;
      }
      to[next] = COMMA;
      next += 1;
      column += 1;
      cell = isQuoted ? place + 2 : place + 1;
    }
    if (column !== columns.length || mostDigits >= MANY_DIGITS) return -1;
    if (numberDigits >= TELLING_DIGITS && mostDigits >= numberDigits) return -1;
    return next;
  };
}

function countDigits(bytes: Buffer, start: number, end: number): number {
  let digits = 0;
  for (let place = start; place < end; place += 1) digits += IS_DIGIT[bytes[place]!]!;
  return digits;
}

/** Returns how many digits of a number `maskNumber` shows. */
function shownDigits(count: number): number {
  if (count >= 8) return 4;
  return count >= 5 ? 2 : 0;
}

function isCardNumber(bytes: Buffer, start: number, end: number): boolean {
  return end - start >= 12 && end - start <= 19 && passesLuhnIn(bytes, start, end);
}

function isAccountNumber(_bytes: Buffer, start: number, end: number): boolean {
  return end - start >= 4 && end - start <= 26;
}

/** Accepts an optional minus, up to seven digits (surely within the limits), and at most two decimals. */
function isPlainAmount(bytes: Buffer, start: number, end: number): boolean {
  let place = bytes[start] === MINUS ? start + 1 : start;
  const whole = place;
  while (place < end && IS_DIGIT[bytes[place]!] === 1) place += 1;
  if (place === whole || place - whole > 7) return false;
  if (place === end) return true;
  if (bytes[place] !== POINT || end - place < 2 || end - place > 3) return false;
  return IS_DIGIT[bytes[place + 1]!] === 1 && (end - place === 2 || IS_DIGIT[bytes[place + 2]!] === 1);
}

/**
 * Returns the cells of an input row as the output files show them, fit to be read back and dropped again. Numbers are
 * masked unless the folder allows them. The amount is trimmed, because `-5.00 ` would pass for a formula and get an
 * apostrophe. Cells that would make their line unreadable are cut.
 */
export function shownRow(
  layout: LayoutName,
  cells: readonly string[],
  { clear = false, isValid = false }: { clear?: boolean; isValid?: boolean } = {},
): string[] {
  const amountAt = columnsOf(layout).indexOf('amount');
  const shown = clear ? cells : maskRow(layout, cells, { isValid });
  return shown.map((cell, index) => cutCell(index === amountAt ? cell.trim() : cell));
}

/** Far above the limit of any column, so it cuts only withheld rows. A line may have twelve such cells. */
const LONGEST_CELL = 500;

function cutCell(cell: string): string {
  if (cell.length <= LONGEST_CELL) return cell;
  const text = cell.trim();
  // Half a surrogate pair would be written as another character.
  return text.length <= LONGEST_CELL ? text : `${text.slice(0, LONGEST_CELL).replace(/[\ud800-\udbff]$/, '')}…`;
}
