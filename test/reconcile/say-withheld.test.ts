import { expect, it } from 'vitest';
import { sayAmount, sayStaysBack, sayWithheld } from '../../src/reconcile/say-withheld.ts';

it.each([
  [{ rows: 0, cents: 0, unreadable: 0 }, ''],
  [{ rows: 1, cents: 2_500, unreadable: 0 }, '1 row was withheld and not paid: 25.00'],
  [{ rows: 1, cents: 0, unreadable: 1 }, '1 row was withheld and not paid: 1 amount unreadable'],
  [{ rows: 3, cents: -7_500, unreadable: 2 }, '3 rows were withheld and not paid: -75.00, 2 amounts unreadable'],
])('sayWithheld says of %j that %j', (withheld, said) => {
  expect(sayWithheld(withheld)).toBe(said);
});

it('sayAmount says no sum of nothing', () => {
  expect(sayAmount({ rows: 2, cents: 0, unreadable: 2 })).toBe('2 amounts unreadable');
  expect(sayAmount({ rows: 2, cents: 100, unreadable: 0 })).toBe('1.00');
});

it('sayStaysBack says what an approval leaves out', () => {
  expect(sayStaysBack({ rows: 1, cents: 2_500, unreadable: 0 })).toBe(
    '1 invalid row stays back and is not paid if the file is approved: 25.00',
  );
  expect(sayStaysBack({ rows: 3, cents: 7_500, unreadable: 2 })).toBe(
    '3 invalid rows stay back and are not paid if the file is approved: 75.00, 2 amounts unreadable',
  );
});
