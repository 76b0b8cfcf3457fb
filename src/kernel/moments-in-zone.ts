import { formatInZone } from './zone-time.ts';

/**
 * The moments at which clocks in a zone show a time, the earlier first: one as a rule, two in the hour that comes twice
 * in autumn, none in the hour that is left out in spring, nor on a day that does not exist.
 * @param wall calendar time to the second, `2026-06-15T10:11:12`
 */
export function momentsInZone(wall: string, timeZone: string): Date[] {
  const unshifted = Date.parse(`${wall}Z`);
  if (Number.isNaN(unshifted)) return [];
  // Zones change their offset less than once a day, so it is one of the two around.
  const offsetsMs = [unshifted - DAY_MS, unshifted + DAY_MS].map((ms) => offsetMsAt(ms, timeZone));
  const moments = [...new Set(offsetsMs.map((offsetMs) => unshifted - offsetMs))].sort((one, other) => one - other);
  return moments.filter((ms) => wallOf(ms, timeZone) === wall).map((ms) => new Date(ms));
}

const DAY_MS = 24 * 60 * 60 * 1000;

function offsetMsAt(ms: number, timeZone: string): number {
  return Date.parse(`${wallOf(ms, timeZone)}Z`) - ms;
}

function wallOf(ms: number, timeZone: string): string {
  return formatInZone(new Date(ms), timeZone).slice(0, 19).replace(' ', 'T');
}
