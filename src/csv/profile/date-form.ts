import type { ColumnRule } from '../../../schemas/profiles.ts';
import { isDay } from '../rules/rule-of-column.ts';
import { BLANKS, escapePattern, type Misfit } from './used-cell.ts';

/** How a date or expiry is written. */
export type DateForm = Pick<ColumnRule, 'format' | 'language' | 'time'>;

/** Reads a sound, filled cell. Returns it as the layout wants it, or why it is not of the form. */
export type ReadDate = (text: string) => string | Misfit;

/**
 * Compiles the form of a date, which it returns as `MM/DD/YYYY`.
 * @returns undefined for a form that lacks year, month or day, or can be read in two ways
 */
export function compileDateForm(form: DateForm): ReadDate | undefined {
  const readParts = compileForm(form, ['year', 'month', 'day']);
  const noDay = differs(`there is no such day, read as ${form.format}`);
  const other = differs(`written otherwise than ${form.format}`);
  return (
    readParts &&
    remembering((text) => {
      const { year, month, day } = readParts(text) ?? UNREAD;
      if (year < 1900 || year > 2099) return other;
      return isDay(year, month, day) ? `${twoDigits(month)}/${twoDigits(day)}/${year}` : noDay;
    })
  );
}

/**
 * Compiles the form of an expiry, which it returns as `MM/YY`. Only years of this century may lose two digits.
 * @returns undefined for a form that lacks year or month, or can be read in two ways
 */
export function compileExpiryForm(form: DateForm): ReadDate | undefined {
  const readParts = compileForm(form, ['year', 'month']);
  const noMonth = differs(`there is no such month, read as ${form.format}`);
  const other = differs(`written otherwise than ${form.format}`);
  return (
    readParts &&
    remembering((text) => {
      const { year, month } = readParts(text) ?? UNREAD;
      if (year < 2000 || year > 2099) return other;
      return month >= 1 && month <= 12 ? `${twoDigits(month)}/${twoDigits(year % 100)}` : noMonth;
    })
  );
}

/** Remembers the last text, because the rows of a report often have the same day. */
function remembering(read: ReadDate): ReadDate {
  let lastText = '';
  let last = read('');
  return (text) => {
    if (text === lastText) return last;
    lastText = text;
    last = read(text);
    return last;
  };
}

/** Reads the month of an expiry in two columns, as two digits. */
export const monthOfExpiry: ReadDate = (text) =>
  /^(?:0?[1-9]|1[0-2])$/.test(text) ? twoDigits(Number(text)) : NO_MONTH;

/** Reads the year of an expiry in two columns, as two digits. */
export const yearOfExpiry: ReadDate = (text) => (/^(?:20)?\d\d$/.test(text) ? text.slice(-2) : NO_YEAR);

const NO_MONTH = differs('it is not a month from 1 to 12');
const NO_YEAR = differs('it is not a year such as 27 or 2027');

function differs(detail: string): Misfit {
  return { code: 'FORMAT_DIFFERS', detail };
}

function twoDigits(value: number): string {
  return value < 10 ? `0${value}` : String(value);
}

type Parts = { readonly year: number; readonly month: number; readonly day: number };
const UNREAD: Parts = { year: 0, month: 0, day: 0 };

/** Letters of a form. The sketch is `0` for a fixed number of digits, `?` for one or two, and `@` for a name. */
type Token = { readonly part: keyof Parts; readonly pattern: string; readonly sketch: '0' | '?' | '@' };

const TOKENS: { readonly [letters: string]: Token } = {
  YYYY: { part: 'year', pattern: '(\\d{4})', sketch: '0' },
  YY: { part: 'year', pattern: '(\\d\\d)', sketch: '0' },
  MMM: { part: 'month', pattern: '(\\p{L}+)\\.?', sketch: '@' },
  MM: { part: 'month', pattern: '(\\d\\d)', sketch: '0' },
  M: { part: 'month', pattern: '(\\d\\d?)', sketch: '?' },
  DD: { part: 'day', pattern: '(\\d\\d)', sketch: '0' },
  D: { part: 'day', pattern: '(\\d\\d?)', sketch: '?' },
};

/** A number of open length beside a digit, or a name beside a letter, has no certain end. */
const UNCERTAIN = /[\d?]\?|\?\d|@\p{L}|\p{L}@/u;

/** @param wanted the parts that stand in the form once each, and no others */
function compileForm(
  { format = '', language, time }: DateForm,
  wanted: readonly (keyof Parts)[],
): ((text: string) => Parts | undefined) | undefined {
  const pieces = format.match(/Y+|M+|D+|[^YMD]+/g) ?? [];
  const tokens = pieces.map((piece) => TOKENS[piece] ?? piece);
  const parts = tokens.flatMap((token) => (typeof token === 'string' ? [] : [token.part]));
  const sketch = tokens.map((token) => (typeof token === 'string' ? token : token.sketch)).join('');
  if (UNCERTAIN.test(sketch) || [...parts].sort().join() !== [...wanted].sort().join()) return undefined;
  const names = sketch.includes('@') ? language && monthNames(language) : NO_NAMES;
  if (!names) return undefined;

  const source = tokens.map((token) => (typeof token === 'string' ? escapePattern(token) : token.pattern)).join('');
  const pattern = new RegExp(`^${source}${time === 'drop' ? `(?:[${BLANKS}].*)?` : ''}$`, 'su');
  const [year, month, day] = [parts.indexOf('year') + 1, parts.indexOf('month') + 1, parts.indexOf('day') + 1];
  return (text) => {
    const match = pattern.exec(text);
    if (!match) return undefined;
    const written = match[month]!;
    const found = names === NO_NAMES ? Number(written) : names.get(written.toLowerCase());
    return found === undefined
      ? undefined
      : { year: fullYear(match[year]!), month: found, day: day === 0 ? 0 : Number(match[day]) };
  };
}

const NO_NAMES: ReadonlyMap<string, number> = new Map();

function fullYear(written: string): number {
  return written.length === 2 ? 2000 + Number(written) : Number(written);
}

type Language = NonNullable<ColumnRule['language']>;

/**
 * Short names of the twelve months, as accounting systems, spreadsheets and Unicode's tables write them; also without
 * accents. Each may have a point behind it, and capitals do not count.
 */
const SHORT_NAMES: { readonly [Name in Language]: readonly string[] } = {
  en: ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep sept', 'oct', 'nov', 'dec'],
  fr: [
    'jan janv',
    'fév févr fev fevr',
    'mar mars',
    'avr',
    'mai',
    'juin',
    'juil',
    'août aou aoû aout',
    'sep sept',
    'oct',
    'nov',
    'déc dec',
  ],
  de: [
    'jan jän',
    'feb',
    'mär mrz mar märz',
    'apr',
    'mai',
    'jun juni',
    'jul juli',
    'aug',
    'sep sept',
    'okt',
    'nov',
    'dez',
  ],
  es: ['ene', 'feb', 'mar', 'abr', 'may', 'jun', 'jul', 'ago', 'sep sept', 'oct', 'nov', 'dic'],
};

/** Returns the months from 1 to 12 by their short names in small letters, without a point. */
export function monthNames(language: Language): ReadonlyMap<string, number> {
  return MONTHS_BY_NAME.get(language)!;
}

export const LANGUAGES = Object.keys(SHORT_NAMES) as Language[];

const MONTHS_BY_NAME = new Map(
  LANGUAGES.map((language) => [
    language,
    new Map(
      SHORT_NAMES[language].flatMap((names, index) => names.split(' ').map((name) => [name, index + 1] as const)),
    ),
  ]),
);

/** Returns whether a word is the short name of a month in any language. */
export function namesMonth(word: string): boolean {
  return [...MONTHS_BY_NAME.values()].some((names) => names.has(word.toLowerCase()));
}
