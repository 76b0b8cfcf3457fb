import { describe, expect, it } from 'vitest';
import { dayBounds } from '../../src/calendar/day-bounds.ts';

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
