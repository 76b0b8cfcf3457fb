import { momentsInZone } from './moments-in-zone.ts';
import { formatInZone, startOfDay } from './zone-time.ts';

/**
 * The one moment at which something happens that is planned for a time of day. A time that comes twice in autumn counts
 * when it comes first; one that is left out in spring counts as the first moment after the gap. So each day has exactly
 * one, and those of the days follow each other.
 * @param day `2026-06-15`
 * @param time `22:00`
 * @returns undefined for a day that does not exist in the zone: some have left one out
 */
export function momentOfWallTime(day: string, time: string, timeZone: string): Date | undefined {
  if (!startOfDay(day, timeZone)) return undefined;
  const wall = `${day}T${time}:00`;
  return momentsInZone(wall, timeZone)[0] ?? endOfGap(wall, timeZone);
}

const DAY_MS = 86_400_000;
const SECOND_MS = 1_000;

/** Clocks jump over this time; the first moment at which they show a later one, to the second. */
function endOfGap(wall: string, timeZone: string): Date {
  const unshifted = Date.parse(`${wall}Z`);
  const isBehind = (ms: number) => wallOf(ms, timeZone) < wall;
  // No zone is farther than a day from UTC, and none of them jumps twice within two.
  let [before, after] = [unshifted - DAY_MS, unshifted + DAY_MS];
  while (after - before > SECOND_MS) {
    const middle = Math.floor((before + after) / 2 / SECOND_MS) * SECOND_MS;
    if (isBehind(middle)) before = middle;
    else after = middle;
  }
  return new Date(after);
}

function wallOf(ms: number, timeZone: string): string {
  return formatInZone(new Date(ms), timeZone).slice(0, 19).replace(' ', 'T');
}
