/**
 * Returns SQL for whether the time in a column has come. A time beyond the longest wait came from a wrong clock and
 * counts as come, as in calendar/wait-left.ts.
 * @param longestMs longest possible wait of this kind
 */
export function hasCome(column: string, now: string, longestMs: number): string {
  return `(${column} <= ${now} OR ${column} > ${now}::timestamptz + ${longestMs} * interval '1 millisecond')`;
}
