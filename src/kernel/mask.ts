import { passesLuhn } from './luhn.ts';
import { plainDigits } from './plain-digits.ts';

/**
 * A card or account number, or whatever stands in its place, with every character starred but its last digits; as long
 * as before. How many digits stay: the last four of 8 or more digits, the last two of 5 to 7, none of fewer.
 *
 * Takes anything, so a value that is no proper number (`4.11E+15`, spaces, dashes) is safe to show as well.
 */
export function maskNumber(text: string): string {
  const digits = countDigits(text);
  return starDigits(text, digits < 5 ? 0 : shownDigits(digits), /[^]/g);
}

/**
 * The end of a number that the ledger keeps in clear, to match a result row with the row that was sent: the last four
 * of 8 or more digits, the last two of 4 to 7, nothing of fewer.
 *
 * Short account numbers exist (4 digits are allowed), and four digits of them would be all or most of the number. To
 * keep two is enough for matching, because `endsAlike` cuts what the service shows in the same way.
 */
export function lastFour(digits: string): string {
  const plain = digits.replace(/\D/g, '');
  return plain.length < 4 ? '' : plain.slice(-shownDigits(plain.length));
}

/**
 * Whether a masked number of the service, such as `4***********2220`, can be of the number that `digits` was cut from.
 * Only the end is compared, because nothing but the last four is certain about the service's mask.
 *
 * A mask that hides everything fits a number of 4 to 7 digits only, which a careful service may well hide whole. For a
 * longer one the last four must be there: a row that cannot be compared must not pass as compared.
 * @param digits what `lastFour` gave; an empty text fits nothing
 */
export function endsAlike(masked: string, digits: string): boolean {
  if (digits === '') return false;
  const shown = masked.replace(/['"\s]+$/, '');
  const isHiddenWhole = shown.endsWith('*') && !/\d/.test(shown);
  return isHiddenWhole ? digits.length < 4 : shown.endsWith(digits);
}

/**
 * Free text with the digits of every long number in it starred but the last ones, as in `maskNumber`; for faulty values
 * and texts of the sender in outputs. A long number is 7 or more digits, which may have single
 * spaces, dots or dashes between them; those stay. So days such as 2026-06-15 are starred in part as well. A card number is
 * found with any signs between its groups. Digits of all scripts count.
 */
export function maskText(text: string): string {
  return starNumbers(text, starRun);
}

function starNumbers(text: string, starLong: (run: string) => string): string {
  return text
    .replace(CARD_GROUPS, (run) => (isCardRun(run) || CARD_SHAPE.test(run) ? starRun(run) : run))
    .replace(LONG_NUMBER, starLong);
}

const LONG_NUMBER = /\p{Nd}(?:[ .-]?\p{Nd}){6,}/gu;

/** Signs that may stand between the groups of a card number. More of them part two numbers. */
const GAP = '[^\\p{L}\\p{N}*]{1,3}';

/** Groups that a card number may be cut into, such as `4222/2222/2222/2220` or `42222222 - 22222220`; or each digit by itself. */
const CARD_GROUPS = new RegExp(
  `(?<!\\p{N})(?:\\p{Nd}{4,12}(?:${GAP}\\p{Nd}{3,12})*${GAP}\\p{Nd}{1,12}|\\p{Nd}(?:${GAP}\\p{Nd})+)(?!\\p{N})`,
  'gu',
);

/** The groups that stand on cards. They are hidden as well when the number has a slip in it. */
const CARD_SHAPE = new RegExp(
  `^\\p{Nd}{4}${GAP}(?:\\p{Nd}{4}${GAP}\\p{Nd}{4}${GAP}\\p{Nd}{1,4}(?:${GAP}\\p{Nd}{1,3})?|\\p{Nd}{6}${GAP}\\p{Nd}{4,5})$`,
  'u',
);

function isCardRun(run: string): boolean {
  const groups = plainDigits(run).match(/\d+/g) ?? [];
  return groups.some((_, start) => startsCardNumber(groups.slice(start, start + LONGEST_CARD)));
}

function starRun(run: string): string {
  const digits = plainDigits(run);
  return starDigits(digits, shownDigits(countDigits(digits)), /\d/g);
}

/**
 * The name of a file, for people and for the ledger: as `maskText` makes it, but days in it stay readable, such as in
 * `payments_20261124.csv`, with a time or a short number that follows. An account number that reads as a day stays, too.
 */
export function maskName(name: string): string {
  return starNumbers(name, (run) => (isDated(run) ? run : starRun(run)));
}

function isDated(run: string): boolean {
  return DATED.test(run) && !holdsCardNumber(run.replaceAll('.', ' '));
}

const [YEAR, MONTH, DAY] = ['20\\d\\d', '(?:0[1-9]|1[0-2])', '(?:0[1-9]|[12]\\d|3[01])'];
const DAYS = [
  [YEAR, MONTH, DAY],
  [DAY, MONTH, YEAR],
  [MONTH, DAY, YEAR],
].flatMap((parts) => ['', '-', '\\.', ' '].map((gap) => parts.join(gap)));
const TIME = '(?:[01]\\d|2[0-3])[.-]?[0-5]\\d(?:[.-]?[0-5]\\d)?';
/** A whole run of digits; in a longer one a day may be the beginning of any number. */
const DATED = new RegExp(`^(?:${DAYS.join('|')})(?:[ .-](?:${TIME}|\\d{1,4}))?$`);

/**
 * Whether a text holds what looks like a card number: 13 to 19 digits, maybe with single spaces or dashes between them, or
 * in groups with up to three signs of any kind between those, that begin as those of a known brand and pass the check digit.
 *
 * Groups of digits before and after it do not hide it, as in `2026 4222 2222 2222 2220`; digits that stand right
 * beside it without a gap do, because a longer number would otherwise hold a card number by chance too often.
 */
export function holdsCardNumber(text: string): boolean {
  const runs = [...(plainDigits(text).match(SPACED_DIGITS) ?? []), ...(text.match(CARD_GROUPS) ?? [])];
  return runs.some(isCardRun);
}

const SPACED_DIGITS = /\d+(?:[ -]\d+)*/g;

const SHORTEST_CARD = 13;
const LONGEST_CARD = 19;
/** American Express 34 and 37; Visa 4; Mastercard 51 to 55 and 22 to 27; Maestro the rest of 5, and 6; Discover 6. */
const BRAND = /^(?:3[47]|4|5|2[2-7]|6)/;

function startsCardNumber(groups: readonly string[]): boolean {
  let digits = '';
  for (const group of groups) {
    digits += group;
    if (digits.length > LONGEST_CARD) return false;
    if (digits.length >= SHORTEST_CARD && BRAND.test(digits) && passesLuhn(digits)) return true;
  }
  return false;
}

/** Whether a text is written as a day, which no number of eight digits or more is. */
export function isDay(text: string): boolean {
  return /^\d{1,4}([/.-])\d{1,2}\1\d{1,4}$/.test(text);
}

/** Four digits of a number are half of it at most; of a shorter one, two. */
function shownDigits(count: number): number {
  return count >= 8 ? 4 : 2;
}

function countDigits(text: string): number {
  return text.replace(/\D/g, '').length;
}

/** Stars each character that `starred` finds, but for the last `shown` digits. */
function starDigits(text: string, shown: number, starred: RegExp): string {
  let left = countDigits(text);
  return text.replace(starred, (character) => {
    if (!/\d/.test(character)) return '*';
    left -= 1;
    return left < shown ? character : '*';
  });
}
