import type { ColumnRule } from '../../../schemas/profiles.ts';
import { ZERO } from '../../kernel/byte-names.ts';
import { counted } from '../../kernel/counted.ts';
import { BLANKS, escapePattern, type Misfit } from './used-cell.ts';

export type NumberForm = NonNullable<ColumnRule['number']>;

/** Reads a sound, filled cell. Returns cents, or why it is no amount of the form. Nothing is ever rounded. */
export type ReadCents = (text: string) => number | Misfit;

type Limits = {
  /** Largest absolute value. */
  readonly largestCents: number;
  /** A word or the column gives the sign, so the cell has none. */
  readonly isUnsigned?: boolean;
};

/** Compiles the grammar of a form. A form without its mark or count fits nothing. */
export function compileNumberForm(form: NumberForm, { largestCents, isUnsigned = false }: Limits): ReadCents {
  const { read, unread } = form.unit === 'cents' ? centsGrammar(form) : moneyGrammar(form);
  const readPlain = plainReader(form);
  return (text) => {
    const plain = readPlain(text);
    if (plain >= 0 && plain <= largestCents) return plain;
    const found = read(text);
    if (!found) return unread(text);
    const sign = signOf(found, isUnsigned ? undefined : form.negative);
    if (typeof sign !== 'number') return sign;
    return found.cents > largestCents ? TOO_LARGE : sign * found.cents + 0;
  };
}

type Found = { readonly cents: number; readonly before: string; readonly behind: string };
type Grammar = { readonly read: (text: string) => Found | undefined; readonly unread: (text: string) => Misfit };

const TOO_LARGE = numberFault('it is larger than the service can process');

function numberFault(detail: string): Misfit {
  return { code: 'NUMBER_FORMAT', detail };
}

/** Returns the reader of `1200.00`, `1,200.00` and `1,200.00 $`, the commonest writings; it returns -1 for any other. */
function plainReader({ unit, places, decimal, group, symbol = '' }: NumberForm): (text: string) => number {
  if (unit === 'cents' || places !== 2) return () => -1;
  return (text) => plainCents(symbol === '' ? text : withoutSymbol(text, symbol), decimal ?? '', group);
}

/** Takes off the symbol on one side, with at most one blank. */
function withoutSymbol(text: string, symbol: string): string {
  if (text.endsWith(symbol)) {
    const end = text.length - symbol.length;
    return text.slice(0, BLANKS.includes(text[end - 1] ?? '-') ? end - 1 : end);
  }
  if (!text.startsWith(symbol)) return text;
  return text.slice(BLANKS.includes(text[symbol.length] ?? '-') ? symbol.length + 1 : symbol.length);
}

function plainCents(text: string, mark: string, group: string): number {
  const point = text.length - 3;
  if (point < 1 || point > LONGEST_PLAIN || text[point] !== mark) return -1;
  const isGrouped = text[point - 4] === group;
  if (isGrouped && (point % 4 === 0 || text.charCodeAt(0) === ZERO)) return -1;
  let cents = 0;
  for (let place = 0; place < text.length; place += 1) {
    if (place === point) continue;
    if (isGrouped && place < point && (point - place) % 4 === 0) {
      if (text[place] !== group) return -1;
      continue;
    }
    const digit = text.charCodeAt(place) - ZERO;
    if (digit < 0 || digit > 9) return -1;
    cents = cents * 10 + digit;
  }
  return cents;
}

/** Characters before the mark, so that the cents are exact. */
const LONGEST_PLAIN = 12;

/** Digits only, of a fixed count. */
function centsGrammar({ digits = 0 }: NumberForm): Grammar {
  const pattern = new RegExp(`^([-\\u2212(]{0,2})(\\d{${digits}})([-\\u2212)]{0,2})$`);
  const fault = numberFault(`it does not have exactly ${counted(digits, 'digit')} and nothing else`);
  const read: Grammar['read'] = (text) => {
    const [, before = '', cents = '', behind = ''] = pattern.exec(text) ?? [];
    return cents === '' ? undefined : { cents: Number(cents), before, behind };
  };
  return { read, unread: () => fault };
}

function moneyGrammar(form: NumberForm): Grammar {
  const mark = form.decimal === undefined || form.decimal === 'none' ? NEVER : escapePattern(form.decimal);
  const digits = digitsOf(form.group);
  const places = `${mark}(\\d{${form.places === 2 ? '2' : '1,2'}})`;
  const symbol = form.symbol === undefined ? NEVER : escapePattern(form.symbol.normalize('NFC'));
  const pattern = framed(`(${digits})(?:${places})${form.whole === 'allow' ? '?' : ''}`, symbol);
  const read: Grammar['read'] = (text) => {
    const match = pattern.exec(text);
    if (!match || (match[2] !== undefined && match[7] !== undefined)) return undefined;
    const [, outer = '', , inner = '', whole = '', decimals = '', behind = '', , last = ''] = match;
    const cents = Number(whole.replace(/\D/g, '')) * 100 + Number(decimals.padEnd(2, '0'));
    return { cents, before: outer + inner, behind: behind + last };
  };
  return { read, unread: explainMoney(form, { digits, mark, symbol }) };
}

/** Matches nothing. */
const NEVER = '(?!)';

const GROUPS = { ',': ',', '.': '\\.', space: `[${BLANKS}]`, apostrophe: "['\\u2019]", none: NEVER } as const;

/** A group mark stands at every third digit. A grouped number never begins with zero: 0.500 is a half elsewhere. */
function digitsOf(group: NumberForm['group']): string {
  return `[1-9]\\d{0,2}(?:${GROUPS[group]}\\d{3})+|\\d+`;
}

/** The symbol stands before or behind, at most one blank away, within or outside the signs. */
function framed(number: string, symbol: string): RegExp {
  const [before, behind] = ['([-\\u2212(]{0,2})', '([-\\u2212)]{0,2})'];
  const [first, last] = [`(${symbol}[${BLANKS}]?)?`, `([${BLANKS}]?${symbol})?`];
  return new RegExp(`^${before}${first}${before}${number}${behind}${last}${behind}$`, 'u');
}

const SIGNS: { readonly [signs: string]: { readonly name: NumberForm['negative'][number]; readonly where: string } } = {
  '-_': { name: 'minus', where: 'a minus in front' },
  '\u2212_': { name: 'unicode-minus', where: 'a long minus in front' },
  '_-': { name: 'trailing-minus', where: 'a minus behind it' },
  '(_)': { name: 'parentheses', where: 'parentheses' },
};

/** @param negative forms that the profile takes; undefined when the sign stands elsewhere */
function signOf({ before, behind }: Found, negative: NumberForm['negative'] | undefined): 1 | -1 | Misfit {
  const signs = `${before}_${behind}`;
  if (signs === '_') return 1;
  if (negative === undefined) return SIGN_ELSEWHERE;
  const sign = SIGNS[signs];
  if (sign) return negative.includes(sign.name) ? -1 : numberFault(`it has ${sign.where}, ${NOT_TAKEN}`);
  const count = signs.replace(/[()]+/, '-').replace(/[^-\u2212]/g, '').length;
  return count > 1 ? { code: 'SIGN_TWICE' } : numberFault('its sign is incomplete, or not one that the profile takes');
}

const NOT_TAKEN = 'which the profile does not take';
const SIGN_ELSEWHERE: Misfit = { code: 'SIGN_TWICE', detail: 'a word or the column already gives the sign' };

type Pieces = { readonly digits: string; readonly mark: string; readonly symbol: string };

/** Says what is wrong with an amount that the form does not take, as the person who made the export would see it. */
function explainMoney(form: NumberForm, { digits, mark, symbol }: Pieces): Grammar['unread'] {
  const loose = framed(`([\\d.,'\\u2019${BLANKS}]+)`, symbol);
  const whole = new RegExp(`^(?:${digits})$`);
  const decimals = new RegExp(`^(?:${digits})${mark}(\\d+)$`);
  const foreign = new RegExp(`(?!${mark}|${GROUPS[form.group]})\\D`);
  return (text) => {
    const number = loose.exec(text)?.[4]?.trim();
    if (number === undefined) return FOREIGN_SIGN.test(text) ? OTHER_SYMBOL : NO_NUMBER;
    if (whole.test(number)) return NO_DECIMALS;
    const places = decimals.exec(number)?.[1]?.length;
    const taken = form.places === 2 ? '2' : '1 or 2';
    if (places) return numberFault(`it has ${counted(places, 'decimal')}, and the profile takes ${taken}`);
    const other = foreign.exec(number)?.[0];
    if (other === undefined) return MARKS_MISPLACED;
    return numberFault(`it has ${BLANKS.includes(other) ? 'a blank' : `the mark "${other}"`}, ${NOT_TAKEN}`);
  };
}

const FOREIGN_SIGN = /[\p{Sc}\p{L}]/u;
const OTHER_SYMBOL = numberFault(`it has a currency sign or a word, ${NOT_TAKEN}`);
const NO_NUMBER = numberFault('it is not a number');
const NO_DECIMALS = numberFault('it has no decimals, and the profile does not take whole numbers');
const MARKS_MISPLACED = numberFault('its marks do not divide thousands and decimals as the profile says');
