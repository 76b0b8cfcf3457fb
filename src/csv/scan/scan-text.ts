import { findMonthName } from '../rules/text.ts';
import { isPlainState, isPlainZip } from '../rules/us-address.ts';
import { APOSTROPHE, COMMA, MINUS, NINE, QUOTE, SPACE, ZERO } from '../../kernel/byte-names.ts';
import { DECLINED, type RowScan } from './row-scan.ts';
import type { ScanColumn } from './scan-column.ts';

/** Scans printable ASCII: invoices, names, customer codes, comments. It declines what may hold a card number. */
export function scanText(scan: RowScan, at: number, column: ScanColumn): number {
  const { input, output } = scan;
  const stop = column.isCode ? STOP | NOT_IN_CODE : STOP;
  // An apostrophe may only guard the cell from a spreadsheet, and is then no part of it.
  if (input[at] === APOSTROPHE) return DECLINED;
  const start = scan.to;
  let to = start;
  let end = at;
  let seen = 0;
  let digits = 0;
  let hasComma = false;
  for (;;) {
    const byte = input[end]!;
    const kind = KINDS[byte]!;
    if ((kind & stop) !== 0) {
      if (byte !== COMMA || !scan.isQuoted || !column.replacesCommas) break;
      hasComma = true;
    }
    output[to] = byte;
    to += 1;
    end += 1;
    seen |= kind;
    digits += kind & DIGIT;
  }
  if (hasComma) {
    scan.replaced.push({ column: column.place, start: at, end });
    to = replaceCommas(output, start, to);
  }
  while (to > start && output[to - 1] === SPACE) to -= 1;
  if (to - start > column.maxLength || (column.required && to === start) || digits > MOST_DIGITS) return DECLINED;
  if ((seen & (FORMULA | E)) !== 0 && mayBeDamaged(input, at, seen)) return DECLINED;
  if (column.refusesDays && (seen & (LOWER | DASH)) === (LOWER | DASH) && isDay(output, start, to)) return DECLINED;
  if (column.part !== undefined && !isPlain(output, start, to, column.part)) return DECLINED;
  if (digits > scan.mostDigits) scan.mostDigits = digits;
  scan.to = to;
  return end;
}

/** Thirteen digits may be a card number. */
const MOST_DIGITS = 12;

/** Replaces each comma with a space and collapses spaces, like the text rule. */
function replaceCommas(output: Uint8Array, start: number, end: number): number {
  let to = start;
  for (let at = start; at < end; at += 1) {
    const byte = output[at] === COMMA ? SPACE : output[at]!;
    if (byte === SPACE && (to === start || output[to - 1] === SPACE)) continue;
    output[to] = byte;
    to += 1;
  }
  return to;
}

/** Returns whether a cell may be a formula, a formula error, or a number such as `4.11E+15`. */
function mayBeDamaged(input: Uint8Array, start: number, seen: number): boolean {
  return (KINDS[input[start]!]! & FORMULA) !== 0 || (seen & (E | NOT_IN_NUMBER)) === E;
}

function isDay(output: Uint8Array, start: number, end: number): boolean {
  const cell = Buffer.from(output.buffer, output.byteOffset + start, end - start).toString('latin1');
  return findMonthName(cell) !== undefined;
}

function isPlain(output: Uint8Array, start: number, end: number, part: 'state' | 'zipCode'): boolean {
  if (part === 'zipCode') return isPlainZip(end - start);
  return end - start <= 2 && isPlainState(String.fromCharCode(...output.subarray(start, end)));
}

const DIGIT = 1;
/** Ends the text, or is not allowed in it. */
const STOP = 2;
const LOWER = 4;
const DASH = 8;
const E = 16;
/** `#` and `=`, which begin what a spreadsheet writes instead of a value. */
const FORMULA = 32;
/** Cannot occur in `4.11E+15`. */
const NOT_IN_NUMBER = 64;
const NOT_IN_CODE = 128;

const KINDS = Uint8Array.from({ length: 256 }, (_, byte) => kindOf(byte));

function kindOf(byte: number): number {
  if (byte < SPACE || byte > 0x7e || byte === COMMA || byte === QUOTE) return STOP;
  const character = String.fromCharCode(byte);
  let kind = 0;
  if (byte >= ZERO && byte <= NINE) kind |= DIGIT;
  if (/[a-z]/.test(character)) kind |= LOWER;
  if (byte === MINUS) kind |= DASH;
  if (character === 'E') kind |= E;
  if (/[#=]/.test(character)) kind |= FORMULA;
  if (!/[\dE.+ -]/.test(character)) kind |= NOT_IN_NUMBER;
  if (!/[A-Za-z0-9._-]/.test(character)) kind |= NOT_IN_CODE;
  return kind;
}
