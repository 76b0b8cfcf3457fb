import { formatInZone, startOfDay } from '../../calendar/zone-time.ts';

/** Converts a typed day to its first moment in the zone, in ISO 8601. Other text is left to the parameter check. */
export function readMoment(text: string, timeZone: string): string {
  const start = startOfDay(text.trim(), timeZone);
  return start ? isoInZone(start, timeZone) : text;
}

/** Does the same for the end of a range: a day becomes its last moment, so the whole day is included. */
export function readLastMoment(text: string, timeZone: string): string {
  const start = startOfDay(text.trim(), timeZone);
  if (!start) return text;
  const next = new Date(Date.parse(`${text.trim()}T00:00:00Z`) + DAY_MS).toISOString().slice(0, 10);
  const end = startOfDay(next, timeZone) ?? new Date(start.getTime() + DAY_MS);
  return isoInZone(new Date(end.getTime() - 1), timeZone, '.999');
}

const DAY_MS = 86_400_000;

/**
 * Formats `2026-11-20T00:00:00-05:00`: the service may read the day from the text, and in UTC it could be another one.
 */
function isoInZone(at: Date, timeZone: string, fraction = ''): string {
  const [day, time, offset] = formatInZone(at, timeZone).split(' ');
  return `${day}T${time}${fraction}${offset}`;
}
