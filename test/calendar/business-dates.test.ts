import { describe, expect, it } from 'vitest';
import { dateBefore, dueAt, dueDates, nextDate, type Timetable } from '../../src/calendar/business-dates.ts';
import { expectWholeFromLooks } from '../kernel/support/whole-from-looks.ts';

const WORKDAYS: Timetable['days'] = ['mon', 'tue', 'wed', 'thu', 'fri'];
const NIGHTLY: Timetable = { at: '22:00', timeZone: 'America/Toronto', days: WORKDAYS, holidays: ['2026-06-17'] };
/** A Friday at 22:00 in Toronto. */
const FRIDAY = '2026-06-20T02:00:00.000Z';

describe('dueAt', () => {
  it('is the moment on a business date, and none on another day', () => {
    expect(dueAt(NIGHTLY, '2026-06-19')?.toISOString()).toBe(FRIDAY);
    for (const day of ['2026-06-17', '2026-06-20', '2026-06-21']) expect(dueAt(NIGHTLY, day)).toBeUndefined();
  });
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

  // business-dates.soak.test.ts tries many more.
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

/** Returns every Monday for longer than a search lasts. */
function mondays(): string[] {
  return Array.from({ length: 600 }, (_, weeks) =>
    new Date(Date.UTC(2025, 11, 29) + weeks * 7 * 86_400_000).toISOString().slice(0, 10),
  );
}
