import type { FaultCode } from '../../../schemas/errors.ts';
import { type ColumnKind, type ColumnName, COLUMNS, columnsOf } from '../../../schemas/layouts.ts';
import type { ColumnRule, Profile, Title } from '../../../schemas/profiles.ts';
import { LARGEST_TOTAL_CENTS } from '../../kernel/money.ts';
import { amountRule, directionOf, numberFormOf } from './amount-rule.ts';
import { compileDateForm, compileExpiryForm, monthOfExpiry, type ReadDate, yearOfExpiry } from './date-form.ts';
import { compileNumberForm } from './number-form.ts';
import {
  careOf,
  type CellCare,
  type CellReport,
  type CheckCell,
  digitsCheck,
  EMPTY,
  misfit,
  needed,
  neverEmpty,
  type PlaceOf,
  type ReadCell,
  shapeCheck,
  soundCell,
  splitCheck,
  usedCell,
} from './used-cell.ts';
import { wordCell } from './words-rule.ts';

export type { CellReport } from './used-cell.ts';

/** Makes the cells of a layout from the cells of a line, and reports what does not fit. */
export type MakeCells = (cells: readonly string[], report: CellReport) => string[];

/**
 * Compiles the rules of the columns, once per file. The made cells are what a person would have typed in the layout,
 * whose own rules judge them afterwards.
 * @param placeOf index of a title in the cells of a line
 * @returns the maker; its cells have the order of the layout, and one that did not fit is empty
 */
export function compileCells(profile: Profile, placeOf: PlaceOf): MakeCells {
  const rules = columnsOf(profile.layout).map((column) =>
    compileRule(column, needed(profile.columns[column], column), placeOf),
  );
  const once = onceEach();
  return (cells, report) => {
    once.start(report);
    return rules.map((make) => make(cells, once.report) ?? '');
  };
}

/** Reports the first fault of each title. A title that feeds two columns would otherwise be reported twice. */
function onceEach() {
  const reported = new Set<Title>();
  let target: CellReport;

  function start(report: CellReport): void {
    if (reported.size > 0) reported.clear();
    target = report;
  }

  function report(...[code, title, detail]: Parameters<CellReport>): void {
    if (reported.has(title)) return;
    reported.add(title);
    target(code, title, detail);
  }

  return { start, report };
}

/**
 * Compiles the number form of the profile's amount, for sums and total rows, up to the largest total. A cell has its
 * own sign, turned where the profile turns all signs; words and second columns play no part.
 */
export function amountReader({
  columns,
}: Profile): (cell: string) => { cents: number } | { code: FaultCode; detail?: string } {
  const rule = needed(columns.amount, 'amount');
  const read = compileNumberForm(numberFormOf(rule), { largestCents: LARGEST_TOTAL_CENTS });
  return (cell) => {
    const sound = soundCell(cell, {});
    if (typeof sound === 'object') return sound;
    const cents = sound === '' ? EMPTY : read(sound);
    return typeof cents === 'number' ? { cents: cents * directionOf(rule) + 0 } : cents;
  };
}

function compileRule(column: ColumnName, rule: ColumnRule, placeOf: PlaceOf): ReadCell {
  const { value } = rule;
  if (value !== undefined) return () => value;
  const { kind } = COLUMNS[column];
  switch (kind) {
    case 'date':
      return writtenRule(compileDateForm(rule.type ? { ...rule, format: CELL_DATE } : rule), rule, placeOf);
    case 'expiry':
      return rule.month === undefined
        ? writtenRule(rule.type ? expiryOfDate : compileExpiryForm(rule), rule, placeOf)
        : expiryOfTwo(rule, placeOf);
    case 'invoice':
    case 'customerCode':
      return codeRule(kind, rule, placeOf);
    case 'cardNumber':
    case 'accountNumber':
      return numberRule(kind, rule, placeOf);
    case 'text':
      return textRule(rule, placeOf);
    case 'amount':
      return amountRule(rule, placeOf);
    case 'mop':
    case 'accountType':
      return wordCell(needed(rule.from, 'from'), Object.entries(needed(rule.words, 'words')), placeOf);
  }
}

/** A date or expiry in one cell. */
function writtenRule(read: ReadDate | undefined, rule: ColumnRule, placeOf: PlaceOf): ReadCell {
  const title = needed(rule.from, 'from');
  return checkedCell(filled(title, placeOf, careOf('date', rule)), title, needed(read, 'format'));
}

/** Date cells of a workbook are written so, with a time behind a blank. */
const CELL_DATE = 'YYYY-MM-DD';

/** Only the first of a month: a spreadsheet that reads 12/27 or 12/31 as a day makes another date of it. */
const expiryOfDate: ReadDate = (cell) => {
  const [, year = '', month = ''] = /^20(\d\d)-(\d\d)-01$/.exec(cell) ?? [];
  return year === '' ? NO_FIRST_DAY : `${month}/${year}`;
};
const NO_FIRST_DAY = { code: 'FORMAT_DIFFERS', detail: 'it is not the first day of a month' } as const;

function expiryOfTwo({ month: monthTitle, year: yearTitle }: ColumnRule, placeOf: PlaceOf): ReadCell {
  const [month, year] = [needed(monthTitle, 'month'), needed(yearTitle, 'year')];
  return joinedCell([
    checkedCell(filled(month, placeOf), month, monthOfExpiry),
    '/',
    checkedCell(filled(year, placeOf), year, yearOfExpiry),
  ]);
}

function filled(title: Title, placeOf: PlaceOf, care: CellCare = {}): ReadCell {
  return neverEmpty(usedCell(title, placeOf, care), title);
}

/** An invoice number or customer code. Two that look alike must not differ. */
function codeRule(kind: 'invoice' | 'customerCode', rule: ColumnRule, placeOf: PlaceOf): ReadCell {
  const title = firstTitle(rule);
  const shaped = checkedCell(sourceCell(kind, rule, placeOf), title, shapeCheck(rule.shape));
  return checkedCell(shaped, title, (code) => (mixesAlphabets(code) ? TWO_ALPHABETS : code));
}

const TWO_ALPHABETS = { code: 'HIDDEN_CHARACTER', detail: 'letters of two alphabets, which can look alike' } as const;

function mixesAlphabets(text: string): boolean {
  return /[^\0-\x7f]/.test(text) && ALPHABETS.filter((alphabet) => alphabet.test(text)).length > 1;
}

const ALPHABETS = [/\p{Script=Latin}/u, /\p{Script=Cyrillic}/u, /\p{Script=Greek}/u];

function numberRule(kind: 'cardNumber' | 'accountNumber', rule: ColumnRule, placeOf: PlaceOf): ReadCell {
  const title = firstTitle(rule);
  const number = checkedCell(sourceCell(kind, rule, placeOf), title, digitsCheck(rule));
  return checkedCell(number, title, shapeCheck(rule.shape));
}

/** A text that the layout does not require: cells, or a part of one. */
function textRule(rule: ColumnRule, placeOf: PlaceOf): ReadCell {
  const read = sourceCell('text', rule, placeOf);
  return rule.split === undefined ? read : checkedCell(read, firstTitle(rule), splitCheck(rule));
}

type FromPart = Extract<NonNullable<ColumnRule['join']>[number], { from: Title }>;

/** Returns the reader of `from` or `join`. Only texts may be empty, where their rule keeps that. */
function sourceCell(kind: ColumnKind, rule: ColumnRule, placeOf: PlaceOf): ReadCell {
  const title = firstTitle(rule);
  const care = careOf(kind, rule);
  const source = rule.join
    ? joinedCell(rule.join.map((part) => ('text' in part ? part.text : partOf(part))))
    : usedCell(title, placeOf, care);
  return kind === 'text' && rule.empty === 'keep' ? source : neverEmpty(source, title);

  /** A name may lack a part. A number without one would be another number. */
  function partOf({ from, digits, check }: FromPart): ReadCell {
    const read = usedCell(from, placeOf, care);
    const filled = kind === 'text' ? read : neverEmpty(read, from);
    if (kind !== 'accountNumber' && kind !== 'cardNumber' && digits === undefined && check === undefined) return filled;
    const count = digits ?? (check === 'aba' ? 9 : undefined);
    return checkedCell(filled, from, digitsCheck({ strip: rule.strip, digits: count, check }));
  }
}

/** Returns the title that faults of the whole column name. */
function firstTitle({ from, join = [] }: ColumnRule): Title {
  return needed(from ?? join.find((part) => 'from' in part)?.from, 'from');
}

/** Returns the reader of a cell that must also pass a check, if it is not empty. */
function checkedCell(read: ReadCell, title: Title, check: CheckCell): ReadCell {
  return (cells, report) => {
    const cell = read(cells, report);
    if (cell === undefined || cell === '') return cell;
    const checked = check(cell);
    return typeof checked === 'string' ? checked : misfit(checked, title, report);
  };
}

/** Joins texts and cells, and reads all of them for their faults. Texts alone are no content. */
function joinedCell(parts: readonly (string | ReadCell)[]): ReadCell {
  return (cells, report) => {
    const pieces = parts.map((part) => (typeof part === 'string' ? part : part(cells, report)));
    if (pieces.includes(undefined)) return undefined;
    const isFilled = pieces.some((piece, index) => piece !== '' && typeof parts[index] !== 'string');
    return isFilled ? pieces.join('').trim() : '';
  };
}
