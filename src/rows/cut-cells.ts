import { COMMA, CR, LF, MINUS, POINT, QUOTE, SPACE, ZERO } from '../kernel/byte-names.ts';

/**
 * Splits one line of bytes at its commas. Creating strings would be most of the work for a million rows. It accepts
 * plain lines only. Another reader may treat a quote, or a CR without an LF, differently, so it gets those lines.
 *
 * Cell `n` is the bytes from `places[n]` to before `places[n + 1] - 1`. The last cell with room takes the rest of the
 * line. The entry after it is the start of the next line, which is past the end of the bytes when this line has no end.
 * @param places receives the positions; its length is the number of cells wanted plus two
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

/** Returns whether two byte ranges are equal. */
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

/** Returns the position of the first byte that is not a space. */
export function skipSpaces(bytes: Uint8Array, from: number, to: number): number {
  let at = from;
  while (at < to && bytes[at] === SPACE) at += 1;
  return at;
}

/** Returns the end of a range without its trailing spaces. */
export function dropSpaces(bytes: Uint8Array, from: number, to: number): number {
  let at = to;
  while (at > from && bytes[at - 1] === SPACE) at -= 1;
  return at;
}

/** Returns the number in a range of at most 15 digits, which is exact; -1 for anything else, even a decimal point. */
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
 * Returns the cents of an amount with up to 2 decimals and an optional minus. It returns undefined for anything else,
 * including 10 million and more. It may decline what `parseAmount` (money.ts) accepts, never the other way round.
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

/** Digits of an amount below 10 million; a larger one is left to `parseAmount`. */
const LONGEST_WHOLE = 7;
