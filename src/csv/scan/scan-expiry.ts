import { SLASH, ZERO } from '../../kernel/byte-names.ts';
import { DECLINED, type RowScan } from './row-scan.ts';
import type { ScanRules } from './scan-column.ts';

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

/** Returns the two-digit number at `at`, or -1. */
function numberAt(input: Uint8Array, at: number): number {
  const tens = input[at]! - ZERO;
  const ones = input[at + 1]! - ZERO;
  return tens >= 0 && tens <= 9 && ones >= 0 && ones <= 9 ? tens * 10 + ones : -1;
}
