import { NINE, ZERO } from '../kernel/byte-names.ts';
import { loosenText } from './loosen.ts';

/**
 * What is left of an invoice or a customer code that a spreadsheet takes for a number, a time or a day and writes in another
 * way: `1.50` comes back as `1.5`, `12E4` as `120000`, `2026-11-20` as `11/20/2026`. Of both ways the same is left, beside what
 * `loosenText` leaves of each. Of a day the order of its parts does not count, nor the century.
 * @param to has room for `ROOM_FOR_TURNED` bytes more than the text has, at a place of its own
 * @returns where it ends in `to`, or -1 when no spreadsheet writes the text in another way
 */
export function loosenTurned(bytes: Uint8Array, from: number, end: number, to: Uint8Array, at: number): number {
  if (!mayBeTurned(bytes, from, end)) return -1;
  const text = Buffer.from(bytes.buffer, bytes.byteOffset + from, end - from).toString('latin1');
  const turned = turnedDay(text) ?? turnedTime(text) ?? turnedNumber(text);
  if (turned === undefined) return -1;
  const written = Buffer.from(turned);
  if (!turned.includes('/')) return loosenText(written, 0, written.length, to, at);
  to.set(written, at);
  return at + written.length;
}

/**
 * What is left of an invoice or a customer code when its signs are taken out first, so that a zero behind a sign stays: of
 * `2026-0012` and `20260012` the same is left. Of a long number only the digits count that Excel keeps; it writes zeros for the
 * others. Takes the same as `loosenTurned`.
 * @returns where it ends in `to`, or -1 when `loosenText` leaves the same
 */
export function loosenJoined(bytes: Uint8Array, from: number, end: number, to: Uint8Array, at: number): number {
  if (!mayBeJoined(bytes, from, end)) return -1;
  const text = Buffer.from(bytes.buffer, bytes.byteOffset + from, end - from).toString();
  const joined = Buffer.from(text.replaceAll(/[^\p{L}\p{M}\p{N}]/gu, ''));
  if (joined.length === 0) return -1;
  const loosenedTo = loosenText(joined, 0, joined.length, to, at);
  const isLong = loosenedTo - at > KEPT_DIGITS && to.subarray(at, loosenedTo).every(isDigit);
  if (isLong) to.fill(ZERO, at + KEPT_DIGITS, loosenedTo);
  const loose = new Uint8Array(end - from);
  const asIs = loose.subarray(0, loosenText(bytes, from, end, loose, 0));
  return Buffer.compare(asIs, to.subarray(at, loosenedTo)) === 0 ? -1 : loosenedTo;
}

/** Whether signs part two digits, one of them a zero, or there are letters beyond ASCII, or more digits than Excel keeps. */
function mayBeJoined(bytes: Uint8Array, from: number, end: number): boolean {
  if (end - from > LONGEST) return false;
  let digits = 0;
  let last = 0;
  let isBehindSign = false;
  for (let at = from; at < end; at += 1) {
    const byte = bytes[at]!;
    if (byte > 0x7e) return true;
    if (isDigit(byte)) digits += 1;
    else if (!isLetter(byte)) {
      isBehindSign = true;
      continue;
    }
    const isParted = isBehindSign && isDigit(last) && isDigit(byte);
    if (isParted && (last === ZERO || byte === ZERO)) return true;
    last = byte;
    isBehindSign = false;
  }
  return digits > KEPT_DIGITS;
}

export const ROOM_FOR_TURNED = 32;

/** Nearly all texts have letters, or are short numbers, and end here. */
function mayBeTurned(bytes: Uint8Array, from: number, end: number): boolean {
  let signs = end - from >= LONG_DIGITS;
  for (let at = from; at < end; at += 1) {
    const byte = bytes[at]!;
    if (isDigit(byte)) continue;
    if (byte > 0x7e || (byte >= 0x41 && !LETTERS.has(byte))) return false;
    signs = true;
  }
  return signs && end > from && end - from <= LONGEST;
}

/** Of an exponent, and of the two halves of a day. */
const LETTERS = new Set(Buffer.from('EeAaPpMm'));
const LONGEST = 40;

/** Spreadsheets keep fifteen digits of a number. */
const KEPT_DIGITS = 15;
const LONG_DIGITS = KEPT_DIGITS + 1;

function turnedDay(text: string): string | undefined {
  const [, first, second, third, time = ''] =
    /^(\d{1,4})[-/. ](\d{1,2})[-/. ](\d{1,4})( \d{1,2}:\d\d(?::\d\d)?)?$/.exec(unsigned(text)) ?? [];
  if (first === undefined) return undefined;
  const parts = [first, second!, third!].map((part) => Number(part) % 100).toSorted((one, other) => one - other);
  return `${parts.join('/')}${time.replace(/:00$/, '')}`;
}

function turnedTime(text: string): string | undefined {
  const [, hours, minutes, seconds = '', half] =
    /^[^\dA-Z]*(\d{1,4}):(\d{1,2})(:\d{1,2})?(?: ?([AP])M)?$/i.exec(text.trim()) ?? [];
  if (hours === undefined) return undefined;
  const afternoon = half?.toUpperCase() === 'P' ? 12 : 0;
  const hour = half === undefined ? Number(hours) : (Number(hours) % 12) + afternoon;
  return `${hour}:${minutes!}${/^:0?0$/.test(seconds) ? '' : seconds}`;
}

function turnedNumber(text: string): string | undefined {
  const plain = /^(?:\d+\.?\d*|\.\d+)(?:[eE]\+?\d{1,2})?$/.exec(unsigned(text))?.[0];
  if (plain === undefined) return undefined;
  const number = Number(Number(plain).toPrecision(KEPT_DIGITS));
  const written = String(number);
  return written.includes('e') || written === plain ? undefined : written;
}

function isDigit(byte: number): boolean {
  return byte >= ZERO && byte <= NINE;
}

function isLetter(byte: number): boolean {
  return (byte | 0x20) >= 0x61 && (byte | 0x20) <= 0x7a;
}

/** Without brackets, signs of money and such, which may come and go. */
function unsigned(text: string): string {
  return text.replace(/^[^\dA-Za-z.]+|[^\dA-Za-z]+$/g, '');
}
