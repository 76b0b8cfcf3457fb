import { describe, expect, it } from 'vitest';
import { readTotal } from '../../../src/sandbox/handlers/read-total.ts';

describe('readTotal', () => {
  it.each([
    ['5', 500],
    ['5.00', 500],
    ['5,00', 500],
    [' 5.1\n', 510],
    ['-5', -500],
    ['0', 0],
  ])('reads %j', (text, cents) => {
    expect(readTotal(text)).toBe(cents);
  });

  it.each([undefined, '', 'five', '1,000.00', '1.000', '$5', '99999999999'])('refuses %j', (text) => {
    expect(readTotal(text)).toBeUndefined();
  });
});
