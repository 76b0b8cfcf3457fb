import type { ColumnRule, Title } from '../../../schemas/profiles.ts';
import { formatCents, LARGEST_CENTS } from '../../kernel/money.ts';
import { compileNumberForm, type NumberForm } from './number-form.ts';
import {
  type CellReport,
  EMPTY,
  misfit,
  type Misfit,
  needed,
  type PlaceOf,
  type ReadCell,
  usedCell,
} from './used-cell.ts';
import { foldWord, wordCell } from './words-rule.ts';

/** Returns the rule of the amount, which it writes as `-1200.00`. */
export function amountRule(rule: ColumnRule, placeOf: PlaceOf): ReadCell {
  if (rule.positive !== undefined) return amountOfTwo(rule, placeOf);
  return typeof rule.sign === 'object' ? amountByWord(rule, rule.sign, placeOf) : amountAsWritten(rule, placeOf);
}

/** Returns 1, or -1 where the profile turns all signs. */
export function directionOf({ sign }: ColumnRule): 1 | -1 {
  return sign === 'negate' ? -1 : 1;
}

function amountAsWritten(rule: ColumnRule, placeOf: PlaceOf): ReadCell {
  const title = needed(rule.from, 'from');
  const read = usedCell(title, placeOf, {});
  const toCents = reportedCents(rule, title, { isUnsigned: false });
  return (cells, report) => written(toCents(read(cells, report), report), directionOf(rule));
}

/** Number cells of a workbook are written as plain decimals. */
const CELL_FORM: NumberForm = {
  unit: 'money',
  decimal: '.',
  group: 'none',
  places: '1..2',
  whole: 'allow',
  negative: ['minus'],
};

/** Returns how the amounts of a rule are written. */
export function numberFormOf({ type, number }: ColumnRule): NumberForm {
  return type === 'number' ? CELL_FORM : needed(number, 'number');
}

type ByWord = Extract<ColumnRule['sign'], { by: Title }>;

function amountByWord(rule: ColumnRule, { by, positive, negative }: ByWord, placeOf: PlaceOf): ReadCell {
  const title = needed(rule.from, 'from');
  const read = usedCell(title, placeOf, {});
  const toCents = reportedCents(rule, title, { isUnsigned: true });
  const directions = [...positive.map((word) => [word, 1] as const), ...negative.map((word) => [word, -1] as const)];
  const readDirection = wordCell(by, directions, placeOf);
  return (cells, report) => {
    const cents = toCents(read(cells, report), report);
    return written(cents, readDirection(cells, report));
  };
}

/** Exactly one of two columns holds the amount. The other holds what the profile lists as nothing. */
function amountOfTwo(rule: ColumnRule, placeOf: PlaceOf): ReadCell {
  const [positive, negative] = [needed(rule.positive, 'positive'), needed(rule.negative, 'negative')];
  const [readPositive, readNegative] = [usedCell(positive, placeOf, {}), usedCell(negative, placeOf, {})];
  const toPositive = reportedCents(rule, positive, { isUnsigned: true });
  const toNegative = reportedCents(rule, negative, { isUnsigned: true });
  const nothing = new Set((rule.nothing ?? ['']).map(foldWord));
  const direction = directionOf(rule);
  return (cells, report) => {
    const plus = readPositive(cells, report);
    const minus = readNegative(cells, report);
    if (plus === undefined || minus === undefined) return undefined;
    const isPositive = !nothing.has(foldWord(plus));
    if (isPositive !== nothing.has(foldWord(minus))) return misfit(isPositive ? BOTH : NEITHER, positive, report);
    return isPositive ? written(toPositive(plus, report), direction) : written(toNegative(minus, report), -direction);
  };
}

const BOTH: Misfit = { code: 'BOTH_AMOUNTS', detail: 'both are filled' };
const NEITHER: Misfit = { code: 'BOTH_AMOUNTS', detail: 'neither is filled' };

type ReportedCents = (cell: string | undefined, report: CellReport) => number | undefined;

/** Returns the reader of the cents of a sound cell. */
function reportedCents(rule: ColumnRule, title: Title, { isUnsigned }: { isUnsigned: boolean }): ReportedCents {
  const read = compileNumberForm(numberFormOf(rule), { largestCents: LARGEST_CENTS, isUnsigned });
  return (cell, report) => {
    if (cell === undefined) return undefined;
    const cents = cell === '' ? EMPTY : read(cell);
    return typeof cents === 'number' ? cents : misfit(cents, title, report);
  };
}

function written(cents: number | undefined, direction: number | undefined): string | undefined {
  return cents === undefined || direction === undefined ? undefined : formatCents(cents * direction);
}
