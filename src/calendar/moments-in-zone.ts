import { offsetMs } from './zone-time.ts';

/**
 * Returns the moments when clocks in a zone show a time, the earlier first. There is normally one. The repeated hour in
 * autumn has two; the skipped hour in spring and days that do not exist have none.
 * @param wall calendar time to the second, `2026-06-15T10:11:12`
 */
export function momentsInZone(wall: string, timeZone: string): Date[] {
  const unshifted = Date.parse(`${wall}Z`);
  // JavaScript parses February 30 as March 2.
  if (Number.isNaN(unshifted) || !new Date(unshifted).toISOString().startsWith(wall)) return [];
  // Zones change their offset less than once a day, so it is that of the day before or the day after.
  const offsets = [unshifted - DAY_MS, unshifted + DAY_MS].map((ms) => offsetMs(new Date(ms), timeZone));
  const moments = [...new Set(offsets)].map((offset) => new Date(unshifted - offset));
  return moments
    .filter((at) => at.getTime() + offsetMs(at, timeZone) === unshifted)
    .sort((one, other) => one.getTime() - other.getTime());
}

const DAY_MS = 24 * 60 * 60 * 1000;
