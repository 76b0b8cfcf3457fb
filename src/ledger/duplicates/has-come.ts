/**
 * SQL: whether the moment in a column has come. A moment beyond the longest wait was written by a clock that was wrong, and counts
 * as come, as in calendar/wait-left.ts.
 * @param longestMs no wait of this kind is longer
 */
export function hasCome(column: string, now: string, longestMs: number): string {
  return `(${column} <= ${now} OR ${column} > ${now}::timestamptz + ${longestMs} * interval '1 millisecond')`;
}
