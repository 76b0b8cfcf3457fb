import type { WindowConfig } from '../../schemas/config.ts';
import { addDays, isBusinessDay } from './calendar.ts';
import { momentOfWallTime } from './moment-of-wall-time.ts';
import { dayInZone } from './zone-time.ts';

/** When an account may send: `window` of its settings, in its zone. Without one it may always. */
export type SendTimes = { readonly window?: WindowConfig | undefined; readonly timeZone: string };

/** No calendar has a longer pause; without a limit one that has no day left would be searched for ever. */
const LONGEST_PAUSE_DAYS = 3_660;

/** Whether something may be sent at a moment. The moment at which a window closes does not belong to it. */
export function isWindowOpen(times: SendTimes, now: Date): boolean {
  return nextSendAt(times, now) === now;
}

/**
 * From when on something may be sent: `now` itself when the window is open.
 * @returns undefined when no window opens for years
 */
export function nextSendAt({ window, timeZone }: SendTimes, now: Date): Date | undefined {
  if (!window) return now;
  const today = dayInZone(now, timeZone);
  // That of yesterday may be open past midnight.
  for (let days = -1; days <= LONGEST_PAUSE_DAYS; days += 1) {
    const hours = hoursOf(window, timeZone, addDays(today, days));
    if (!hours || hours.until <= now || hours.until <= hours.from) continue;
    return hours.from <= now ? now : hours.from;
  }
  return undefined;
}

/** Names of the accounts of which nothing may be sent at a moment. */
export function closedAccounts(accounts: Iterable<SendTimes & { name: string }>, now: Date): string[] {
  return [...accounts].filter((account) => !isWindowOpen(account, now)).map(({ name }) => name);
}

/** A window belongs to the day on which it opens, also the part of it behind midnight. */
function hoursOf(window: WindowConfig, timeZone: string, day: string): { from: Date; until: Date } | undefined {
  if (!isBusinessDay(day, window)) return undefined;
  const closingDay = window.to > window.from ? day : addDays(day, 1);
  const from = momentOfWallTime(day, window.from, timeZone);
  // Of a zone that has left out the closing day, the day after.
  const until =
    momentOfWallTime(closingDay, window.to, timeZone) ?? momentOfWallTime(addDays(closingDay, 1), window.to, timeZone);
  return from && until && { from, until };
}
