import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { addDays } from '../../src/calendar/calendar.ts';
import { dayInZone, formatInZone, momentOfWallTime } from '../../src/calendar/zone-time.ts';

const TORONTO = 'America/Toronto';
const LONDON = 'Europe/London';
const SYDNEY = 'Australia/Sydney';

describe('momentOfWallTime', () => {
  it.each([
    ['UTC', '2026-06-15', '22:00', '2026-06-15T22:00:00.000Z'],
    [TORONTO, '2026-06-15', '22:00', '2026-06-16T02:00:00.000Z'],
    [TORONTO, '2026-01-15', '22:00', '2026-01-16T03:00:00.000Z'],
    // Occurs twice: the first counts.
    [TORONTO, '2026-11-01', '01:30', '2026-11-01T05:30:00.000Z'],
    [LONDON, '2026-10-25', '01:30', '2026-10-25T00:30:00.000Z'],
    [SYDNEY, '2026-04-05', '02:30', '2026-04-04T15:30:00.000Z'],
    // Skipped by the clocks: the first moment after the gap.
    [TORONTO, '2026-03-08', '02:30', '2026-03-08T07:00:00.000Z'],
    [TORONTO, '2026-03-08', '02:00', '2026-03-08T07:00:00.000Z'],
    [TORONTO, '2026-03-08', '01:59', '2026-03-08T06:59:00.000Z'],
    [TORONTO, '2026-03-08', '03:00', '2026-03-08T07:00:00.000Z'],
    [LONDON, '2026-03-29', '01:30', '2026-03-29T01:00:00.000Z'],
    [SYDNEY, '2026-10-04', '02:30', '2026-10-03T16:00:00.000Z'],
    // Gaps at midnight, of half an hour, and at 0:01.
    ['Asia/Beirut', '2026-03-29', '00:30', '2026-03-28T22:00:00.000Z'],
    ['Australia/Lord_Howe', '2026-10-04', '02:15', '2026-10-03T15:30:00.000Z'],
    ['America/St_Johns', '2006-04-02', '00:30', '2006-04-02T03:31:00.000Z'],
  ])('in %s, %s %s is %s', (timeZone, day, time, at) => {
    expect(momentOfWallTime(day, time, timeZone)?.toISOString()).toBe(at);
  });

  it('has none on a day that the zone left out', () => {
    expect(momentOfWallTime('2011-12-30', '22:00', 'Pacific/Apia')).toBeUndefined();
    expect(momentOfWallTime('2011-12-31', '22:00', 'Pacific/Apia')?.toISOString()).toBe('2011-12-31T08:00:00.000Z');
  });

  it('gives each day one moment, on that day, and each a later one than the day before, in every zone', () => {
    const zones = fc.constantFrom(...Intl.supportedValuesOf('timeZone'));
    const starts = fc.integer({ min: 0, max: 365 * 14 }).map((days) => addDays('2012-01-01', days));
    const time = fc
      .integer({ min: 0, max: 1_439 })
      .map((minutes) => new Date(minutes * 60_000).toISOString().slice(11, 16));
    fc.assert(
      fc.property(zones, starts, time, (timeZone, start, at) => {
        const days = [0, 1, 2, 3].map((days) => addDays(start, days));
        const moments = days.map((day) => momentOfWallTime(day, at, timeZone)!);
        expect(moments.map((moment) => dayInZone(moment, timeZone))).toEqual(days);
        for (const [index, moment] of moments.entries()) {
          // Never before its time; later only where the clocks skip it.
          expect(formatInZone(moment, timeZone).slice(11, 16) >= at).toBe(true);
          if (index > 0) expect(moment.getTime()).toBeGreaterThan(moments[index - 1]!.getTime());
        }
      }),
      { numRuns: 300 },
    );
  });

  it('says the time itself on all days but those of a gap, through every day of three years', () => {
    const others = [TORONTO, LONDON, SYDNEY].map((timeZone) => {
      const days = Array.from({ length: 3 * 365 }, (_, index) => addDays('2025-01-01', index));
      const at = timeZone === LONDON ? '01:30' : '02:30';
      return days.filter(
        (day) => formatInZone(momentOfWallTime(day, at, timeZone)!, timeZone).slice(0, 16) !== `${day} ${at}`,
      );
    });
    expect(others).toEqual([
      ['2025-03-09', '2026-03-08', '2027-03-14'],
      ['2025-03-30', '2026-03-29', '2027-03-28'],
      ['2025-10-05', '2026-10-04', '2027-10-03'],
    ]);
  });
});
