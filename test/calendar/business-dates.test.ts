import { describe, expect, it } from 'vitest';
import fc from 'fast-check';
import { dateBefore, dueAt, dueDates, nextDate, type Timetable } from '../../src/calendar/business-dates.ts';
import { expectWholeFromLooks } from '../kernel/support/whole-from-looks.ts';
import { WEEKDAYS } from '../../schemas/config-parts.ts';
import { addDays, isBusinessDay } from '../../src/calendar/calendar.ts';
import { closedAccounts, isWindowOpen, nextSendAt, type SendTimes } from '../../src/calendar/send-window.ts';
import { waitLeftMs } from '../../src/kernel/clock.ts';

/** A Friday at 22:00 in Toronto. */
const FRIDAY = '2026-06-20T02:00:00.000Z';

/** Returns every Monday for longer than a search lasts. */
function mondays(): string[] {
  return Array.from({ length: 600 }, (_, weeks) =>
    new Date(Date.UTC(2025, 11, 29) + weeks * 7 * 86_400_000).toISOString().slice(0, 10),
  );
}

const WORKDAYS: Timetable['days'] = ['mon', 'tue', 'wed', 'thu', 'fri'];
const NIGHTLY: Timetable = { at: '22:00', timeZone: 'America/Toronto', days: WORKDAYS, holidays: ['2026-06-17'] };

it('dueAt is the moment on a business date, and none on another day', () => {
  expect(dueAt(NIGHTLY, '2026-06-19')?.toISOString()).toBe(FRIDAY);
  for (const day of ['2026-06-17', '2026-06-20', '2026-06-21']) expect(dueAt(NIGHTLY, day)).toBeUndefined();
});

describe('dueDates', () => {
  it.each([
    ['nothing before its time', '2026-06-19T01:59:59Z', '2026-06-20T01:59:59.999Z', undefined, ['2026-06-18']],
    ['the date when its moment has come', '2026-06-20T01:59:59Z', FRIDAY, undefined, ['2026-06-19']],
    ['nothing that was due before it was asked for', FRIDAY, '2026-06-22T00:00:00Z', undefined, []],
    [
      'every date in between but weekends and holidays',
      '2026-06-15T12:00:00Z',
      '2026-06-23T12:00:00Z',
      undefined,
      ['2026-06-15', '2026-06-16', '2026-06-18', '2026-06-19', '2026-06-22'],
    ],
    [
      'only those behind the last',
      '2026-06-15T12:00:00Z',
      '2026-06-23T12:00:00Z',
      '2026-06-18',
      ['2026-06-19', '2026-06-22'],
    ],
    [
      'all of them when the last lies before',
      '2026-06-15T12:00:00Z',
      '2026-06-16T12:00:00Z',
      '2026-01-01',
      ['2026-06-15'],
    ],
    [
      'nothing when a clock was set back behind the last',
      '2026-06-15T12:00:00Z',
      '2026-06-17T12:00:00Z',
      '2026-06-19',
      [],
    ],
  ])('gives %s', (_what, since, now, after, days) => {
    const due = dueDates(NIGHTLY, new Date(since), new Date(now), after);
    expect(due.map(({ day }) => day)).toEqual(days);
    for (const { day, at } of due) expect(at).toEqual(dueAt(NIGHTLY, day));
  });

  // schedule-stage.soak.test.ts tries many more.
  it.each([{ which: 'the same timetables each time', seed: 1 }, { which: 'others each time' }])(
    'cut anywhere into looks, gives each date once and leaves none out: $which',
    ({ seed }) => expectWholeFromLooks({ numRuns: 8, ...(seed === undefined ? {} : { seed }) }),
  );
});

describe('nextDate and dateBefore', () => {
  it.each([
    ['2026-06-20T01:59:59Z', '2026-06-19'],
    [FRIDAY, '2026-06-22'],
    ['2026-06-16T12:00:00Z', '2026-06-16'],
    ['2026-06-17T12:00:00Z', '2026-06-18'],
  ])('after %s comes %s', (now, day) => {
    expect(nextDate(NIGHTLY, new Date(now))?.day).toBe(day);
  });

  it.each([
    ['2026-06-22', '2026-06-19'],
    ['2026-06-18', '2026-06-16'],
    ['2026-06-21', '2026-06-19'],
  ])('before %s lies %s', (day, before) => {
    expect(dateBefore(NIGHTLY, day)?.day).toBe(before);
  });

  it('give up when there is none', () => {
    const never = { ...NIGHTLY, days: ['mon'] satisfies Timetable['days'], holidays: mondays() };
    expect(nextDate(never, new Date('2026-01-01T00:00:00Z'))).toBeUndefined();
  });
});

const EVERY_DAY = { days: [...WEEKDAYS], holidays: [] };
/** A Monday and the six days after it. */
const WEEK = ['2026-06-15', '2026-06-16', '2026-06-17', '2026-06-18', '2026-06-19', '2026-06-20', '2026-06-21'];

describe('isBusinessDay', () => {
  it.each(WEEKDAYS.map((day, index) => [day, WEEK[index]!] as const))(
    '%s is %s and no other day of its week',
    (day, date) => {
      expect(WEEK.filter((other) => isBusinessDay(other, { days: [day], holidays: [] }))).toEqual([date]);
    },
  );

  it('is no holiday, whatever the day of the week', () => {
    const calendar = { ...EVERY_DAY, holidays: ['2026-06-17'] };
    expect(WEEK.filter((day) => isBusinessDay(day, calendar))).toEqual(WEEK.filter((day) => day !== '2026-06-17'));
    expect(isBusinessDay('2027-06-17', calendar)).toBe(true);
  });
});

describe('addDays', () => {
  it.each([
    ['2026-06-15', 1, '2026-06-16'],
    ['2026-06-15', 0, '2026-06-15'],
    ['2026-12-31', 1, '2027-01-01'],
    ['2026-03-01', -1, '2026-02-28'],
    ['2028-03-01', -1, '2028-02-29'],
    ['2026-01-01', 365, '2027-01-01'],
  ])('%s and %i days are %s', (day, days, later) => {
    expect(addDays(day, days)).toBe(later);
  });
});

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
    const window = { from: '02:10', to: '02:50', days: ['mon' as const], holidays: mondays() };
    const never = { timeZone: 'UTC', window };
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

it('closedAccounts names those whose window is closed', () => {
  const accounts = [
    { name: 'night', ...NIGHT },
    { name: 'always', timeZone: 'UTC' },
    { name: 'day', ...ALL_DAY },
  ];
  expect(closedAccounts(accounts, new Date('2026-06-15T12:00:00Z'))).toEqual(['night']);
  expect(closedAccounts(accounts, new Date('2026-06-21T12:00:00Z'))).toEqual(['night', 'day']);
});

const NOW = new Date('2026-06-15T10:00:00.000Z');
const LONGEST_MS = 300_000;

describe('waitLeftMs', () => {
  it.each<[string, string | null, number]>([
    ['what waits for nothing', null, 0],
    ['a moment that has passed', '2026-06-15T09:59:59.999Z', 0],
    ['this moment', '2026-06-15T10:00:00.000Z', 0],
    ['the next millisecond', '2026-06-15T10:00:00.001Z', 1],
    ['the longest wait', '2026-06-15T10:05:00.000Z', 300_000],
    ['more than the longest wait: the clock was set back', '2026-06-15T10:05:00.001Z', 0],
    ['a day later: the clock was set back by a day', '2026-06-16T10:00:00.000Z', 0],
  ])('%s', (_case, until, leftMs) => {
    expect(waitLeftMs(until === null ? null : new Date(until), NOW, LONGEST_MS)).toBe(leftMs);
  });
});
