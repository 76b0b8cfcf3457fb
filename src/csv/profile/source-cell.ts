import type { ColumnKind } from '../../../schemas/layouts.ts';
import type { ColumnRule, Title } from '../../../schemas/profiles.ts';
import { type CheckCell, digitsCheck } from './cell-checks.ts';
import { careOf, misfit, needed, neverEmpty, type PlaceOf, type ReadCell, usedCell } from './used-cell.ts';

type FromPart = Extract<NonNullable<ColumnRule['join']>[number], { from: Title }>;

/** Returns the reader of `from` or `join`. Only texts may be empty, where their rule keeps that. */
export function sourceCell(kind: ColumnKind, rule: ColumnRule, placeOf: PlaceOf): ReadCell {
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
export function firstTitle({ from, join = [] }: ColumnRule): Title {
  return needed(from ?? join.find((part) => 'from' in part)?.from, 'from');
}

/** Returns the reader of a cell that must also pass a check, if it is not empty. */
export function checkedCell(read: ReadCell, title: Title, check: CheckCell): ReadCell {
  return (cells, report) => {
    const cell = read(cells, report);
    if (cell === undefined || cell === '') return cell;
    const checked = check(cell);
    return typeof checked === 'string' ? checked : misfit(checked, title, report);
  };
}

/** Joins texts and cells, and reads all of them for their faults. Texts alone are no content. */
export function joinedCell(parts: readonly (string | ReadCell)[]): ReadCell {
  return (cells, report) => {
    const pieces = parts.map((part) => (typeof part === 'string' ? part : part(cells, report)));
    if (pieces.includes(undefined)) return undefined;
    const isFilled = pieces.some((piece, index) => piece !== '' && typeof parts[index] !== 'string');
    return isFilled ? pieces.join('').trim() : '';
  };
}
