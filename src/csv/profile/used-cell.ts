import type { FaultCode } from '../../../schemas/errors.ts';
import type { ColumnKind } from '../../../schemas/layouts.ts';
import type { ColumnRule, Title } from '../../../schemas/profiles.ts';
import { PipelineError } from '../../kernel/errors.ts';
import { findDamage, findMonthName, INVISIBLE } from '../rules/text.ts';
import { counted } from '../../kernel/counted.ts';
import { passesLuhn } from '../../kernel/luhn.ts';
import { startsWithRoutingNumber } from '../rules/rule-of-column.ts';

/** Why the profile cannot read a cell. */
export type Misfit = { readonly code: FaultCode; readonly detail?: string };

/** Reports a fault of the cell under a title. `detail` never holds a cell of a number column. */
export type CellReport = (code: FaultCode, title: Title, detail?: string) => void;

/** Reads from the cells of a line; undefined after a report. */
export type ReadCell = (cells: readonly string[], report: CellReport) => string | undefined;

/** Returns the index of a title in the cells of a line. */
export type PlaceOf = (title: Title) => number;

/** What a cell may hold besides plain characters. */
export type CellCare = {
  /** Names and comments keep the joiners of scripts and emoji, as in plain files. */
  readonly joiners?: boolean;
  /** `Dec-27` is what the cell should hold, or its words. Elsewhere a spreadsheet has made it. */
  readonly monthNames?: boolean;
  /** `="00123"` is read as 00123. */
  readonly excelText?: boolean;
};

/** Returns what the cells of a rule may hold. */
export function careOf(kind: ColumnKind, rule: ColumnRule): CellCare {
  const isText = kind === 'text';
  const isWord = kind === 'mop' || kind === 'accountType';
  return {
    joiners: isText,
    monthNames: isText || isWord || (rule.format?.includes('MMM') ?? false),
    excelText: rule.excelText === 'accept',
  };
}

/** Returns the reader of one used cell: sound, without outer blanks, in NFC. It may be empty. */
export function usedCell(title: Title, placeOf: PlaceOf, care: CellCare): ReadCell {
  const place = placeOf(title);
  return (cells, report) => {
    const cell = soundCell(cells[place] ?? '', care);
    return typeof cell === 'string' ? cell : misfit(cell, title, report);
  };
}

/** Returns the reader of a cell that may not be empty. */
export function neverEmpty(read: ReadCell, title: Title): ReadCell {
  return (cells, report) => {
    const cell = read(cells, report);
    return cell === '' ? misfit(EMPTY, title, report) : cell;
  };
}

export const EMPTY: Misfit = { code: 'CELL_EMPTY' };

/** Reports a misfit. */
export function misfit({ code, detail }: Misfit, title: Title, report: CellReport): undefined {
  report(code, title, detail);
}

/** Takes outer blanks off a cell and puts it into NFC, or returns what is hidden in it or was done to it. */
export function soundCell(cell: string, care: CellCare): string | Misfit {
  // Nearly all cells are plain and end here.
  return UNUSUAL.test(cell) ? readUnusual(cell, care) : cell;
}

/** Finds every cell that could be changed or refused here. */
const UNUSUAL = /[^\x20-\x7e]|^[ #=]|E[+-]\d|\d-[A-Z]|[a-z]-\d| $/;

function readUnusual(cell: string, care: CellCare): string | Misfit {
  const isWestern = WESTERN.test(cell);
  if (!isWestern && (care.joiners ? CONTROL_OR_MARK : HIDDEN).test(cell)) return INVISIBLE_CHARACTER;
  const text = (isWestern ? cell : cell.normalize('NFC')).trim();
  const sound = care.excelText ? (EXCEL_TEXT.exec(text)?.[1]?.trim() ?? text) : text;
  const damage = findDamage(sound) ?? (care.monthNames ? undefined : findMonthName(sound));
  return damage === undefined ? sound : { code: 'SPREADSHEET_DAMAGE', detail: damage };
}

/** Characters that hide nothing and are in NFC already. */
const WESTERN = /^[\x20-\x7e\xa0-\xac\xae-\xff\u20ac]*$/;

const INVISIBLE_CHARACTER = { code: 'HIDDEN_CHARACTER', detail: 'an invisible character' } as const;
const CONTROL_OR_MARK = new RegExp(`[\\p{Cc}\\p{Zl}\\p{Zp}]|${INVISIBLE.source}`, 'u');
const HIDDEN = new RegExp(`\\p{Default_Ignorable_Code_Point}|${CONTROL_OR_MARK.source}`, 'u');
const EXCEL_TEXT = /^=\s*"([^"]*)"$/;

/** The blanks of numbers: the plain one, the two that do not break, and the thin one. */
export const BLANKS = ' \u00a0\u202f\u2009';

/**
 * Returns a key of a rule that every checked profile has.
 * @throws PipelineError INTERNAL without it
 */
export function needed<T>(value: T | undefined, key: string): T {
  if (value === undefined) throw new PipelineError('INTERNAL', 'read with the profile', `a rule has no "${key}"`);
  return value;
}

/** Returns the source of a regular expression that matches this text alone, with or without the flag `u`. */
export function escapePattern(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
}

/** Checks a sound, filled cell. Returns it without what the rule strips, or why it does not fit. */
export type CheckCell = (cell: string) => string | Misfit;

type DigitsRule = Pick<ColumnRule, 'strip' | 'digits' | 'check'>;

/** Compiles the check of a number, or of a part of one: digits alone, as many as wanted, with a right check digit. */
export function digitsCheck({ strip = [], digits, check }: DigitsRule): CheckCell {
  const stripped = new RegExp(`[${strip.map((name) => STRIPPED[name]).join('')}]+`, 'g');
  const [least, most] = rangeOf(digits);
  const wanted = least === most ? String(least) : `${least} to ${most}`;
  return (cell) => {
    const number = ALL_DIGITS.test(cell) ? cell : cell.replace(stripped, '');
    if (!ALL_DIGITS.test(number)) return SEPARATED.test(number) ? SEPARATED_DIGITS : OTHER_CHARACTERS;
    const { length } = number;
    if (length < least || length > most)
      return digitFault(`it has ${counted(length, 'digit')}, and the profile wants ${wanted}`);
    return check && !CHECKS[check](number) ? WRONG_CHECK_DIGIT : number;
  };
}

const STRIPPED = { space: BLANKS, dash: '\\-\u2010-\u2013' } as const;
const CHECKS = { aba: startsWithRoutingNumber, luhn: passesLuhn } as const;

const ALL_DIGITS = /^\d+$/;
const SEPARATED = new RegExp(`^[\\d${STRIPPED.space}${STRIPPED.dash}]+$`);
const SEPARATED_DIGITS = digitFault('it has blanks or dashes, which the profile does not take out');
const OTHER_CHARACTERS = digitFault('it holds something other than digits');
const WRONG_CHECK_DIGIT = digitFault('its check digit is wrong');

function digitFault(detail: string): Misfit {
  return { code: 'DIGIT_COUNT', detail };
}

/** Returns least and most of a count such as 9 or `4..17`; without one, any. */
export function rangeOf(count: number | string | undefined): [number, number] {
  if (count === undefined) return [1, Infinity];
  const [least = 0, most = least] = String(count).split('..').map(Number);
  return [least, most];
}

/** Compiles the cut of a text; the part wanted must not be empty, nor any other. */
export function splitCheck({ split = '', part = 1, of = 2, otherwise = 'misfit' }: ColumnRule): CheckCell {
  const fault: Misfit = { code: 'PART_COUNT', detail: `it is not ${of} texts with "${split}" between them` };
  return (cell) => {
    const found = findPart(cell, split, part, of);
    if (found !== undefined) return found;
    if (otherwise === 'misfit') return fault;
    return otherwise === 'whole' ? cell : '';
  };
}

/** Returns a part without outer blanks; undefined if there are fewer parts or more, or one is empty. */
function findPart(cell: string, split: string, part: number, of: number): string | undefined {
  let found: string | undefined;
  let from = 0;
  for (let number = 1; number <= of; number += 1) {
    const next = cell.indexOf(split, from);
    if ((next === -1) !== (number === of)) return undefined;
    const text = cell.slice(from, next === -1 ? undefined : next).trim();
    if (text === '') return undefined;
    if (number === part) found = text;
    from = next + split.length;
  }
  return found;
}

/** Compiles the check of a shape. Its length counts characters. */
export function shapeCheck(shape: ColumnRule['shape']): CheckCell {
  if (!shape) return (cell) => cell;
  const [least, most] = rangeOf(shape.length);
  const starts = `(?:${(shape.starts ?? ['']).map(escapePattern).join('|')})`;
  const begins = new RegExp(`^${starts}`, 'u');
  const goesOn = new RegExp(`^${starts}${shape.rest ? '\\d+$' : ''}`, 'u');
  return (cell) => {
    const length = cell.length < least || cell.length > most ? [...cell].length : cell.length;
    if (length < least || length > most) return OTHER_LENGTH;
    if (!begins.test(cell)) return OTHER_START;
    return goesOn.test(cell) && (!shape.only || ALL_DIGITS.test(cell)) ? cell : OTHER_REST;
  };
}

const OTHER_LENGTH = shapeFault('its length is another');
const OTHER_START = shapeFault('it begins otherwise');
const OTHER_REST = shapeFault('it holds something other than digits');

function shapeFault(detail: string): Misfit {
  return { code: 'SHAPE_DIFFERS', detail };
}
