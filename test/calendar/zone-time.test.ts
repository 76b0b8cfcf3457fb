import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  dayInZone,
  formatInZone,
  isTimeZone,
  momentOfWallTime,
  momentsInZone,
  startOfDay,
} from '../../src/calendar/zone-time.ts';
import { addDays, dayBounds } from '../../src/calendar/calendar.ts';

const TORONTO = 'America/Toronto';

const LONDON = 'Europe/London';

const SYDNEY = 'Australia/Sydney';

describe('formatInZone', () => {
  it.each([
    ['UTC', '2026-06-15T00:00:00Z', '2026-06-15 00:00:00 +00:00'],
    ['UTC', '2026-12-31T23:59:59.999Z', '2026-12-31 23:59:59 +00:00'],
    ['UTC', '2028-02-29T12:00:00Z', '2028-02-29 12:00:00 +00:00'],
    // Toronto's clocks change at 2:00; in fall the hour from 1:00 occurs twice, distinguished by its offset.
    [TORONTO, '2026-03-08T06:59:59Z', '2026-03-08 01:59:59 -05:00'],
    [TORONTO, '2026-03-08T07:00:00Z', '2026-03-08 03:00:00 -04:00'],
    [TORONTO, '2026-11-01T05:30:00Z', '2026-11-01 01:30:00 -04:00'],
    [TORONTO, '2026-11-01T06:30:00Z', '2026-11-01 01:30:00 -05:00'],
    [LONDON, '2026-03-29T00:59:59Z', '2026-03-29 00:59:59 +00:00'],
    [LONDON, '2026-03-29T01:00:00Z', '2026-03-29 02:00:00 +01:00'],
    [LONDON, '2026-10-25T00:59:59Z', '2026-10-25 01:59:59 +01:00'],
    [LONDON, '2026-10-25T01:00:00Z', '2026-10-25 01:00:00 +00:00'],
    [SYDNEY, '2026-04-04T15:59:59Z', '2026-04-05 02:59:59 +11:00'],
    [SYDNEY, '2026-04-04T16:00:00Z', '2026-04-05 02:00:00 +10:00'],
    [SYDNEY, '2026-10-03T15:59:59Z', '2026-10-04 01:59:59 +10:00'],
    [SYDNEY, '2026-10-03T16:00:00Z', '2026-10-04 03:00:00 +11:00'],
    ['Asia/Kathmandu', '2026-06-15T18:15:00Z', '2026-06-16 00:00:00 +05:45'],
    ['America/St_Johns', '2026-01-15T12:00:00Z', '2026-01-15 08:30:00 -03:30'],
  ])('in %s, %s reads %s', (timeZone, at, text) => {
    expect(formatInZone(new Date(at), timeZone)).toBe(text);
  });

  it('names the very second, in every zone', () => {
    const seconds = fc.integer({ min: Date.parse('2000-01-01Z') / 1000, max: Date.parse('2099-12-31Z') / 1000 });
    fc.assert(
      fc.property(seconds, fc.constantFrom('UTC', TORONTO, LONDON, SYDNEY), (second, timeZone) => {
        const [day, time, offset] = formatInZone(new Date(second * 1000), timeZone).split(' ');
        expect(new Date(`${day}T${time}${offset}`).getTime()).toBe(second * 1000);
        expect(dayInZone(new Date(second * 1000), timeZone)).toBe(day);
      }),
    );
  });
});

it.each([
  ['UTC', '2026-06-15T23:59:59Z', '2026-06-15'],
  ['UTC', '2026-06-16T00:00:00Z', '2026-06-16'],
  [TORONTO, '2026-06-15T03:59:59Z', '2026-06-14'],
  [TORONTO, '2026-06-15T04:00:00Z', '2026-06-15'],
  [TORONTO, '2026-01-15T04:59:59Z', '2026-01-14'],
  [LONDON, '2026-06-15T22:59:59Z', '2026-06-15'],
  [LONDON, '2026-06-15T23:00:00Z', '2026-06-16'],
  [SYDNEY, '2026-12-31T12:59:59Z', '2026-12-31'],
  [SYDNEY, '2026-12-31T13:00:00Z', '2027-01-01'],
])('dayInZone in %s, %s lies on %s', (timeZone, at, day) => {
  expect(dayInZone(new Date(at), timeZone)).toBe(day);
});

describe('startOfDay', () => {
  it.each([
    ['UTC', '2026-06-15', '2026-06-15T00:00:00.000Z'],
    [TORONTO, '2026-06-15', '2026-06-15T04:00:00.000Z'],
    // Days on which the clocks change, and the days after.
    [TORONTO, '2026-03-08', '2026-03-08T05:00:00.000Z'],
    [TORONTO, '2026-03-09', '2026-03-09T04:00:00.000Z'],
    [TORONTO, '2026-11-01', '2026-11-01T04:00:00.000Z'],
    [TORONTO, '2026-11-02', '2026-11-02T05:00:00.000Z'],
    [SYDNEY, '2026-10-04', '2026-10-03T14:00:00.000Z'],
    ['Asia/Kathmandu', '2026-06-16', '2026-06-15T18:15:00.000Z'],
    // Clocks skip 0:00, so the day begins at 1:00, show it twice, or go back at midnight.
    ['Asia/Beirut', '2026-03-29', '2026-03-28T22:00:00.000Z'],
    ['America/Havana', '2026-11-01', '2026-11-01T04:00:00.000Z'],
    ['Asia/Beirut', '2026-10-25', '2026-10-24T22:00:00.000Z'],
  ])('in %s, %s begins at %s', (timeZone, day, at) => {
    expect(startOfDay(day, timeZone)?.toISOString()).toBe(at);
  });

  it.each(['2026-02-30', '2026-13-01', '2026-6-15', 'today', '', '2026-06-15T00:00:00Z'])('%j is no day', (day) => {
    expect(startOfDay(day, 'UTC')).toBeUndefined();
  });

  it('does not find a day that a zone left out', () => {
    expect(startOfDay('2011-12-30', 'Pacific/Apia')).toBeUndefined();
    expect(startOfDay('2011-12-31', 'Pacific/Apia')?.toISOString()).toBe('2011-12-30T10:00:00.000Z');
  });
});

describe('isTimeZone', () => {
  it.each(['UTC', TORONTO, LONDON, SYDNEY, 'America/New_York'])('takes %s', (name) => {
    expect(isTimeZone(name)).toBe(true);
  });

  it.each(['', 'Mars', 'America/Springfield', 'Toronto', 'GMT+25'])('does not take %j', (name) => {
    expect(isTimeZone(name)).toBe(false);
  });
});

const VANCOUVER = 'America/Vancouver';

describe('momentsInZone', () => {
  it.each<[string, string, string[]]>([
    ['UTC', '2026-06-15T10:11:12', ['2026-06-15T10:11:12.000Z']],
    [VANCOUVER, '2026-06-15T10:11:12', ['2026-06-15T17:11:12.000Z']],
    [VANCOUVER, '2026-01-15T23:59:59', ['2026-01-16T07:59:59.000Z']],
    [LONDON, '2026-01-15T10:11:12', ['2026-01-15T10:11:12.000Z']],
    [LONDON, '2026-06-15T00:00:00', ['2026-06-14T23:00:00.000Z']],
    ['Pacific/Kiritimati', '2026-06-15T00:00:00', ['2026-06-14T10:00:00.000Z']],
    // The hour that occurs twice, and the minutes around it.
    [VANCOUVER, '2017-11-05T00:59:59', ['2017-11-05T07:59:59.000Z']],
    [VANCOUVER, '2017-11-05T01:30:00', ['2017-11-05T08:30:00.000Z', '2017-11-05T09:30:00.000Z']],
    [VANCOUVER, '2017-11-05T02:00:00', ['2017-11-05T10:00:00.000Z']],
    [LONDON, '2026-10-25T01:00:00', ['2026-10-25T00:00:00.000Z', '2026-10-25T01:00:00.000Z']],
    // The hour that the clocks skip.
    [VANCOUVER, '2017-03-12T02:30:00', []],
    [VANCOUVER, '2017-03-12T03:00:00', ['2017-03-12T10:00:00.000Z']],
    [LONDON, '2026-03-29T01:59:59', []],
    // Not a time.
    [LONDON, '2026-02-30T10:00:00', []],
    [LONDON, '2026-13-01T10:00:00', []],
    [LONDON, 'yesterday', []],
    [LONDON, '', []],
  ])('in %s, %j is %j', (zone, wall, moments) => {
    expect(momentsInZone(wall, zone).map((moment) => moment.toISOString())).toEqual(moments);
  });

  it('finds every hour of a year again', () => {
    for (const zone of [VANCOUVER, LONDON]) {
      for (let ms = Date.UTC(2026, 0, 1); ms < Date.UTC(2027, 0, 1); ms += 7 * 3_600_000) {
        const wall = formatInZone(new Date(ms), zone).slice(0, 19).replace(' ', 'T');
        expect(momentsInZone(wall, zone).map(Number)).toContain(ms);
      }
    }
  });
});

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

describe('dayBounds', () => {
  it.each([
    ['2026-06-15', 'UTC', '2026-06-15T00:00:00.000Z', '2026-06-16T00:00:00.000Z'],
    ['2026-11-01', 'America/New_York', '2026-11-01T04:00:00.000Z', '2026-11-02T05:00:00.000Z'],
    ['2026-03-08', 'America/New_York', '2026-03-08T05:00:00.000Z', '2026-03-09T04:00:00.000Z'],
    // Samoa skipped December 30.
    ['2011-12-29', 'Pacific/Apia', '2011-12-29T10:00:00.000Z', '2011-12-30T10:00:00.000Z'],
  ])('%s in %s lasts from %s until %s', (day, timeZone, from, until) => {
    expect(dayBounds(day, timeZone)).toEqual({ from: new Date(from), until: new Date(until) });
  });

  it.each([
    ['2011-12-30', 'Pacific/Apia'],
    ['2026-02-30', 'UTC'],
    ['yesterday', 'UTC'],
    ['', 'UTC'],
  ])('knows no day "%s" in %s', (day, timeZone) => {
    expect(dayBounds(day, timeZone)).toBeUndefined();
  });
});
