import { MINUS, NINE, POINT, ZERO } from '../../kernel/byte-names.ts';
import { DECLINED, type RowScan } from './row-scan.ts';
import type { ScanRules } from './scan-column.ts';

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
