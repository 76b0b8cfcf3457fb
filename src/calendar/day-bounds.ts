import { addDays } from './calendar.ts';
import { startOfDay } from './zone-time.ts';

/** A period of time; `until` is exclusive. */
export type Period = { readonly from: Date; readonly until: Date };

/**
 * Returns the bounds of a calendar day in a zone, 23 to 25 hours long.
 * @param day `2026-11-20`
 * @returns undefined when the zone has no such day
 */
export function dayBounds(day: string, timeZone: string): Period | undefined {
  const from = startOfDay(day, timeZone);
  // Some zones have skipped a calendar day. The day before it ends where the next one begins.
  const until = from && (startOfDay(addDays(day, 1), timeZone) ?? startOfDay(addDays(day, 2), timeZone));
  return from && until && { from, until };
}
