import { describe, expect, it } from 'vitest';
import { WEEKDAYS } from '../../schemas/config.ts';
import { addDays, isBusinessDay } from '../../src/calendar/calendar.ts';

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
