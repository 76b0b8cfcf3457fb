import { NINE, ZERO } from '../kernel/byte-names.ts';

/**
 * What is left of an invoice or a customer code when case, blanks, punctuation and leading zeros do not count: of `INV-0012`
 * and `inv 12` it is the same. Zeros lead in front of everything and
 * before a number within it, so `INV-100` and `A0B` keep their own.
 * @param bytes UTF-8, read from one place up to another
 * @param to has room for as many bytes, at a place of its own
 * @returns where it ends in `to`; a text of nothing but punctuation stays as it is
 */
export function loosenText(bytes: Uint8Array, from: number, end: number, to: Uint8Array, at: number): number {
  let next = at;
  let previous = 0;
  let zeroAt = -1;
  for (let index = from; index < end; index += 1) {
    const byte = bytes[index]!;
    if (byte > 0x7f) return loosenWideText(bytes, from, end, to, at);
    const kept = KEPT[byte]!;
    if (kept === 0) {
      previous = 0;
      continue;
    }
    if (kept === ZERO && next === at) {
      zeroAt = index;
      continue;
    }
    // Of a number that is nothing but zeros one stays.
    if (previous === ZERO_LEADS) next -= isDigit(kept) ? 1 : 0;
    previous = kept === ZERO && previous !== DIGITS ? ZERO_LEADS : isDigit(kept) ? DIGITS : LETTERS;
    to[next] = kept;
    next += 1;
  }
  if (next > at) return next;
  return zeroAt < 0 ? copyBytes(bytes, from, end, to, at) : copyBytes(bytes, zeroAt, zeroAt + 1, to, at);
}

/** What the byte before was, as far as it matters; 0 for nothing. */
const ZERO_LEADS = 1;
const DIGITS = 2;
const LETTERS = 3;

function isDigit(byte: number): boolean {
  return byte >= ZERO && byte <= NINE;
}

/** Of each byte of ASCII the letter in lower case, or the digit; 0 for all others. */
const KEPT = Uint8Array.from({ length: 128 }, (_, byte) => {
  const character = String.fromCharCode(byte).toLowerCase();
  return /[a-z0-9]/.test(character) ? character.charCodeAt(0) : 0;
});

/** Letters of other alphabets in their compatible form, so that wide letters are like narrow ones. */
function loosenWideText(bytes: Uint8Array, from: number, end: number, to: Uint8Array, at: number): number {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset + from, end - from).toString();
  const kept = text
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{M}\p{N}]/gu, ' ');
  const loose = kept
    .replaceAll(/(?<!\p{Nd})0+(?=\p{Nd})/gu, '')
    .replaceAll(' ', '')
    .replace(/^0+(?=.)/, '');
  const written = Buffer.from(loose);
  // Some letters are longer in their compatible form. What does not fit is told apart as it stands.
  if (written.length === 0 || written.length > end - from) return copyBytes(bytes, from, end, to, at);
  to.set(written, at);
  return at + written.length;
}

/**
 * What is left of an account number when zeros that pad it do not count: those before it, and those between the nine digits
 * of the bank and the account's own.
 * @param digits digits alone, read from one place up to another
 */
export function loosenAccount(digits: Uint8Array, from: number, end: number, to: Uint8Array, at: number): number {
  const bankEnd = end - from > BANK_DIGITS ? from + BANK_DIGITS : from;
  const next = copyBytes(digits, from, bankEnd, to, at);
  let own = bankEnd;
  while (own < end - 1 && digits[own] === ZERO) own += 1;
  return copyBytes(digits, own, end, to, next);
}

const BANK_DIGITS = 9;

/** The bytes from one place up to another, as they are. */
export function copyBytes(bytes: Uint8Array, from: number, end: number, to: Uint8Array, at: number): number {
  for (let index = from; index < end; index += 1) to[at + index - from] = bytes[index]!;
  return at + end - from;
}
