import fc from 'fast-check';
import { expect } from 'vitest';
import { WEEKDAYS } from '../../../schemas/config-parts.ts';
import { dueDates } from '../../../src/calendar/business-dates.ts';

const TIMETABLES = fc.record({
  at: fc.constantFrom('00:00', '01:30', '02:30', '22:00', '23:59'),
  timeZone: fc.constantFrom('America/Toronto', 'Europe/London', 'Australia/Sydney', 'Asia/Kathmandu', 'UTC'),
  days: fc.subarray([...WEEKDAYS], { minLength: 1 }),
  holidays: fc.subarray(['2026-03-08', '2026-03-29', '2026-04-03', '2026-10-05']),
});

/** Hours after the start at which the due dates are read. */
const LOOKS = fc.array(fc.integer({ min: 0, max: 240 * 24 }), { minLength: 1, maxLength: 12 });

/** Checks that repeated reads of any timetable give together what one gives at the end. A failure names its seed. */
export function expectWholeFromLooks(size: { numRuns: number; seed?: number }): void {
  fc.assert(
    fc.property(TIMETABLES, LOOKS, (timetable, looks) => {
      const since = new Date('2026-03-01T00:00:00Z');
      const end = new Date('2026-11-15T00:00:00Z');
      const moments = [...looks.toSorted((one, other) => one - other).map(hoursAfter(since)), end];
      const seen: string[] = [];
      for (const now of moments) seen.push(...dueDates(timetable, since, now, seen.at(-1)).map(({ day }) => day));
      expect(seen).toEqual(dueDates(timetable, since, end).map(({ day }) => day));
    }),
    size,
  );
}

function hoursAfter(since: Date): (hours: number) => Date {
  return (hours) => new Date(since.getTime() + hours * 3_600_000);
}
