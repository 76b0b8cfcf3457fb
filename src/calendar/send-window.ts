import type { WindowConfig } from '../../schemas/config.ts';
import { addDays, isBusinessDay, LONGEST_PAUSE_DAYS } from './calendar.ts';
import { dayInZone, momentOfWallTime } from './zone-time.ts';

/** When an account may send: its `window` setting, in its time zone. Without one, always. */
export type SendTimes = { readonly window?: WindowConfig | undefined; readonly timeZone: string };

/** Returns whether sending is allowed at a moment. The closing moment is not part of the window. */
export function isWindowOpen(times: SendTimes, now: Date): boolean {
  return nextSendAt(times, now) === now;
}

/**
 * Returns when sending is next allowed: `now` itself when the window is open.
 * @returns undefined when no window opens for years
 */
export function nextSendAt({ window, timeZone }: SendTimes, now: Date): Date | undefined {
  if (!window) return now;
  const today = dayInZone(now, timeZone);
  // Yesterday's window may extend past midnight.
  for (let days = -1; days <= LONGEST_PAUSE_DAYS; days += 1) {
    const hours = hoursOf(window, timeZone, addDays(today, days));
    if (!hours || hours.until <= now || hours.until <= hours.from) continue;
    return hours.from <= now ? now : hours.from;
  }
  return undefined;
}

/** Returns the names of the accounts that may not send at a moment. */
export function closedAccounts(accounts: Iterable<SendTimes & { name: string }>, now: Date): string[] {
  return [...accounts].filter((account) => !isWindowOpen(account, now)).map(({ name }) => name);
}

/** Returns the window of a day. It belongs to the day on which it opens, including the part after midnight. */
function hoursOf(window: WindowConfig, timeZone: string, day: string): { from: Date; until: Date } | undefined {
  if (!isBusinessDay(day, window)) return undefined;
  const closingDay = window.to > window.from ? day : addDays(day, 1);
  const from = momentOfWallTime(day, window.from, timeZone);
  // If the zone skips the closing day, the day after applies.
  const until =
    momentOfWallTime(closingDay, window.to, timeZone) ?? momentOfWallTime(addDays(closingDay, 1), window.to, timeZone);
  return from && until && { from, until };
}
