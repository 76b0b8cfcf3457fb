import { type ColumnKind, type ColumnName, COLUMNS } from '../../../schemas/columns.ts';
import { columnsOf, type LayoutName, layoutOf } from '../../../schemas/layouts.ts';
import type { FolderOperation } from '../../../schemas/operations.ts';
import { parseAmount } from '../../kernel/money.ts';
import { holdsCardNumber, maskText } from '../../kernel/mask.ts';
import { maskNumber, shownEnd } from './mask-number.ts';

/** A batch row by column name. Columns that its layout lacks are empty. */
export type BatchRow = {
  /** Undefined when no layout of the operation has that many columns. */
  readonly layout: LayoutName | undefined;
  readonly cells: Readonly<Partial<Record<ColumnName, string>>>;
  readonly invoice: string;
  readonly customerCode: string;
  /** Card or account number. Lives only while its batch is judged. */
  readonly number: string;
  /** Integer cents; undefined when the amount is not a plain decimal. */
  readonly amountCents: number | undefined;
  /** The row as sent, with its number masked. */
  readonly maskedCells: readonly string[];
  readonly shownInvoice: string;
  readonly shownCustomerCode: string;
  readonly lastFour: string;
};

/** Reads a row by the operation's only layout with that many columns. */
export function readRow(kind: FolderOperation, texts: readonly string[]): BatchRow {
  const layout = layoutOf(kind, texts.length);
  const columns = layout ? columnsOf(layout) : [];
  const cells: Partial<Record<ColumnName, string>> = {};
  for (const [index, column] of columns.entries()) cells[column] = texts[index] ?? '';
  const number = cells.cardNumber ?? cells.accountNumber ?? '';
  const amount = parseAmount(cells.amount ?? '');
  return {
    layout,
    cells,
    invoice: cells.invoice ?? '',
    customerCode: cells.customerCode ?? '',
    number,
    amountCents: typeof amount === 'number' ? amount : undefined,
    maskedCells: texts.map((text, index) => (holdsNumber(columns[index]) ? maskNumber(text) : text)),
    shownInvoice: hideCardNumber(cells.invoice ?? ''),
    shownCustomerCode: hideCardNumber(cells.customerCode ?? ''),
    lastFour: shownEnd(number),
  };
}

const NUMBER_KINDS: readonly ColumnKind[] = ['cardNumber', 'accountNumber'];

function holdsNumber(column: ColumnName | undefined): boolean {
  return column !== undefined && NUMBER_KINDS.includes(COLUMNS[column].kind);
}

/** Masks card numbers; a file with its columns in the wrong order would otherwise carry them into the books. */
export function hideCardNumber(text: string): string {
  return holdsCardNumber(text) ? maskText(text) : text;
}
