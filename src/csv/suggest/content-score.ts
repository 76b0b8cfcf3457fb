import { COLUMNS, type ColumnName } from '../../../schemas/layouts.ts';
import { type ColumnEvidence, isBalanceOf } from './kinds-of-columns.ts';

/** How well cells fit a column of the layout. */
export const CONTENT = { proof: 1, strong: 0.9, medium: 0.6, weak: 0.4, poor: 0.1, contradicts: 0 } as const;

/** So many cells with a right check digit are no chance. */
const FEWEST_PROVEN = 5;

/** Says how well the cells of a column fit, by all rows. `others` are all columns of the sample. */
export function contentScore(
  column: ColumnName,
  cells: ColumnEvidence,
  others: readonly ColumnEvidence[],
  today: string,
): number {
  if (cells.filled.length === 0) return COLUMNS[column].required ? CONTENT.contradicts : CONTENT.poor;
  switch (COLUMNS[column].kind) {
    case 'date':
      return cells.dateForms.length === 0 ? CONTENT.contradicts : isPlainDigits(cells) ? CONTENT.weak : CONTENT.strong;
    case 'expiry':
      return isExpiry(cells, today) ? CONTENT.strong : CONTENT.contradicts;
    case 'amount':
      return amountScore(cells, others);
    case 'cardNumber':
      if (!cells.isCard) return CONTENT.contradicts;
      return cells.filled.length >= FEWEST_PROVEN ? CONTENT.proof : CONTENT.medium;
    case 'accountNumber':
      return accountScore(cells);
    case 'mop':
      return cells.isMop ? CONTENT.strong : wordScore(cells);
    case 'accountType':
      return cells.isAccountType ? CONTENT.strong : wordScore(cells);
    case 'invoice':
      return codeScore(cells) * (cells.isUnique && cells.empty === 0 ? 1 : 0.5);
    case 'customerCode':
      return Math.min(CONTENT.weak, codeScore(cells));
    case 'text':
      return textScore(column, cells);
  }
}

function isPlainDigits({ digits }: ColumnEvidence): boolean {
  return digits !== undefined;
}

function wordScore({ words }: ColumnEvidence): number {
  return words.size > 0 ? CONTENT.poor : CONTENT.contradicts;
}

function amountScore(cells: ColumnEvidence, others: readonly ColumnEvidence[]): number {
  if (cells.numberForms.length === 0 || cells.isCard || cells.isRouting || isOnlyDate(cells))
    return CONTENT.contradicts;
  if (!cells.isMoney) return cells.isUnique ? CONTENT.poor : CONTENT.weak;
  return others.some((other) => other.isMoney && isBalanceOf(cells, other)) ? CONTENT.poor : CONTENT.strong;
}

/** `06.15` may be an amount; `06/15/2026` is none, and digits alone may be either. */
function isOnlyDate({ dateForms, digits }: ColumnEvidence): boolean {
  return dateForms.length > 0 && digits === undefined;
}

/** Cards expire within ten years; a few have expired. */
function isExpiry({ expiryForms, filled }: ColumnEvidence, today: string): boolean {
  const [years, year] = [
    filled.map((cell) => /(?:20)?\d\d$|^20\d\d/.exec(cell)?.[0]?.slice(-2)),
    Number(today.slice(2, 4)),
  ];
  if (expiryForms.length === 0) return false;
  const isNear = (text: string | undefined) =>
    text !== undefined && Number(text) >= year - 2 && Number(text) <= year + 20;
  const isDigits = filled.every((cell) => /^\d+$/.test(cell));
  return isDigits || years.filter(isNear).length * 2 >= filled.length;
}

function accountScore({ digits, isRouting, isCard, filled, dateForms, isUnique }: ColumnEvidence): number {
  if (!digits || digits.least < 4 || isRouting || digits.most > 30) return CONTENT.contradicts;
  if (isCard && filled.length >= FEWEST_PROVEN) return CONTENT.poor;
  if (dateForms.length > 0 || digits.most < 5) return CONTENT.poor;
  return isUnique ? CONTENT.medium : CONTENT.weak;
}

/** Numbers and codes that name an invoice or a customer. */
function codeScore(cells: ColumnEvidence): number {
  const { isCard, filled, isMoney } = cells;
  if ((isCard && filled.length >= FEWEST_PROVEN) || isMoney || isOnlyDate(cells)) return CONTENT.contradicts;
  return filled.some((cell) => cell.length > LONGEST_CODE) ? CONTENT.poor : CONTENT.medium;
}

const LONGEST_CODE = 25;

function textScore(column: ColumnName, cells: ColumnEvidence): number {
  if (cells.isCard || cells.isMoney || isOnlyDate(cells)) return CONTENT.contradicts;
  if (column === 'state' && cells.isState) return CONTENT.strong;
  if (column === 'zipCode') return cells.isZip ? CONTENT.medium : CONTENT.poor;
  if (column === 'street') return cells.letters > 0.5 ? CONTENT.weak : CONTENT.poor;
  return cells.letters > 0.5 || column === 'comment' ? CONTENT.weak : CONTENT.poor;
}
