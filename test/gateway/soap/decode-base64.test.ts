import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeBase64 } from '../../../src/gateway/soap/decode-base64.ts';

const PIECE_LETTERS = 64 * 1024;

/** Reference: decodes the whole text at once. */
function decodeWhole(text: string): Buffer | undefined {
  const bytes = Buffer.from(text, 'base64');
  return bytes.toString('base64') === text ? bytes : undefined;
}

function decode(text: string): Buffer | undefined {
  return decodeBase64(Buffer.from(text, 'latin1'));
}

describe('decodeBase64', () => {
  it.each([0, 1, 2, 3, 49_151, 49_152, 49_153, 98_304, 200_000])('gives back %i bytes', (size) => {
    const bytes = Buffer.from(Array.from({ length: size }, (_, index) => index % 251));
    expect(decode(bytes.toString('base64'))?.equals(bytes)).toBe(true);
  });

  it('says of any short text what is said of it as a whole', () => {
    const letter = fc.constantFrom(...'AZaz09+/=-_ \n\xff');
    fc.assert(
      fc.property(fc.array(letter, { maxLength: 12 }), (letters) => {
        expect(decode(letters.join(''))).toEqual(decodeWhole(letters.join('')));
      }),
    );
  });

  it.each([
    ['padding at the end of a piece', PIECE_LETTERS - 1, '='],
    ['two letters of padding there', PIECE_LETTERS - 2, '=='],
    ['a piece of padding alone', PIECE_LETTERS, '='.repeat(PIECE_LETTERS)],
    ['a stray letter around the end of a piece', PIECE_LETTERS, '*'],
    ['a line end in the second piece', PIECE_LETTERS + 7, '\n'],
    ['a missing letter', 100, ''],
  ])('does not take %s', (_what, place, instead) => {
    const right = 'QUJD'.repeat(PIECE_LETTERS);
    const wrong = right.slice(0, place) + instead + right.slice(place + Math.max(1, instead.length));
    expect(decode(right)).toBeDefined();
    expect(decode(wrong)).toBeUndefined();
  });
});
