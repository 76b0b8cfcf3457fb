import { COMMA, CR, LF, MINUS, POINT, QUOTE, SPACE, ZERO } from '../kernel/byte-names.ts';

/**
 * Cuts one line of bytes at its commas, without a text for each cell: of a file of a million rows these would be most of the
 * work. It takes plain lines only. One that holds a quote, or a CR that no LF follows, may mean something else to another
 * reader, so it is left to that reader.
 *
 * Cell `n` is the bytes from `places[n]` to `places[n + 1] - 1`. The last one that there is room for takes the rest of the
 * line, and behind it comes the place of the next line, which is beyond the end of the bytes when this line has no end.
 * @param places takes the places; its length is two more than the number of cells wanted
 * @returns how many cells the line has, 0 for a line that is not plain
 */
export function cutCells(bytes: Uint8Array, from: number, places: Uint32Array): number {
  const wanted = places.length - 2;
  let cells = 1;
  let at = from;
  places[0] = from;
  for (; at < bytes.length; at += 1) {
    const byte = bytes[at]!;
    if (byte > COMMA) continue;
    if (byte === COMMA) {
      if (cells < wanted) places[cells] = at + 1;
      cells += 1;
    } else if (byte === LF) {
      break;
    } else if (byte === QUOTE || (byte === CR && bytes[at + 1] !== LF)) {
      return 0;
    }
  }
  const hasCr = at > from && bytes[at - 1] === CR;
  places[wanted] = hasCr ? at : at + 1;
  places[wanted + 1] = at + 1;
  return cells;
}

/** Whether two stretches of bytes are the same. */
export function areSameBytes(
  one: Uint8Array,
  from: number,
  to: number,
  other: Uint8Array,
  otherFrom: number,
  otherTo: number,
): boolean {
  if (to - from !== otherTo - otherFrom) return false;
  for (let at = from, beside = otherFrom; at < to; at += 1, beside += 1) {
    if (one[at] !== other[beside]) return false;
  }
  return true;
}

/** Where the first byte from here on is that is no space. */
export function skipSpaces(bytes: Uint8Array, from: number, to: number): number {
  let at = from;
  while (at < to && bytes[at] === SPACE) at += 1;
  return at;
}

/** The end of a stretch without the spaces at it. */
export function dropSpaces(bytes: Uint8Array, from: number, to: number): number {
  let at = to;
  while (at > from && bytes[at - 1] === SPACE) at -= 1;
  return at;
}

/**
 * The number that a stretch of digits is, at most 15 of them, so that it is exact; -1 for anything else. A decimal point is
 * no digit.
 */
export function readDigits(bytes: Uint8Array, from: number, to: number): number {
  if (to <= from || to - from > MOST_DIGITS) return -1;
  let value = 0;
  for (let at = from; at < to; at += 1) {
    const digit = bytes[at]! - ZERO;
    if (digit < 0 || digit > 9) return -1;
    value = value * 10 + digit;
  }
  return value;
}

const MOST_DIGITS = 15;

/**
 * Cents of a decimal amount of 0 to 2 decimals, with or without a sign; undefined for anything else, and for an amount of
 * more digits than any payment has. It may decline what `parseAmount` (money.ts) takes, never the other way round.
 */
export function readCents(bytes: Uint8Array, from: number, to: number): number | undefined {
  const start = bytes[from] === MINUS ? from + 1 : from;
  let point = start;
  while (point < to && bytes[point] !== POINT) point += 1;
  const decimals = to - point - 1;
  const whole = point - start > LONGEST_WHOLE ? -1 : readDigits(bytes, start, point);
  const part = decimals < 0 ? 0 : readDigits(bytes, point + 1, to);
  if (whole < 0 || part < 0 || decimals > 2) return undefined;
  const cents = whole * 100 + (decimals === 1 ? part * 10 : part);
  return start === from || cents === 0 ? cents : -cents;
}

/** 10 million with all its cents; what is more is left to the reader of any amount. */
const LONGEST_WHOLE = 7;
