import { WEEKDAYS, type WindowConfig } from '../../../../schemas/config.ts';

/** Describes when an account may send: `09:00 to 17:00, mon tue wed thu fri, in America/Toronto, not on 2026-12-25`. */
export function describeWindow(window: WindowConfig | undefined, timeZone: string): string {
  if (!window) return 'at any time';
  const { from, to, days, holidays } = window;
  const hours = from === to ? 'the whole day' : `${from} to ${to}`;
  const onDays = days.length === WEEKDAYS.length ? 'every day' : days.join(' ');
  const notOn = holidays.length === 0 ? '' : `, not on ${holidays.join(', ')}`;
  return `${hours}, ${onDays}, in ${timeZone}${notOn}`;
}
