import { passesLuhn } from './luhn.ts';
import { joinedDigits, plainDigits } from './plain-digits.ts';

/**
 * Stars every character of a card or account number except its last digits, keeping the length. The last four of 8 or
 * more digits stay, the last two of 5 to 7, none of fewer.
 *
 * It accepts anything, so a malformed value (`4.11E+15`, spaces, dashes) is also safe to show.
 */
export function maskNumber(text: string): string {
  const digits = countDigits(text);
  return starDigits(text, digits < 5 ? 0 : shownDigits(digits), /[^]/g);
}

/**
 * Returns the end of a number, which the ledger keeps in clear to match result rows with sent rows. That is the last
 * four of 8 or more digits, the last two of 4 to 7, nothing of fewer.
 *
 * Short account numbers exist (4 digits are allowed), and four digits would be all or most of the number. Two are
 * enough for matching, because `endsAlike` cuts what the service shows in the same way.
 */
export function lastFour(digits: string): string {
  const plain = digits.replace(/\D/g, '');
  return plain.length < 4 ? '' : plain.slice(-shownDigits(plain.length));
}

/**
 * Returns whether a masked number from the service, such as `4***********2220`, may be the number that `digits` was cut
 * from. It compares only the end, because nothing else about the service's mask is certain.
 *
 * A fully hidden number matches only numbers of 4 to 7 digits, which a careful service may hide completely. Longer ones
 * must show the last four: a row that cannot be compared must not pass as compared.
 * @param digits result of `lastFour`; an empty text matches nothing
 */
export function endsAlike(masked: string, digits: string): boolean {
  if (digits === '') return false;
  const shown = masked.replace(/['"\s]+$/, '');
  const isHiddenWhole = shown.endsWith('*') && !/\d/.test(shown);
  return isHiddenWhole ? digits.length < 4 : shown.endsWith(digits);
}

/**
 * Stars every long number in a free text except its last digits, as in `maskNumber`. It serves faulty values and
 * senders' texts in outputs. A long number has 7 or more digits of any script. Single spaces, dots or dashes between
 * them stay, so dates such as 2026-06-15 are partly starred. Card numbers may have any signs between groups.
 */
export function maskText(text: string): string {
  return starNumbers(text, starRun);
}

/** Masks numbers. If the joined groups of digits still form a long number, the whole text is masked. */
export function hideNumbers(text: string): string {
  const masked = maskText(text);
  const isLeft = /\d{7}/.test(joinGroups(masked)) || /\d{12}/.test(joinedDigits(masked));
  return isLeft ? maskNumber(plainDigits(text)) : masked;
}

/**
 * Masks card numbers and nothing else, at the exits of the program. A message or a page may quote what a person typed.
 * Ids, amounts and columns of figures stay. A card number has 13 to 19 digits, a known brand and a valid check digit. It
 * is written without gaps, or in the groups that are printed on cards, with the same sign between them.
 */
export function hideCards(text: string): string {
  return text
    .replace(CARD_IN_GROUPS, (run) => (holdsCardNumber(run) ? starRun(run) : run))
    .replace(PLAIN_RUN, (token) =>
      // A longer one is a hash, which holds a run of any digits by chance.
      token.length > LONGEST_TOKEN
        ? token
        : token.replace(/\d{13,19}/g, (run) => (isCardRun(run) ? starRun(run) : run)),
    );
}

const PLAIN_RUN = /[A-Za-z\d]*\d{13}[A-Za-z\d]*/g;

const LONGEST_TOKEN = 30;

const SIGN = '[^\\p{L}\\p{N}*\\r\\n]';

/** Four groups of four, of which the last may be shorter or have a tail; or four, six and five, as on American Express. */
const CARD_IN_GROUPS = new RegExp(
  `(?<!\\d)(?:\\d{4}(${SIGN})\\d{4}\\1\\d{4}\\1\\d{1,4}(?:\\1\\d{1,3})?|\\d{4}(${SIGN})\\d{6}\\2\\d{4,5})(?!\\d)`,
  'gu',
);

/** Joins what blanks, points and dashes separate. */
export function joinGroups(text: string): string {
  return text.replace(/[\s.-]/g, '');
}

/**
 * Hides a number wherever it stands in a text. If more than four of its digits in a row are left, in whatever groups,
 * the whole text is masked.
 * @param number digits only
 */
export function hideNumber(text: string, number: string): string {
  const shown = text.replaceAll(number, maskNumber(number));
  return sharesDigits(shown, number) ? maskNumber(plainDigits(text)) : shown;
}

const TELLING_PART = 5;

/** Returns whether a text has five digits of a number in a row. Stars count as letters. */
export function sharesDigits(text: string, number: string): boolean {
  const digits = joinedDigits(text.replaceAll('*', 'x'));
  for (let from = 0; from + TELLING_PART <= number.length; from += 1) {
    if (digits.includes(number.slice(from, from + TELLING_PART))) return true;
  }
  return false;
}

function starNumbers(text: string, starLong: (run: string) => string): string {
  return text
    .replace(CARD_GROUPS, (run) => (isCardRun(run) || CARD_SHAPE.test(run) ? starRun(run) : run))
    .replace(GROUPED_NUMBER, starRun)
    .replace(LONG_NUMBER, starLong);
}

/** A number of 10 digits or more with the marks of thousands, as spreadsheets write it. Amounts are smaller. */
const GROUPED_NUMBER = /(?<!\p{N})\p{Nd}{1,3}(?:[,'\u2019]\p{Nd}{3}){3,}(?!\p{N})/gu;

const LONG_NUMBER = /\p{Nd}(?:[ .-]?\p{Nd}){6,}/gu;

/** Signs that may separate the groups of a card number. More of them separate two numbers. */
const GAP = '[^\\p{L}\\p{N}*]{1,3}';

/** Groups of a card number, such as `4222/2222/2222/2220` or `42222222 - 22222220`, single digits, or thousands. */
const CARD_GROUPS = new RegExp(
  `(?<!\\p{N})(?:\\p{Nd}{4,12}(?:${GAP}\\p{Nd}{3,12})*${GAP}\\p{Nd}{1,12}|\\p{Nd}(?:${GAP}\\p{Nd})+|\\p{Nd}{1,3}(?:${GAP}\\p{Nd}{3}){4,6})(?!\\p{N})`,
  'gu',
);

/** The groups printed on cards. They are hidden even when the number has a typing error. */
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
 * Masks a file name for users and the ledger, like `maskText`. Dates stay readable, as in `payments_20261124.csv`, and
 * so does a time or short number after them. An account number that reads as a date stays, too.
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
/** Matches a whole run of digits; in a longer one, a date may be the beginning of any number. */
const DATED = new RegExp(`^(?:${DAYS.join('|')})(?:[ .-](?:${TIME}|\\d{1,4}))?$`);

/**
 * Returns whether a text seems to hold a card number: 13 to 19 digits with a known brand's prefix and a valid check
 * digit. The digits may have single spaces or dashes between them, or up to three signs of any kind between groups.
 *
 * Digit groups before and after it do not hide it, as in `2026 4222 2222 2222 2220`. Digits directly next to it do,
 * because a longer number would too often contain a card number by chance.
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

/** Returns whether a text is written as a date: three groups of digits with the same separator, at most 8 digits in all. */
export function isDay(text: string): boolean {
  return /^(?:\d{4}([/.-])\d{1,2}\1\d{1,2}|\d{1,2}([/.-])\d{1,2}\2\d{1,4})$/.test(text);
}

/** Shows four digits of 8 or more, which is at most half; of fewer, two. */
function shownDigits(count: number): number {
  return count >= 8 ? 4 : 2;
}

function countDigits(text: string): number {
  return text.replace(/\D/g, '').length;
}

/** Stars each character that `starred` matches, except the last `shown` digits. */
function starDigits(text: string, shown: number, starred: RegExp): string {
  let left = countDigits(text);
  return text.replace(starred, (character) => {
    if (!/\d/.test(character)) return '*';
    left -= 1;
    return left < shown ? character : '*';
  });
}

/** Masks card and account numbers in a user's reason, which the audit trail keeps for years. Dates stay readable. */
export function maskReason(words: string): string {
  return /\d(?:[ .-]?\d){11}/.test(words) ? maskText(words) : words;
}
