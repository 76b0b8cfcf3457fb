import { ZERO } from './byte-names.ts';

/**
 * Whether a number carries a right check digit, as every card number does. Cards are checked with it when a file is
 * read, and free text is searched with it for numbers that should not be there.
 *
 * It is no proof: one in ten numbers made up at random passes, and so does a row of zeros.
 * @param digits digits only; anything else, also the empty text, does not pass
 */
export function passesLuhn(digits: string): boolean {
  if (!/^\d+$/.test(digits)) return false;
  let sum = 0;
  for (let place = 0; place < digits.length; place += 1) {
    const digit = Number(digits[digits.length - 1 - place]);
    sum += place % 2 === 0 ? digit : sumOfDigits(digit * 2);
  }
  return sum % 10 === 0;
}

/** The same of a stretch of bytes that are digits all, without a text for it. */
export function passesLuhnIn(bytes: Uint8Array, from: number, to: number): boolean {
  let sum = 0;
  for (let place = to - 1; place >= from; place -= 2) {
    sum += bytes[place]! - ZERO;
    if (place > from) sum += sumOfDigits(2 * (bytes[place - 1]! - ZERO));
  }
  return to > from && sum % 10 === 0;
}

function sumOfDigits(doubled: number): number {
  return doubled > 9 ? doubled - 9 : doubled;
}
