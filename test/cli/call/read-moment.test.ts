import { describe, expect, it } from 'vitest';
import { readLastMoment, readMoment } from '../../../src/cli/call/to-parameters.ts';

const NEW_YORK = 'America/New_York';

describe('readMoment', () => {
  it.each([
    ['2026-11-20', NEW_YORK, '2026-11-20T00:00:00-05:00'],
    ['2026-06-15', NEW_YORK, '2026-06-15T00:00:00-04:00'],
    ['2026-06-15', 'UTC', '2026-06-15T00:00:00+00:00'],
    [' 2026-06-15 ', 'Europe/London', '2026-06-15T00:00:00+01:00'],
    ['2026-11-20T09:30:00-05:00', 'UTC', '2026-11-20T09:30:00-05:00'],
    ['2026-02-30', 'UTC', '2026-02-30'],
    ['tomorrow', 'UTC', 'tomorrow'],
  ])('%j in %s is %s', (text, timeZone, moment) => {
    expect(readMoment(text, timeZone)).toBe(moment);
  });
});

describe('readLastMoment', () => {
  it.each([
    ['2026-11-20', NEW_YORK, '2026-11-20T23:59:59.999-05:00'],
    // The day the clocks go back has 25 hours, and ends with a different offset than it begins.
    ['2026-11-01', NEW_YORK, '2026-11-01T23:59:59.999-05:00'],
    ['2026-03-08', NEW_YORK, '2026-03-08T23:59:59.999-04:00'],
    ['2026-12-31', 'UTC', '2026-12-31T23:59:59.999+00:00'],
    // This zone skipped the next day.
    ['2011-12-29', 'Pacific/Apia', '2011-12-29T23:59:59.999-10:00'],
    ['2026-11-20T09:30:00-05:00', 'UTC', '2026-11-20T09:30:00-05:00'],
    ['tomorrow', 'UTC', 'tomorrow'],
  ])('%j in %s ends at %s', (text, timeZone, moment) => {
    expect(readLastMoment(text, timeZone)).toBe(moment);
  });
});
