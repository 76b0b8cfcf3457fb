import { isUtf8 } from 'node:buffer';
import { NINE, ZERO } from '../../kernel/byte-names.ts';
import { plainDigits } from '../../kernel/plain-digits.ts';
import { toWindows1252 } from '../../rows/windows-1252.ts';

/**
 * What is left of an invoice or a customer code when case, blanks, punctuation and leading zeros do not count: of `INV-0012`
 * and `inv 12` it is the same. Zeros lead in front of everything and
 * before a number within it, so `INV-100` and `A0B` keep their own.
 * @param bytes UTF-8, read from one place up to another
 * @param to has room for as many bytes, at a place of its own
 * @param isJoined whether signs part no numbers, so that a zero behind one stays; for ASCII only
 * @returns where it ends in `to`; a text of nothing but punctuation stays as it is
 */
export function loosenText(
  bytes: Uint8Array,
  from: number,
  end: number,
  to: Uint8Array,
  at: number,
  isJoined = false,
): number {
  let next = at;
  let previous = 0;
  let zeroAt = -1;
  for (let index = from; index < end; index += 1) {
    const byte = bytes[index]!;
    if (byte > 0x7f) return loosenWideText(bytes, from, end, to, at);
    const kept = KEPT[byte]!;
    if (kept === 0) {
      if (!isJoined) previous = 0;
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

/**
 * Letters of other alphabets in their compatible form and without their accents, Cyrillic and Greek ones as the Latin ones
 * that they look like, digits of all of them as those of ASCII, and nothing of what cannot be seen. UTF-8 that a program took
 * for windows-1252 is first read as what it was.
 */
function loosenWideText(bytes: Uint8Array, from: number, end: number, to: Uint8Array, at: number): number {
  const text = readTwice(Buffer.from(bytes.buffer, bytes.byteOffset + from, end - from).toString());
  const kept = text
    .normalize('NFKD')
    .replaceAll(/[\p{Default_Ignorable_Code_Point}\u0300-\u036f]/gu, '')
    // U+1E9E stays as it is in capitals; its small letter becomes SS.
    .toLowerCase()
    .toUpperCase()
    .toLowerCase()
    .normalize('NFC')
    .replaceAll(/[^\p{L}\p{M}\p{N}]/gu, ' ');
  const loose = plainDigits(asLatin(kept))
    .replaceAll(/(?<!\p{Nd})0+(?=\p{Nd})/gu, '')
    .replaceAll(' ', '')
    .replace(/^0+(?=.)/, '');
  const written = Buffer.from(loose);
  // Some letters are longer in their compatible form. What does not fit is told apart as it stands.
  if (written.length === 0 || written.length > end - from) return copyBytes(bytes, from, end, to, at);
  to.set(written, at);
  return at + written.length;
}

function asLatin(text: string): string {
  return text.replaceAll(/[\u0370-\u052f]/gu, (letter) => LATIN[ALIKE.indexOf(letter)] ?? letter);
}

/** Small letters of Cyrillic and Greek that look like Latin ones, or whose capitals do; in the same order the Latin ones. */
const ALIKE = [
  ...'\u0430\u0432\u0435\u043a\u043c\u043d\u043e\u0440\u0441\u0442\u0443\u0445\u0455\u0456\u0458\u04bb\u0501\u051b\u051d',
  ...'\u03b1\u03b2\u03b5\u03b6\u03b7\u03b9\u03ba\u03bc\u03bd\u03bf\u03c1\u03c4\u03c5\u03c7',
];
const LATIN = [...'abekmhopctyxsijhdqw', ...'abezhikmnoptyx'];

/** The text that was meant, where the bytes of its letters were read one by one, as spreadsheets read a file without a mark. */
function readTwice(text: string): string {
  const bytes = toWindows1252(text);
  return bytes && isUtf8(bytes) ? bytes.toString() : text;
}

/**
 * What is left of an account number when zeros do not count, which pad it, before it or behind the nine digits of the bank,
 * and which spreadsheets take from its beginning. The last two digits stay, because they are compared.
 * @param digits digits alone, read from one place up to another
 */
export function loosenAccount(digits: Uint8Array, from: number, end: number, to: Uint8Array, at: number): number {
  const compared = Math.max(from, end - COMPARED_DIGITS);
  let next = at;
  for (let index = from; index < compared; index += 1) {
    if (digits[index] === ZERO) continue;
    to[next] = digits[index]!;
    next += 1;
  }
  return copyBytes(digits, compared, end, to, next);
}

const COMPARED_DIGITS = 2;

/** The bytes from one place up to another, as they are. */
export function copyBytes(bytes: Uint8Array, from: number, end: number, to: Uint8Array, at: number): number {
  for (let index = from; index < end; index += 1) to[at + index - from] = bytes[index]!;
  return at + end - from;
}
