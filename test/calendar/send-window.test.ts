import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { WEEKDAYS, type WindowConfig } from '../../schemas/config.ts';
import { closedAccounts, isWindowOpen, nextSendAt, type SendTimes } from '../../src/calendar/send-window.ts';

const WORKDAYS: WindowConfig['days'] = ['mon', 'tue', 'wed', 'thu', 'fri'];
const NIGHT: SendTimes = {
  timeZone: 'America/Toronto',
  window: { from: '20:00', to: '06:00', days: WORKDAYS, holidays: ['2026-06-17'] },
};
const ALL_DAY: SendTimes = {
  timeZone: 'America/Toronto',
  window: { from: '00:00', to: '00:00', days: WORKDAYS, holidays: [] },
};

describe('isWindowOpen', () => {
  it.each([
    ['a moment before it opens', '2026-06-15T23:59:59.999Z', false],
    ['when it opens', '2026-06-16T00:00:00.000Z', true],
    ['past midnight', '2026-06-16T07:00:00.000Z', true],
    ['a moment before it closes', '2026-06-16T09:59:59.999Z', true],
    ['when it closes', '2026-06-16T10:00:00.000Z', false],
    // Friday's window lasts until Saturday morning; Saturday has none.
    ['on Saturday morning', '2026-06-20T09:59:59.000Z', true],
    ['on Saturday evening', '2026-06-21T01:00:00.000Z', false],
    // Monday morning would belong to Sunday.
    ['on Monday morning', '2026-06-15T09:00:00.000Z', false],
    // A holiday loses its evening and the morning after; its own morning belongs to the day before.
    ['on the morning of a holiday', '2026-06-17T09:00:00.000Z', true],
    ['on the evening of a holiday', '2026-06-18T01:00:00.000Z', false],
    ['on the morning after a holiday', '2026-06-18T09:00:00.000Z', false],
  ])('%s: %s is %s', (_when, now, isOpen) => {
    expect(isWindowOpen(NIGHT, new Date(now))).toBe(isOpen);
  });

  it('is always so without a window, and all day with one that has no hours', () => {
    expect(isWindowOpen({ timeZone: 'UTC' }, new Date('2026-06-20T12:00:00Z'))).toBe(true);
    expect(isWindowOpen(ALL_DAY, new Date('2026-06-20T03:59:59.999Z'))).toBe(true);
    expect(isWindowOpen(ALL_DAY, new Date('2026-06-20T04:00:00.000Z'))).toBe(false);
    expect(isWindowOpen(ALL_DAY, new Date('2026-06-22T04:00:00.000Z'))).toBe(true);
  });

  it('a window within the day closes on it', () => {
    const times = { timeZone: 'UTC', window: { from: '09:00', to: '17:00', days: WORKDAYS, holidays: [] } };
    const open = ['08:59', '09:00', '16:59', '17:00'].map((time) =>
      isWindowOpen(times, new Date(`2026-06-15T${time}Z`)),
    );
    expect(open).toEqual([false, true, true, false]);
  });
});

describe('nextSendAt', () => {
  it.each([
    ['open: now', '2026-06-16T07:00:00.000Z', '2026-06-16T07:00:00.000Z'],
    ['by day: this evening', '2026-06-15T12:00:00.000Z', '2026-06-16T00:00:00.000Z'],
    ['on a holiday: the evening after', '2026-06-17T12:00:00.000Z', '2026-06-19T00:00:00.000Z'],
    ['on the weekend: Monday evening', '2026-06-20T10:00:00.000Z', '2026-06-23T00:00:00.000Z'],
    // 20:00 standard time, then 20:00 daylight time.
    ['before clocks go forward', '2026-03-06T12:00:00.000Z', '2026-03-07T01:00:00.000Z'],
    ['after it', '2026-03-08T12:00:00.000Z', '2026-03-10T00:00:00.000Z'],
  ])('%s', (_when, now, at) => {
    expect(nextSendAt(NIGHT, new Date(now))?.toISOString()).toBe(at);
  });

  it('passes over a window that lies in the gap of a night, and has none when no day is left', () => {
    const gap = {
      timeZone: 'America/Toronto',
      window: { from: '02:10', to: '02:50', days: [...WEEKDAYS], holidays: [] },
    };
    expect(nextSendAt(gap, new Date('2026-03-08T05:00:00Z'))?.toISOString()).toBe('2026-03-09T06:10:00.000Z');
    const holidays = Array.from({ length: 600 }, (_, weeks) =>
      new Date(Date.UTC(2025, 11, 29) + weeks * 7 * 86_400_000).toISOString().slice(0, 10),
    );
    const never = { timeZone: 'UTC', window: { from: '02:10', to: '02:50', days: ['mon' as const], holidays } };
    expect(nextSendAt(never, new Date('2026-01-01T00:00:00Z'))).toBeUndefined();
  });

  it('is the first moment at which it is open, from anywhere', () => {
    const time = fc.constantFrom('00:00', '01:30', '02:30', '06:00', '09:00', '20:00', '23:30');
    const window = fc.record({
      from: time,
      to: time,
      days: fc.subarray([...WEEKDAYS], { minLength: 1 }),
      holidays: fc.subarray(['2026-03-08', '2026-03-09', '2026-11-01']),
    });
    const zones = fc.constantFrom('America/Toronto', 'Europe/London', 'Australia/Sydney', 'Asia/Kathmandu');
    const minutes = fc.integer({ min: 0, max: 365 * 1_440 });
    fc.assert(
      fc.property(window, zones, minutes, (window, timeZone, minute) => {
        const times = { window, timeZone };
        const now = new Date(Date.UTC(2026, 0, 1) + minute * 60_000);
        const at = nextSendAt(times, now)!;
        expect(at >= now).toBe(true);
        expect(isWindowOpen(times, at)).toBe(true);
        if (at > now) {
          expect(isWindowOpen(times, now)).toBe(false);
          expect(isWindowOpen(times, new Date(at.getTime() - 1))).toBe(false);
        }
      }),
      { numRuns: 200 },
    );
  });
});

describe('closedAccounts', () => {
  it('names those whose window is closed', () => {
    const accounts = [
      { name: 'night', ...NIGHT },
      { name: 'always', timeZone: 'UTC' },
      { name: 'day', ...ALL_DAY },
    ];
    expect(closedAccounts(accounts, new Date('2026-06-15T12:00:00Z'))).toEqual(['night']);
    expect(closedAccounts(accounts, new Date('2026-06-21T12:00:00Z'))).toEqual(['night', 'day']);
  });
});
