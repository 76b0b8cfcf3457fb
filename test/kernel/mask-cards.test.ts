import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { holdsCardNumber, maskText } from '../../src/kernel/mask.ts';

describe('a card number in a text', () => {
  /** A card number cut into groups, with text between them, in the digits of several scripts. */
  const written = fc
    .tuple(
      fc.constantFrom('4222222222222220', '4111111111111111', '378282246310005', '4012888888881881'),
      fc.constantFrom<number[]>([4, 8, 12], [4, 10], [8], [12], [6], [5, 9]),
      fc.array(fc.string({ unit: fc.constantFrom(...' -./_,:;()#+\u00a0\u2011\u200c|'), minLength: 1, maxLength: 3 }), {
        minLength: 3,
        maxLength: 3,
      }),
      fc.constantFrom(0x30, 0xff10, 0x660, 0x966),
      fc.constantFrom('', 'x ', 'card: ', '(', 'in June, '),
    )
    .map(([number, cuts, gaps, zero, before]) => {
      const digits = [...number].map((digit) => String.fromCodePoint(zero + Number(digit)));
      return (
        before +
        digits.map((digit, place) => (cuts.includes(place) ? gaps[cuts.indexOf(place)]! + digit : digit)).join('')
      );
    });

  it('is found and hidden, whatever stands between its groups and in whatever digits it is written', () => {
    fc.assert(
      fc.property(written, (text) => {
        expect(holdsCardNumber(text)).toBe(true);
        const shown =
          maskText(text)
            .replace('06/15/2026', '')
            .match(/\p{Nd}/gu) ?? [];
        expect(shown.length).toBeLessThanOrEqual(4);
        expect(holdsCardNumber(maskText(text))).toBe(false);
      }),
      { numRuns: 2_000 },
    );
  });
});
