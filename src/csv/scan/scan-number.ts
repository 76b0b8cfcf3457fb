import { MINUS, NINE, POINT, SLASH, ZERO } from '../../kernel/byte-names.ts';
import { hasLostZero, isBankAlone, isDay, NEAR_DAYS } from '../rules/rule-of-column.ts';
import { DECLINED, type RowScan } from './row-scan.ts';
import type { ScanRules } from './scan-column.ts';

/** Scans a card number: 12 to 19 digits with a valid check digit. */
export function scanCardNumber(scan: RowScan, at: number): number {
  const { input, output } = scan;
  let { to } = scan;
  let end = at;
  let start = 0;
  // Luhn sums of the digits so far: as if the last were the check digit, and as if the check digit followed.
  let sum = 0;
  let otherSum = 0;
  for (let byte = input[end]!; byte >= ZERO && byte <= NINE; byte = input[end]!) {
    const digit = byte - ZERO;
    const next = otherSum + digit;
    otherSum = sum + DOUBLED[digit]!;
    sum = next;
    if (end - at < 6) start = start * 10 + digit;
    output[to] = byte;
    to += 1;
    end += 1;
    if (end - at > 19) return DECLINED;
  }
  if (end - at < 12 || sum % 10 !== 0) return DECLINED;
  scan.cardStart = start;
  scan.to = to;
  return end;
}

/** Digit sum of twice a digit. A table avoids a branch that the processor cannot predict. */
const DOUBLED = Uint8Array.of(0, 2, 4, 6, 8, 1, 3, 5, 7, 9);

/** Scans an account number: 4 to 26 digits. */
export function scanAccountNumber(scan: RowScan, at: number, { routingCheck }: ScanRules): number {
  const { input, output } = scan;
  let { to } = scan;
  let end = at;
  let sum = 0;
  let start = 0;
  for (let byte = input[end]!; byte >= ZERO && byte <= NINE; byte = input[end]!) {
    const digit = byte - ZERO;
    const place = end - at;
    if (place < 9) {
      sum += digit * (place % 3 === 0 ? 3 : place % 3 === 1 ? 7 : 1);
      start += digit;
    }
    output[to] = byte;
    to += 1;
    end += 1;
    if (end - at > 26) return DECLINED;
  }
  const length = end - at;
  if (length < 4 || hasLostZero({ length }) || mayBeRounded(input, end, length)) return DECLINED;
  if (routingCheck && (length < 9 || isBankAlone({ length }) || start === 0 || sum % 10 !== 0)) return DECLINED;
  scan.to = to;
  return end;
}

/** Returns whether it ends in zeros, so that the account rule has to check it. */
function mayBeRounded(input: Uint8Array, end: number, length: number): boolean {
  return length >= 20 && input[end - 1] === ZERO && input[end - 2] === ZERO && input[end - 5] === ZERO;
}

/** Scans an amount: the right sign, no leading zeros, up to seven digits before the point and up to two after it. */
export function scanAmount(scan: RowScan, at: number, { sign, largestCents }: ScanRules): number {
  const { input, output } = scan;
  let { to } = scan;
  let end = at;
  if (sign < 0) {
    if (input[end] !== MINUS) return DECLINED;
    output[to] = MINUS;
    to += 1;
    end += 1;
  }
  const start = end;
  let cents = 0;
  for (let byte = input[end]!; byte >= ZERO && byte <= NINE; byte = input[end]!) {
    cents = cents * 10 + byte - ZERO;
    output[to] = byte;
    to += 1;
    end += 1;
    if (end - start > MOST_WHOLE_DIGITS) return DECLINED;
  }
  if (end === start || (input[start] === ZERO && end - start > 1)) return DECLINED;
  let tens = 0;
  let ones = 0;
  if (input[end] === POINT) {
    tens = input[end + 1]! - ZERO;
    if (!(tens >= 0 && tens <= 9)) return DECLINED;
    end += 2;
    const digit = input[end]! - ZERO;
    if (digit >= 0 && digit <= 9) {
      ones = digit;
      end += 1;
    }
  }
  cents = cents * 100 + tens * 10 + ones;
  if (cents === 0 || cents > largestCents) return DECLINED;
  output[to] = POINT;
  output[to + 1] = ZERO + tens;
  output[to + 2] = ZERO + ones;
  scan.to = to + 3;
  scan.cents = sign * cents;
  return end;
}

/** The rule handles ten million and more; it knows the limit of an amount. */
const MOST_WHOLE_DIGITS = 7;

/** Scans a calendar day, `6/5/2026` or `06/05/2026`, and writes month and day with two digits each. */
export function scanDate(scan: RowScan, at: number, { today }: Pick<ScanRules, 'today'>): number {
  const { input, output, to } = scan;
  const monthEnd = behindDigits(input, at, 2);
  const dayEnd = behindDigits(input, monthEnd + 1, 2);
  const end = behindDigits(input, dayEnd + 1, 4);
  if (input[monthEnd] !== SLASH || input[dayEnd] !== SLASH || end - dayEnd !== 5) return DECLINED;
  const month = numberOf(input, at, monthEnd);
  const day = numberOf(input, monthEnd + 1, dayEnd);
  const year = numberOf(input, dayEnd + 1, end);
  if (year < 1900 || year > 2099 || !isDay(year, month, day)) return DECLINED;
  // The rule may have to note it.
  if (Math.abs(markOfDay(year, month, day) - today) > NEAR_DAYS) return DECLINED;
  writePair(output, to, month);
  output[to + 2] = SLASH;
  writePair(output, to + 3, day);
  output[to + 5] = SLASH;
  writePair(output, to + 6, Math.floor(year / 100));
  writePair(output, to + 8, year % 100);
  scan.to = to + 10;
  return end;
}

/** Returns a number that grows by at least one per day, so days are never farther apart than their marks. */
export function markOfDay(year: number, month: number, day: number): number {
  return (year * 12 + month) * 31 + day;
}

function behindDigits(input: Uint8Array, start: number, most: number): number {
  let at = start;
  while (at - start < most && input[at]! >= ZERO && input[at]! <= NINE) at += 1;
  return at;
}

function numberOf(input: Uint8Array, start: number, end: number): number {
  let number = 0;
  for (let at = start; at < end; at += 1) number = number * 10 + input[at]! - ZERO;
  return number;
}

function writePair(output: Uint8Array, to: number, number: number): void {
  output[to] = ZERO + Math.floor(number / 10);
  output[to + 1] = ZERO + (number % 10);
}

/** Scans `MM/YY` or `MMYY` of a card that has not expired, and writes MMYY. */
export function scanExpiry(scan: RowScan, at: number, { thisMonth }: ScanRules): number {
  const { input, output, to } = scan;
  const yearAt = input[at + 2] === SLASH ? at + 3 : at + 2;
  const month = numberAt(input, at);
  const year = numberAt(input, yearAt);
  if (month < 1 || month > 12 || year < 0) return DECLINED;
  if ((2000 + year) * 12 + month < thisMonth) return DECLINED;
  output[to] = input[at]!;
  output[to + 1] = input[at + 1]!;
  output[to + 2] = input[yearAt]!;
  output[to + 3] = input[yearAt + 1]!;
  scan.to = to + 4;
  return yearAt + 2;
}

function numberAt(input: Uint8Array, at: number): number {
  const tens = input[at]! - ZERO;
  const ones = input[at + 1]! - ZERO;
  return tens >= 0 && tens <= 9 && ones >= 0 && ones <= 9 ? tens * 10 + ones : -1;
}
