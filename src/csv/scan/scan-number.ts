import { NINE, ZERO } from '../../kernel/byte-names.ts';
import { hasLostZero, isBankAlone } from '../rules/account-number.ts';
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
