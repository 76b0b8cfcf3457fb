import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { passesLuhn } from '../../src/kernel/luhn.ts';

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
