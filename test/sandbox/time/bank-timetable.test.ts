import { describe, expect, it } from 'vitest';
import { DEPARTURE_HOURS, fateOf } from '../../../src/sandbox/time/bank-timetable.ts';

describe('fateOf', () => {
  it.each([
    [100, 'accepted'],
    [-100, 'accepted'],
    [300, 'returned'],
    [-300, 'returned'],
    [200, 'rejected'],
    [101, 'rejected'],
    [2500, 'rejected'],
    [0, 'rejected'],
  ])('%d cents are %s', (amountCents, fate) => {
    expect(fateOf(amountCents)).toBe(fate);
  });
});

describe('DEPARTURE_HOURS', () => {
  it('has a row for each day of the week and nothing on Saturdays and Sundays', () => {
    expect(DEPARTURE_HOURS.map((hours) => hours.length)).toEqual([0, 2, 2, 1, 1, 1, 0]);
  });
});
