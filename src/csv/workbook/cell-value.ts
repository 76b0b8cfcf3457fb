import type { CellType } from '../profile/read/text-rows.ts';
import type { StyleKind } from './workbook-parts.ts';
import { refuse } from './refusal.ts';
import type { XmlHandlers } from './read-xml.ts';

/** A cell as the sheet writes it. */
export type SheetCell = {
  /** Such as B7. */
  readonly address: string;
  readonly type: string;
  readonly style: number;
  readonly value: string;
  readonly isFormula: boolean;
};

/** Returns a shared text by its number; undefined when there is none. */
export type SharedTexts = (index: number) => string | undefined;

export type CellBook = {
  readonly texts: SharedTexts;
  readonly styles: readonly StyleKind[];
  readonly is1904: boolean;
};

export type CellValue = { readonly text: string; readonly type: CellType };

/**
 * Returns the content of a cell as text, and what it is: dates as `2026-06-15` or `2026-06-15 10:30:00`, numbers as the
 * exact decimal of the double that the workbook stores.
 */
export function valueOf(cell: SheetCell, book: CellBook): CellValue {
  const { address, type, value, isFormula } = cell;
  if (value === '') return isFormula && type !== 'str' ? UNSAVED : EMPTY;
  switch (type) {
    case 's':
      return textValue(book.texts(/^\d+$/.test(value) ? Number(value) : -1) ?? refuse(`cell ${address} has no text`));
    case 'str':
      return textValue(plainText(value));
    case 'inlineStr':
      return textValue(value);
    case 'b':
      return { text: value === '1' || value === 'true' ? 'TRUE' : 'FALSE', type: 'text' };
    case 'e':
      return { text: value, type: 'error' };
    case 'd':
      return isoDate(value) ?? refuse(`cell ${address} has a date in an unknown form`);
    default:
      return numberValue(cell, book);
  }
}

const EMPTY: CellValue = { text: '', type: 'empty' };
const UNSAVED: CellValue = { text: '', type: 'unsaved' };

function textValue(text: string): CellValue {
  return text === '' ? EMPTY : { text, type: 'text' };
}

const ISO_DATE = /^(\d{4}-\d\d-\d\d)(?:T(\d\d:\d\d:\d\d)(?:\.\d+)?Z?)?$/;

function isoDate(value: string): CellValue | undefined {
  const [, date, time] = ISO_DATE.exec(value) ?? [];
  if (date === undefined) return undefined;
  return { text: time === undefined || time === '00:00:00' ? date : `${date} ${time}`, type: 'date' };
}

/** Excel and doubles are exact up to here. */
const FIRST_LONG = 1e15;

function numberValue({ address, value, style }: SheetCell, { styles, is1904 }: CellBook): CellValue {
  if (!/^[-+]?(?:\d+\.?\d*|\.\d+)(?:E[-+]?\d+)?$/i.test(value)) refuse(`cell ${address} has no number`);
  const number = Number(value);
  if (!Number.isFinite(number)) refuse(`cell ${address} has no number`);
  const kind = styles[style] ?? 'plain';
  const date = kind === 'date' ? dateText(number, is1904) : undefined;
  if (date !== undefined) return { text: date, type: 'date' };
  const type = Math.abs(number) >= FIRST_LONG ? 'long' : kind === 'padded' ? 'padded' : 'number';
  return { text: decimalText(number), type };
}

const DAY_MS = 86_400_000;
const DAY_SECONDS = 86_400;
const DAY_ZERO_MS = Date.UTC(1899, 11, 30);

/** Excel has a 29 February 1900, so its days count rightly only from the day behind it. */
const FIRST_DAY = 61;
const LAST_DAY = 2_958_465;

/** Days between the two ways of counting. */
const DAYS_TO_1904 = 1_462;

function dateText(number: number, is1904: boolean): string | undefined {
  const days = Math.floor(number) + (is1904 ? DAYS_TO_1904 : 0);
  if (days < FIRST_DAY || days > LAST_DAY) return undefined;
  const seconds = Math.min(Math.round((number - Math.floor(number)) * DAY_SECONDS), DAY_SECONDS - 1);
  const [date, time] = new Date(DAY_ZERO_MS + days * DAY_MS + seconds * 1_000).toISOString().split(/[T.]/);
  return seconds === 0 ? date : `${date} ${time}`;
}

/** Returns the number of a day such as 2026-06-15 or 06/15/2026; undefined for anything else. */
export function dayOf(text: string): number | undefined {
  const day = text.replace(/^(\d\d)\/(\d\d)\/(\d{4})$/, '$3-$1-$2');
  const [, year, month, date] = /^(\d{4})-(\d\d)-(\d\d)$/.exec(day) ?? [];
  const time = Date.UTC(Number(year), Number(month) - 1, Number(date));
  const days = (time - DAY_ZERO_MS) / DAY_MS;
  return days >= FIRST_DAY && new Date(time).toISOString().startsWith(day) ? days : undefined;
}

/** Excel shows so many digits of a number. */
const SHOWN_DIGITS = 15;

/** Returns a number as Excel shows it at most. */
export function shownDecimal(number: number): string {
  return decimalText(Number(number.toPrecision(SHOWN_DIGITS)));
}

/** Returns the shortest decimal that is this double, without an exponent. */
function decimalText(number: number): string {
  const text = String(number === 0 ? 0 : number);
  const [, sign = '', whole = '', decimals = '', exponent] = /^(-?)(\d)(?:\.(\d+))?e([+-]\d+)$/.exec(text) ?? [];
  if (exponent === undefined) return text;
  const zeros = Math.abs(Number(exponent));
  return Number(exponent) > 0
    ? `${sign}${whole}${decimals.padEnd(zeros, '0')}`
    : `${sign}0.${'0'.repeat(zeros - 1)}${whole}${decimals}`;
}

/**
 * Collects the text of a cell. It may be cut into runs of different fonts, and may have a reading aid for Japanese, which
 * is no part of it.
 */
export function cellText(longest: number) {
  let parts = '';
  let isText = false;
  let isAid = false;

  const open: XmlHandlers['open'] = (name) => {
    if (name === 't') isText = true;
    else if (name === 'rPh') isAid = true;
  };
  const close = (name: string) => {
    if (name === 't') isText = false;
    else if (name === 'rPh') isAid = false;
  };
  /** A text that is too long keeps one character too many. */
  const text = (piece: string) => {
    if (isText && !isAid && parts.length <= longest) parts = (parts + piece).slice(0, longest + 1);
  };
  /** Returns the text, and starts the next one. */
  const take = (): string => {
    const taken = plainText(parts);
    parts = '';
    return taken;
  };

  return { open, close, text, take };
}

/** Reads `_x000D_`, the way in which Excel writes control characters, and makes one blank of each line end or tab. */
function plainText(text: string): string {
  const read = text.includes('_x')
    ? text.replace(/_x([0-9a-f]{4})_/gi, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)))
    : text;
  return /[\t\n\r]/.test(read) ? read.replace(/\r\n|[\t\n\r]/g, ' ') : read;
}
