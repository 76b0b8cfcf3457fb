import { addDays } from './calendar.ts';
import { startOfDay } from './zone-time.ts';

/** From one moment to another, which does not belong to it. */
export type Period = { readonly from: Date; readonly until: Date };

/**
 * A calendar day in a zone, 23 to 25 hours long.
 * @param day `2026-11-20`
 * @returns undefined for what is no day there
 */
export function dayBounds(day: string, timeZone: string): Period | undefined {
  const from = startOfDay(day, timeZone);
  // Some zones have left out a day of the calendar; the day then ends where the one after begins.
  const until = from && (startOfDay(addDays(day, 1), timeZone) ?? startOfDay(addDays(day, 2), timeZone));
  return from && until && { from, until };
}
