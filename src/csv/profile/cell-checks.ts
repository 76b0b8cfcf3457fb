import type { ColumnRule } from '../../../schemas/profiles.ts';
import { counted } from '../../kernel/counted.ts';
import { passesLuhn } from '../../kernel/luhn.ts';
import { startsWithRoutingNumber } from '../rules/rule-of-column.ts';
import { BLANKS, escapePattern, type Misfit } from './used-cell.ts';

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
