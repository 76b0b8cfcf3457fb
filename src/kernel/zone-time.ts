/**
 * Times for people. Inside paydrop every time is UTC; accounting reads them in the zone of the account.
 */

/** `2026-06-15 05:00:00 -04:00` */
export function formatInZone(at: Date, timeZone: string): string {
  const part = partsIn(at, timeZone);
  return `${part.year}-${part.month}-${part.day} ${part.hour}:${part.minute}:${part.second} ${offsetOf(part.timeZoneName)}`;
}

/** The calendar day in the zone, `2026-06-15`. */
export function dayInZone(at: Date, timeZone: string): string {
  const part = partsIn(at, timeZone);
  return `${part.year}-${part.month}-${part.day}`;
}

export function isTimeZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return true;
  } catch {
    return false;
  }
}

const FORMATS = new Map<string, Intl.DateTimeFormat>();

function partsIn(at: Date, timeZone: string): Record<Intl.DateTimeFormatPartTypes, string> {
  let format = FORMATS.get(timeZone);
  if (!format) {
    format = new Intl.DateTimeFormat('en-US', {
      timeZone,
      year: 'numeric',
      month: '2-digit',
      day: '2-digit',
      hour: '2-digit',
      minute: '2-digit',
      second: '2-digit',
      hourCycle: 'h23',
      timeZoneName: 'longOffset',
    });
    FORMATS.set(timeZone, format);
  }
  const parts = format.formatToParts(at).map((part) => [part.type, part.value]);
  return Object.fromEntries(parts) as Record<Intl.DateTimeFormatPartTypes, string>;
}

/** `GMT-04:00` -> `-04:00`; UTC itself is written `GMT`. */
function offsetOf(name: string): string {
  return name.slice(3) || '+00:00';
}
