import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { passesLuhn, passesLuhnIn } from '../../src/kernel/luhn.ts';

describe('passesLuhn', () => {
  it.each([
    ['4222222222222220', true],
    ['4111111111111111', true],
    ['4222222222222', true],
    ['378282246310005', true],
    ['0', true],
    ['18', true],
    ['4222222222222221', false],
    ['4222222222222202', false],
    ['1', false],
    ['', false],
    ['4222 2222 2222 2220', false],
    ['4222-2222', false],
    ['４２２２２２２２２２２２２２２０', false],
  ])('says of %j: %s', (digits, expected) => {
    expect(passesLuhn(digits)).toBe(expected);
  });

  it('lets exactly one check digit of ten pass', () => {
    const someDigits = fc.array(fc.integer({ min: 0, max: 9 }), { minLength: 0, maxLength: 30 });
    fc.assert(
      fc.property(someDigits, (digits) => {
        const passing = Array.from({ length: 10 }, (_, check) => `${digits.join('')}${check}`).filter(passesLuhn);
        expect(passing).toHaveLength(1);
      }),
    );
  });
});

describe('passesLuhnIn', () => {
  it('says of a stretch of digits what passesLuhn says of their text', () => {
    const someDigits = fc.string({ unit: fc.constantFrom(...'0123456789'), maxLength: 30 });
    fc.assert(
      fc.property(someDigits, someDigits, (before, digits) => {
        const bytes = Buffer.from(`${before}${digits},9`);
        expect(passesLuhnIn(bytes, before.length, before.length + digits.length)).toBe(passesLuhn(digits));
      }),
      { numRuns: 2_000 },
    );
  });
});
