import { offsetMs } from './zone-time.ts';

/**
 * The moments at which clocks in a zone show a time, the earlier first: one as a rule, two in the hour that comes twice
 * in autumn, none in the hour that is left out in spring, nor on a day that does not exist.
 * @param wall calendar time to the second, `2026-06-15T10:11:12`
 */
export function momentsInZone(wall: string, timeZone: string): Date[] {
  const unshifted = Date.parse(`${wall}Z`);
  // The thirtieth of February is read as the second of March.
  if (Number.isNaN(unshifted) || !new Date(unshifted).toISOString().startsWith(wall)) return [];
  // Zones change their offset less than once a day, so it is one of the two around.
  const offsets = [unshifted - DAY_MS, unshifted + DAY_MS].map((ms) => offsetMs(new Date(ms), timeZone));
  const moments = [...new Set(offsets)].map((offset) => new Date(unshifted - offset));
  return moments
    .filter((at) => at.getTime() + offsetMs(at, timeZone) === unshifted)
    .sort((one, other) => one.getTime() - other.getTime());
}

const DAY_MS = 24 * 60 * 60 * 1000;
