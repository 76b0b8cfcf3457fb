import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { dayInZone, formatInZone, isTimeZone, startOfDay } from '../../src/calendar/zone-time.ts';

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

describe('dayInZone', () => {
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
  ])('in %s, %s lies on %s', (timeZone, at, day) => {
    expect(dayInZone(new Date(at), timeZone)).toBe(day);
  });
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
