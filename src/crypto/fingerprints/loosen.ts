import { isUtf8 } from 'node:buffer';
import { NINE, ZERO } from '../../kernel/byte-names.ts';
import { plainDigits } from '../../kernel/plain-digits.ts';
import { toWindows1252 } from '../../rows/windows-1252.ts';

/**
 * Writes the normal form of an invoice or customer code. Case, blanks, punctuation and leading zeros do not count, so
 * `INV-0012` and `inv 12` become equal. Zeros lead at the start and before a number inside, so `INV-100` and `A0B` keep
 * theirs.
 * @param bytes UTF-8, read from `from` up to `end`
 * @param to has room for as many bytes from `at`
 * @param isJoined whether digits on both sides of punctuation form one number, so that a zero after it stays; ASCII
 * only
 * @returns where the result ends in `to`; a text of punctuation alone is copied unchanged
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
    // A number of zeros alone keeps one.
    if (previous === ZERO_LEADS) next -= isDigit(kept) ? 1 : 0;
    previous = kept === ZERO && previous !== DIGITS ? ZERO_LEADS : isDigit(kept) ? DIGITS : LETTERS;
    to[next] = kept;
    next += 1;
  }
  if (next > at) return next;
  return zeroAt < 0 ? copyBytes(bytes, from, end, to, at) : copyBytes(bytes, zeroAt, zeroAt + 1, to, at);
}

const ZERO_LEADS = 1;
const DIGITS = 2;
const LETTERS = 3;

function isDigit(byte: number): boolean {
  return byte >= ZERO && byte <= NINE;
}

const KEPT = Uint8Array.from({ length: 128 }, (_, byte) => {
  const character = String.fromCharCode(byte).toLowerCase();
  return /[a-z0-9]/.test(character) ? character.charCodeAt(0) : 0;
});

/**
 * Normalizes text beyond ASCII. Letters get their compatible form without accents, and Cyrillic and Greek letters
 * become their Latin look-alikes. Digits become ASCII, and invisible characters go. UTF-8 that was misread as
 * windows-1252 is decoded first.
 */
function loosenWideText(bytes: Uint8Array, from: number, end: number, to: Uint8Array, at: number): number {
  const text = readTwice(Buffer.from(bytes.buffer, bytes.byteOffset + from, end - from).toString());
  const kept = text
    .normalize('NFKD')
    .replaceAll(/[\p{Default_Ignorable_Code_Point}\u0300-\u036f]/gu, '')
    // In upper case U+1E9E stays as it is, but its lower-case letter becomes SS.
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
  // Some letters are longer in their compatible form. Text that does not fit is copied unchanged.
  if (written.length === 0 || written.length > end - from) return copyBytes(bytes, from, end, to, at);
  to.set(written, at);
  return at + written.length;
}

function asLatin(text: string): string {
  return text.replaceAll(/[\u0370-\u052f]/gu, (letter) => LATIN[ALIKE.indexOf(letter)] ?? letter);
}

/**
 * Lower-case Cyrillic and Greek letters that look like Latin ones, or whose capitals do. `LATIN` has the same order.
 */
const ALIKE = [
  ...'\u0430\u0432\u0435\u043a\u043c\u043d\u043e\u0440\u0441\u0442\u0443\u0445\u0455\u0456\u0458\u04bb\u0501\u051b\u051d',
  ...'\u03b1\u03b2\u03b5\u03b6\u03b7\u03b9\u03ba\u03bc\u03bd\u03bf\u03c1\u03c4\u03c5\u03c7',
];
const LATIN = [...'abekmhopctyxsijhdqw', ...'abezhikmnoptyx'];

/** Returns the intended text if its UTF-8 bytes were read one by one, as spreadsheets do without a byte order mark. */
function readTwice(text: string): string {
  const bytes = toWindows1252(text);
  return bytes && isUtf8(bytes) ? bytes.toString() : text;
}

/**
 * Writes an account number without zeros. Zeros pad it, at its start or after the nine digits of the bank, and
 * spreadsheets strip leading ones. The last two digits stay, because they are compared.
 * @param digits digits alone, read from `from` up to `end`
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

/** Copies the bytes from `from` up to `end`. */
export function copyBytes(bytes: Uint8Array, from: number, end: number, to: Uint8Array, at: number): number {
  for (let index = from; index < end; index += 1) to[at + index - from] = bytes[index]!;
  return at + end - from;
}
