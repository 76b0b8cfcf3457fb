/** Times for users. Inside paydrop every time is UTC; accounting reads them in the time zone of the account. */

/** Formats a moment in the zone: `2026-06-15 05:00:00 -04:00`. */
export function formatInZone(at: Date, timeZone: string): string {
  const part = partsIn(at, timeZone);
  return `${part.year}-${part.month}-${part.day} ${part.hour}:${part.minute}:${part.second} ${offsetOf(part.timeZoneName)}`;
}

/** Returns the calendar day in the zone, `2026-06-15`. */
export function dayInZone(at: Date, timeZone: string): string {
  const part = partsIn(at, timeZone);
  return `${part.year}-${part.month}-${part.day}`;
}

const DAY_MS = 86_400_000;

/**
 * Returns the first moment of a day in the zone. It is not always 0:00: some clocks go forward at midnight.
 * @param day `2026-06-15`
 * @returns undefined when the zone has no such day
 */
export function startOfDay(day: string, timeZone: string): Date | undefined {
  const midnightMs = /^\d{4}-\d\d-\d\d$/.test(day) ? Date.parse(`${day}T00:00:00Z`) : Number.NaN;
  if (Number.isNaN(midnightMs)) return undefined;
  return candidatesOf(midnightMs, timeZone).find((at) => dayInZone(at, timeZone) === day);
}

/**
 * Returns the moments that may be a calendar time, the earlier first. Zones change their offset less than once a day, so it
 * is that of the day before or the day after.
 * @param unshiftedMs the time as if it were UTC
 */
function candidatesOf(unshiftedMs: number, timeZone: string): Date[] {
  const offsets = [unshiftedMs - DAY_MS, unshiftedMs + DAY_MS].map((ms) => offsetMs(new Date(ms), timeZone));
  const moments = [...new Set(offsets)].map((offset) => new Date(unshiftedMs - offset));
  return moments.sort((one, other) => one.getTime() - other.getTime());
}

/** Returns the zone for what belongs to no account: that of all accounts, or UTC when they differ. */
export function sharedZone({ accounts }: { accounts: ReadonlyMap<string, { timeZone: string }> }): string {
  const zones = new Set([...accounts.values()].map(({ timeZone }) => timeZone));
  const [zone] = zones;
  return zone !== undefined && zones.size === 1 ? zone : 'UTC';
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

/** Converts `GMT-04:00` to `-04:00`; UTC itself is `GMT`. */
function offsetOf(name: string): string {
  return name.slice(3) || '+00:00';
}

/** Offsets by quarter hour and zone. */
const OFFSETS = new Map<string, number>();
const KEPT_OFFSETS = 10_000;
const QUARTER_MS = 900_000;

/**
 * Returns how far clocks in the zone are ahead of UTC. Since 1973 zones have changed only at quarter hours, so one
 * cached offset covers each. Formatting a moment per line took longer than all other work on a report.
 */
function offsetMs(at: Date, timeZone: string): number {
  const quarter = `${Math.floor(at.getTime() / QUARTER_MS)} ${timeZone}`;
  let offset = OFFSETS.get(quarter);
  if (offset === undefined) {
    if (OFFSETS.size === KEPT_OFFSETS) OFFSETS.clear();
    offset = parseOffset(offsetOf(partsIn(at, timeZone).timeZoneName));
    OFFSETS.set(quarter, offset);
  }
  return offset;
}

function parseOffset(text: string): number {
  const [, sign, hours, minutes] = /^([+-])(\d\d):(\d\d)/.exec(text) ?? [];
  return (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes)) * 60_000;
}

/**
 * Returns the moments when clocks in a zone show a time, the earlier first. There is normally one. The repeated hour in
 * autumn has two; the skipped hour in spring and days that do not exist have none.
 * @param wall calendar time to the second, `2026-06-15T10:11:12`
 */
export function momentsInZone(wall: string, timeZone: string): Date[] {
  const unshifted = Date.parse(`${wall}Z`);
  // JavaScript parses February 30 as March 2.
  if (Number.isNaN(unshifted) || !new Date(unshifted).toISOString().startsWith(wall)) return [];
  return candidatesOf(unshifted, timeZone).filter((at) => at.getTime() + offsetMs(at, timeZone) === unshifted);
}

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
