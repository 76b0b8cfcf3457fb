import { COLUMNS, type ColumnName } from '../../../../schemas/layouts.ts';
import { type ColumnRule, type Profile, SEPARATORS } from '../../../../schemas/profiles.ts';
import { fault, type FoundFault, keyFault, type ProfilePath, quoted } from './found-fault.ts';

/** Finds forms of dates and numbers that are incomplete or can be read in two ways, and marks that meet. */
export function checkForms(column: ColumnName, rule: ColumnRule, { read }: Profile): FoundFault[] {
  const path = ['columns', column];
  const separator = read.kind === 'text' && read.quotes === 'none' ? SEPARATORS[read.separator] : undefined;
  const isCut = separator !== undefined && rule.split?.includes(separator);
  return [
    ...(rule.format === undefined ? [] : checkFormat(COLUMNS[column].kind === 'date', rule, path)),
    ...(rule.number === undefined ? [] : checkNumber(rule.number, separator, [...path, 'number'])),
    ...(isCut ? [fault('PROFILE_MARKS', [...path, 'split'], 'no cell holds the separator without quotes')] : []),
  ];
}

const PARTS = { YYYY: 'year', YY: 'year', MMM: 'month', MM: 'month', M: 'month', DD: 'day', D: 'day' } as const;

function checkFormat(isDate: boolean, { format = '', language }: ColumnRule, path: ProfilePath): FoundFault[] {
  const at = [...path, 'format'];
  const pieces: readonly string[] = format.match(/Y+|M+|D+|[^YMD]+/g) ?? [];
  const tokens = pieces.filter((piece) => /[YMD]/.test(piece));
  const names = tokens.map((piece) => Object.entries(PARTS).find(([letters]) => letters === piece)?.[1]);
  const odd = pieces.find((piece) => !Object.hasOwn(PARTS, piece) && /[\p{L}\p{N}]/u.test(piece));
  if (odd !== undefined)
    return [fault('PROFILE_FORMAT', at, `${quoted(odd)} is none of ${Object.keys(PARTS).join(', ')}`)];
  const wanted = isDate ? ['year', 'month', 'day'] : ['year', 'month'];
  const wrong = ['year', 'month', 'day'].flatMap((part) => {
    const count = names.filter((name) => name === part).length;
    if (count > 1) return [`the ${part} stands twice`];
    if (count === 1 && !wanted.includes(part)) return ['an expiry has no day; leave it out'];
    return count === 0 && wanted.includes(part) ? [`it has no ${part}`] : [];
  });
  const isNamed = tokens.includes('MMM');
  const isOpen = pieces.some((piece, index) => meet(piece, pieces[index + 1]));
  return [
    ...wrong.map((reason) => fault('PROFILE_FORMAT', at, reason)),
    ...(isOpen ? [fault('PROFILE_FORMAT', at, 'M and D beside digits cannot be told apart; write MM and DD')] : []),
    ...(isNamed && !language
      ? [fault('PROFILE_FORMAT', at, 'MMM needs the language of the months: en, fr, de or es')]
      : []),
    ...(!isNamed && language ? [keyFault([...path, 'language'], 'only MMM has a language; leave it out')] : []),
  ];
}

/** Returns whether two neighbors are digits, and one of them has one digit or two. */
function meet(piece: string, next: string | undefined): boolean {
  const isDigits = [piece, next].every((one) => one !== undefined && one !== 'MMM' && Object.hasOwn(PARTS, one));
  return isDigits && [piece, next].some((one) => one === 'M' || one === 'D');
}

type NumberForm = NonNullable<ColumnRule['number']>;

function checkNumber(number: NumberForm, separator: string | undefined, path: ProfilePath): FoundFault[] {
  return [
    ...(number.unit === 'cents' ? checkCents(number, path) : checkMoney(number, path)),
    ...checkMarks(number, separator, path),
  ];
}

function checkCents({ digits, decimal, group, places, whole, symbol }: NumberForm, path: ProfilePath): FoundFault[] {
  const needless = {
    decimal: decimal !== undefined,
    group: group !== 'none',
    places: places !== 2,
    whole: whole !== 'refuse',
    symbol: symbol !== undefined,
  };
  return [
    ...(digits === undefined
      ? [keyFault([...path, 'unit'], 'cents needs digits, the number of digits of each cell')]
      : []),
    ...Object.entries(needless)
      .filter(([, isGiven]) => isGiven)
      .map(([key]) => keyFault([...path, key], 'cents are digits only; leave it out')),
  ];
}

function checkMoney({ digits, decimal, whole }: NumberForm, path: ProfilePath): FoundFault[] {
  return [
    ...(digits === undefined ? [] : [keyFault([...path, 'digits'], 'only unit: cents has a number of digits')]),
    ...(decimal === undefined ? [keyFault(path, "write decimal: '.', ',' or none")] : []),
    ...(decimal === 'none' && whole === 'refuse'
      ? [keyFault([...path, 'whole'], 'amounts without decimals are whole numbers; write whole: allow')]
      : []),
  ];
}

/** Signs that an amount has besides its currency. */
const SIGNS = /^[\s\d.,'\u2019()\u2212-]+$|[\d()\u2212-]|^\s|\s$/;

function checkMarks(
  { decimal, group, symbol }: NumberForm,
  separator: string | undefined,
  path: ProfilePath,
): FoundFault[] {
  const marks = (key: string, reason: string) => [fault('PROFILE_MARKS', [...path, key], reason)];
  const cut = (key: string, mark: string | undefined) =>
    separator !== undefined && mark?.includes(separator)
      ? marks(key, 'it is the separator too, and no cell is in quotes; use quotes: double or another separator')
      : [];
  return [
    ...(decimal === group && group !== 'none' ? marks('group', 'decimal and group are the same mark') : []),
    ...cut('decimal', decimal),
    ...cut('group', group),
    ...cut('symbol', symbol),
    ...(symbol !== undefined && SIGNS.test(symbol)
      ? marks('symbol', 'it cannot be told apart from the digits, marks and signs of an amount')
      : []),
  ];
}
