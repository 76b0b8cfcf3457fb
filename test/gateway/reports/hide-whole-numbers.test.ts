import { describe, expect, it } from 'vitest';
import { hideWholeNumbers } from '../../../src/gateway/reports/hide-whole-numbers.ts';

describe('hideWholeNumbers', () => {
  it.each([
    ['card 4222222222222220.', 'card ************2220.'],
    ['4222 2222 2222 2220', '**** **** **** 2220'],
    ['4222-2222-2222-2220', '****-****-****-2220'],
    ['02100002100000000000000001', '**********************0001'],
    ['9'.repeat(200), '[removed]'],
  ])('masks %j', (text, shown) => {
    expect(hideWholeNumbers(text)).toBe(shown);
  });

  it.each([
    // Timestamps and sequence numbers that identify payments.
    '1781474400000',
    '20260615101112001',
    'INV-20260615-000123-45678',
    'd41d8cd98f00b204e9800998ecf8427e',
    "'4***********2220",
    '06/15/2017 10:11:12',
    '',
  ])('leaves %j', (text) => {
    expect(hideWholeNumbers(text)).toBe(text);
  });

  it('bears a huge text of digits', () => {
    expect(hideWholeNumbers('1 '.repeat(200_000))).toHaveLength(400_000);
    expect(hideWholeNumbers('1'.repeat(1_000_000))).toBe('[removed]');
  });
});
