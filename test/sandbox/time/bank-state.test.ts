import { describe, expect, it } from 'vitest';
import { bankStateOf } from '../../../src/sandbox/time/bank-state.ts';

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
