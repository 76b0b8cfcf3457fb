import { describe, expect, it } from 'vitest';
import { bankDates, bankStateOf, DEPARTURE_HOURS, fateOf } from '../../../src/sandbox/time/bank-state.ts';

describe('bankDates', () => {
  // June 15, 2026 is a Monday. The Pacific is 7 hours behind UTC in summer. It was 8 in winter until 2026, when
  // Vancouver kept summer time; for later winters Node's answer depends on its time zone data.
  it.each([
    ['just before the first file of Monday', '2026-06-15T09:59:59.999Z', '06-15T10', '06-17T10', '06-22T10'],
    ['with the first file of Monday, too late for it', '2026-06-15T10:00:00Z', '06-15T22', '06-17T22', '06-22T22'],
    ['after the last file of Monday', '2026-06-15T23:00:00Z', '06-16T10', '06-18T10', '06-23T10'],
    ['on Tuesday afternoon', '2026-06-16T21:59:00Z', '06-16T22', '06-18T22', '06-23T22'],
    ['after the last file of Tuesday', '2026-06-16T22:30:00Z', '06-17T22', '06-19T22', '06-24T22'],
    ['on Wednesday night, which has one file only', '2026-06-17T08:00:00Z', '06-17T22', '06-19T22', '06-24T22'],
    ['on Thursday', '2026-06-18T12:00:00Z', '06-18T22', '06-22T22', '06-25T22'],
    ['after the last file of Friday', '2026-06-19T22:00:00Z', '06-22T10', '06-24T10', '06-29T10'],
    ['on Saturday', '2026-06-20T12:00:00Z', '06-22T10', '06-24T10', '06-29T10'],
    ['on Sunday of the Pacific, Monday of UTC', '2026-06-22T05:00:00Z', '06-22T10', '06-24T10', '06-29T10'],
    ['in winter', '2026-01-05T10:59:59Z', '01-05T11', '01-07T11', '01-12T11'],
    ['before the clock of the Pacific goes forward', '2026-03-06T22:00:00Z', '03-06T23', '03-10T22', '03-13T22'],
    ['before the clock of the Pacific goes back', '2025-10-31T21:00:00Z', '10-31T22', '11-04T23', '11-07T23'],
  ])('of a charge taken %s', (_, takenAt, leaves, answered, returned) => {
    const year = takenAt.slice(0, 5);
    expect(bankDates(new Date(takenAt))).toEqual({
      leavesAt: new Date(`${year}${leaves}:00:00Z`),
      answeredAt: new Date(`${year}${answered}:00:00Z`),
      returnedAt: new Date(`${year}${returned}:00:00Z`),
    });
  });

  it('are the same when they are asked for again within the hour, and others after it', () => {
    const first = bankDates(new Date('2026-06-15T09:00:00Z'));
    expect(bankDates(new Date('2026-06-15T09:59:59Z'))).toEqual(first);
    expect(bankDates(new Date('2026-06-15T10:00:01Z'))).not.toEqual(first);
  });
});

const TAKEN_AT = '2026-06-15T09:00:00.000Z';
const LEFT_AT = '2026-06-15T10:00:00.000Z';
const ANSWERED_AT = '2026-06-17T10:00:00.000Z';
const RETURNED_AT = '2026-06-22T10:00:00.000Z';

describe('bankStateOf', () => {
  it.each([
    [100, '2026-06-01T00:00:00.000Z', 'to be sent', TAKEN_AT],
    [100, TAKEN_AT, 'to be sent', TAKEN_AT],
    [100, '2026-06-15T09:59:59.999Z', 'to be sent', TAKEN_AT],
    [100, LEFT_AT, 'pending', LEFT_AT],
    [100, '2026-06-17T09:59:59.999Z', 'pending', LEFT_AT],
    [100, ANSWERED_AT, 'accepted', ANSWERED_AT],
    [100, '2036-06-17T10:00:00.000Z', 'accepted', ANSWERED_AT],
    [300, '2026-06-17T09:59:59.999Z', 'pending', LEFT_AT],
    [300, ANSWERED_AT, 'accepted', ANSWERED_AT],
    [300, '2026-06-22T09:59:59.999Z', 'accepted', ANSWERED_AT],
    [300, RETURNED_AT, 'returned', RETURNED_AT],
    [2500, '2026-06-17T09:59:59.999Z', 'pending', LEFT_AT],
    [2500, ANSWERED_AT, 'rejected', ANSWERED_AT],
    [2500, RETURNED_AT, 'rejected', ANSWERED_AT],
    [-300, RETURNED_AT, 'returned', RETURNED_AT],
  ])('of %d cents at %s is %s', (amountCents, now, stage, since) => {
    expect(bankStateOf(new Date(TAKEN_AT), amountCents, new Date(now))).toEqual({ stage, since: new Date(since) });
  });
});

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
