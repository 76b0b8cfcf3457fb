import { NINE, ZERO } from '../../kernel/byte-names.ts';
import { loosenText } from './loosen.ts';

/**
 * Writes the form shared by both spellings of an invoice or customer code that a spreadsheet takes for a number, time
 * or date and rewrites. It turns `1.50` into `1.5`, `12E4` into `120000`, `2026-11-20` into `11/20/2026`. This comes in
 * addition to the result of `loosenText`. Neither the order of a date's parts nor its century counts.
 * @param to has room for `ROOM_FOR_TURNED` bytes more than the text, from `at`
 * @returns where the result ends in `to`, or -1 when no spreadsheet rewrites the text
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
 * Writes the form of an invoice or customer code after removing punctuation, so that a zero after it stays. `2026-0012`
 * and `20260012` become equal. Of a long number only the digits that Excel keeps count; it replaces the others with
 * zeros. Parameters as in `loosenTurned`.
 * @returns where the result ends in `to`, or -1 when `loosenText` gives the same
 */
export function loosenJoined(bytes: Uint8Array, from: number, end: number, to: Uint8Array, at: number): number {
  const letters = lettersToJoin(bytes, from, end);
  if (letters === undefined) return -1;
  const joinedTo =
    letters === 'ascii' ? loosenText(bytes, from, end, to, at, true) : loosenWideJoined(bytes, from, end, to, at);
  if (joinedTo === at) return -1;
  const isLong = joinedTo - at > KEPT_DIGITS && to.subarray(at, joinedTo).every(isDigit);
  if (isLong) to.fill(ZERO, at + KEPT_DIGITS, joinedTo);
  const loosenedTo = loosenText(bytes, from, end, loosened, 0);
  for (let index = 0; index < loosenedTo; index += 1) if (loosened[index] !== to[at + index]) return joinedTo;
  return loosenedTo === joinedTo - at ? -1 : joinedTo;
}

function loosenWideJoined(bytes: Uint8Array, from: number, end: number, to: Uint8Array, at: number): number {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset + from, end - from).toString();
  const joined = Buffer.from(text.replaceAll(/[^\p{L}\p{M}\p{N}]/gu, ''));
  return loosenText(joined, 0, joined.length, to, at);
}

/**
 * Returns a kind for text with characters beyond ASCII, and for a number with a zero beside punctuation or more digits
 * than Excel keeps. ASCII text with letters gets none: most invoices are like that, and a second fingerprint for all of
 * them costs too much.
 */
function lettersToJoin(bytes: Uint8Array, from: number, end: number): 'ascii' | 'wide' | undefined {
  if (end - from > LONGEST) return undefined;
  let [digits, last] = [0, 0];
  let [isBehindSign, isParted, hasLetters] = [false, false, false];
  for (let at = from; at < end; at += 1) {
    const byte = bytes[at]!;
    if (byte > 0x7e) return 'wide';
    if (isDigit(byte)) {
      if (isBehindSign && digits > 0 && (last === ZERO || byte === ZERO)) isParted = true;
      digits += 1;
      last = byte;
      isBehindSign = false;
    } else if (isLetter(byte)) hasLetters = true;
    else isBehindSign = true;
  }
  return !hasLetters && (isParted || digits > KEPT_DIGITS) ? 'ascii' : undefined;
}

export const ROOM_FOR_TURNED = 32;

/** Rules out nearly all texts quickly: they contain other letters or are short numbers. */
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

const LETTERS = new Set(Buffer.from('EeAaPpMm'));
const LONGEST = 40;
const loosened = new Uint8Array(LONGEST);

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

/** Removes brackets, currency signs and the like, which may come and go. */
function unsigned(text: string): string {
  return text.replace(/^[^\dA-Za-z.]+|[^\dA-Za-z]+$/g, '');
}
