import { describe, expect, it } from 'vitest';
import { REJECTIONS, saidRejection } from '../../schemas/rejections.ts';
import { findRejection, numberOf } from '../../src/sandbox/batch/code-cards.ts';
import { ALL_CODES, testCodes } from './support/test-codes.ts';

/** One of eight; sandbox.soak.test.ts tries them all. */
testCodes(ALL_CODES.filter((_code, index) => index % 8 === 5));

describe('numberOf', () => {
  it('is one of 57, and each has numbers of its own', () => {
    expect(ALL_CODES).toHaveLength(57);
    const numbers = ALL_CODES.flatMap((code) => [numberOf('card', code), numberOf('bank', code)]);
    expect(new Set(numbers).size).toBe(114);
    expect(numberOf('card', 14)).toBe('4000000000000143');
    expect(numberOf('card', 0)).toBe('4000000000000002');
    expect(numberOf('bank', 14)).toBe('88888888400000014');
  });
});

describe('findRejection', () => {
  it.each([
    ['card', '4000000000000135', 500, 'a code that is not listed'],
    ['card', '4000000000000144', 500, 'another check digit'],
    ['card', '4000000000000002', 101_300, 'an amount of no listed code'],
    ['card', '4000000000000002', 101_450, 'an amount with cents'],
    ['card', '4222222222222220', 101_400, 'another card'],
    ['card', '88888888400000014', 500, 'an account instead of a card'],
    ['bank', '4000000000000143', 500, 'a card instead of an account'],
    ['bank', '888888884000000140', 500, 'a longer account'],
    ['card', '', 500, 'no number'],
  ] as const)('leaves %s %s of %s cents alone: %s', (kind, number, cents, _why) => {
    expect(findRejection(kind, number, cents)).toBeUndefined();
  });
});

describe('saidRejection', () => {
  it.each(ALL_CODES)('says what %s means and what to do', (code) => {
    expect(saidRejection(code)).toMatch(/^[A-Z].*; [a-z].*[a-z]$/);
    expect(saidRejection(code)).toContain(REJECTIONS[code]!.message);
  });
});
