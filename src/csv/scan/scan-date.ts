import type { ScanRules } from './scan-column.ts';
import { isDay, NEAR_DAYS } from '../rules/date.ts';
import { NINE, SLASH, ZERO } from '../../kernel/byte-names.ts';
import { DECLINED, type RowScan } from './row-scan.ts';

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
