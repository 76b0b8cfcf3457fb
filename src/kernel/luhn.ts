import { ZERO } from './byte-names.ts';

/**
 * Returns whether a number has a valid check digit, as every card number does. It checks cards when a file is read, and
 * finds numbers in free text.
 *
 * This is no proof: one in ten random numbers passes, and so does a row of zeros.
 * @param digits digits only; anything else, including an empty text, fails
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

/** Does the same for a range of bytes, all digits, without creating a string. */
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
