import { momentsInZone } from './moments-in-zone.ts';
import { formatInZone, startOfDay } from './zone-time.ts';

/**
 * Returns the one moment for a planned time of day. A time that occurs twice in autumn counts the first time; one
 * skipped in spring means the first moment after the gap. Each day thus has exactly one moment, and they stay in order.
 * @param day `2026-06-15`
 * @param time `22:00`
 * @returns undefined for a day that the zone has skipped
 */
export function momentOfWallTime(day: string, time: string, timeZone: string): Date | undefined {
  if (!startOfDay(day, timeZone)) return undefined;
  const wall = `${day}T${time}:00`;
  return momentsInZone(wall, timeZone)[0] ?? endOfGap(wall, timeZone);
}

const DAY_MS = 86_400_000;
const SECOND_MS = 1_000;

/** Returns the first moment after a skipped time, to the second. */
function endOfGap(wall: string, timeZone: string): Date {
  const unshifted = Date.parse(`${wall}Z`);
  const isBehind = (ms: number) => wallOf(ms, timeZone) < wall;
  // No zone is more than a day from UTC, and none changes its clocks twice within two days.
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
