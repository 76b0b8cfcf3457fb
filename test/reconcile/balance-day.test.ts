import { describe, expect, it } from 'vitest';
import { balanceDay, isBalanced } from '../../src/reconcile/balance-day.ts';

const DAY = {
  broughtForward: { rows: 5, cents: 500 },
  accepted: { rows: 10, cents: 1_000 },
  final: { approved: { rows: 8, cents: 850 }, not_sent: { rows: 3, cents: 150 } },
  open: { rows: 4, cents: 500 },
};

describe('balanceDay', () => {
  it('is nothing when the day is whole', () => {
    expect(balanceDay(DAY)).toEqual({ rows: 0, cents: 0 });
    expect(balanceDay({ ...DAY, final: {}, open: { rows: 15, cents: 1_500 } })).toEqual({ rows: 0, cents: 0 });
  });

  it.each([
    [{ open: { rows: 3, cents: 500 } }, { rows: 1, cents: 0 }],
    [{ open: { rows: 4, cents: 501 } }, { rows: 0, cents: -1 }],
    [{ broughtForward: { rows: 6, cents: 600 } }, { rows: 1, cents: 100 }],
    [{ accepted: { rows: 9, cents: 1_000 } }, { rows: -1, cents: 0 }],
    [{ final: { approved: { rows: 11, cents: 999 } } }, { rows: 0, cents: 1 }],
  ])('says what is missing or too much: %j', (change, difference) => {
    expect(balanceDay({ ...DAY, ...change })).toEqual(difference);
  });
});

describe('isBalanced', () => {
  it('is so without any difference, in rows or in cents', () => {
    expect(isBalanced(DAY)).toBe(true);
    expect(isBalanced({ ...DAY, open: { rows: 4, cents: 501 } })).toBe(false);
    expect(isBalanced({ ...DAY, open: { rows: 3, cents: 500 } })).toBe(false);
  });
});
