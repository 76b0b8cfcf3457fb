import { describe, expect, it } from 'vitest';
import { maskNumber, shownEnd } from '../../../src/sandbox/batch/mask-number.ts';

const CASES = [
  ['4222222222222220', '4***********2220', '2220'],
  ['02100002100000000000000001', '0*********************0001', '0001'],
  ['12345678', '1***5678', '5678'],
  ['1234567', '*****67', '67'],
  ['1234', '**34', '34'],
  ['123', '***', ''],
  ['', '', ''],
  ['4111-1111-1111-1111', '4**************1111', '1111'],
  ['4.11E+15', '4***E+15', '15'],
  ['no number at all', 'n*********** all', ''],
] as const;

describe('maskNumber', () => {
  it.each(CASES)('shows %s as %s', (text, mask) => {
    expect(maskNumber(text)).toBe(mask);
    expect(mask).toHaveLength(text.length);
  });
});

describe('shownEnd', () => {
  it.each(CASES)('of %s, masked %s, is %j', (text, _, end) => {
    expect(shownEnd(text)).toBe(end);
  });
});
