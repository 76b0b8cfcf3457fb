import { COLUMNS, type ColumnName } from '../../../schemas/columns.ts';
import { columnsOf, LAYOUTS, type LayoutName } from '../../../schemas/layouts.ts';
import { FOLDER_OPERATIONS, type FolderOperation } from '../../../schemas/operations.ts';
import { acceptsMop, SERVER_MOPS } from '../../../schemas/restrictions.ts';
import type { Account } from '../../../src/config/config.ts';
import { formatCents } from '../../../src/kernel/money.ts';
import type { Choose } from '../choose.ts';
import { newAccountNumber, newCardNumber } from './payment-numbers.ts';

/** A payment file in the making: rows of cells, and how to write them down. */
export type DraftFile = {
  readonly layout: LayoutName;
  readonly operation: FolderOperation;
  rows: string[][];
  titles: string[] | undefined;
  lineEnd: string;
  /** Text put before the rows, such as a byte order mark; `after` goes behind them. */
  before: string;
  after: string;
  /** Changes to the whole text; `encode` then turns it into bytes. */
  onText: ((text: string) => string)[];
  encode: (text: string) => Buffer;
  /** Content of the control file; undefined writes none. */
  control: ((bytes: Buffer, rows: readonly string[][]) => string) | undefined;
  /** What was done to it, in words. */
  readonly marks: string[];
};

/** Makes a file without a fault, in any layout that this account and operation have. */
export function draftFile(choose: Choose, account: Account, operation: FolderOperation, mark: string): DraftFile {
  const layout = choose.one(layoutsFor(account, operation));
  const rowCount = choose.happens(0.1) ? choose.between(10, 25) : choose.between(1, 9);
  return {
    layout,
    operation,
    rows: Array.from({ length: rowCount }, (_, n) => newRow(choose, account, operation, layout, `${mark}x${n + 1}`)),
    titles: choose.happens(0.3) ? titlesOf(layout) : undefined,
    lineEnd: choose.one(['\n', '\n', '\r\n', '\r']),
    before: '',
    after: '',
    onText: [],
    encode: (text) => Buffer.from(text),
    control: undefined,
    marks: [],
  };
}

export function writeDraft(draft: DraftFile): { bytes: Buffer; control: string | undefined } {
  const lines = [...(draft.titles ? [draft.titles] : []), ...draft.rows].map((cells) => cells.join(','));
  const text = draft.before + lines.map((line) => line + draft.lineEnd).join('') + draft.after;
  const bytes = draft.encode(draft.onText.reduce((changed, change) => change(changed), text));
  return { bytes, control: draft.control?.(bytes, draft.rows) };
}

/** Returns the place of the first of these columns in the rows of a draft, or -1 when its layout has none. */
export function placeOf(draft: DraftFile, ...columns: ColumnName[]): number {
  return columnsOf(draft.layout).findIndex((column) => columns.includes(column));
}

export function titlesOf(layout: LayoutName): string[] {
  return columnsOf(layout).map((column) => COLUMNS[column].title);
}

function layoutsFor(account: Account, operation: FolderOperation): LayoutName[] {
  const names = Object.keys(LAYOUTS) as LayoutName[];
  return names.filter((name) => {
    const row = LAYOUTS[name] as { operations: readonly string[]; countries?: readonly string[] };
    return row.operations.includes(operation) && (row.countries?.includes(account.country) ?? true);
  });
}

function newRow(
  choose: Choose,
  account: Account,
  operation: FolderOperation,
  layout: LayoutName,
  invoice: string,
): string[] {
  const mops = SERVER_MOPS[account.server].filter((name) => acceptsMop(account.server, account.currency, name));
  const mop = choose.one(mops);
  const cells: Record<ColumnName, () => string> = {
    date: () => '06/15/2026',
    invoice: () => invoice,
    firstName: () => choose.one(['Ada', 'Grace', 'Zoë', 'Jean-Luc']),
    lastName: () => choose.one(['Byron', 'Hopper', 'O’Neill', 'Müller']),
    fullName: () => choose.one(['Ada Byron', 'Grace Hopper']),
    street: () => `${choose.between(1, 99)} Mill Lane`,
    city: () => 'Troy',
    state: () => 'NY',
    zipCode: () => '12180',
    amount: () => formatCents(FOLDER_OPERATIONS[operation].sign * newCents(choose)),
    mop: () => mop,
    cardNumber: () => newCardNumber(choose, mop),
    expiry: () => choose.one(['12/35', '1135']),
    accountType: () => choose.one(['CHECKING', 'SAVING']),
    accountNumber: () => newAccountNumber(choose),
    // The service does not know codes that begin with X.
    customerCode: () => `${choose.happens(0.1) ? 'X' : 'A'}${choose.digits(8)}`,
    comment: () => choose.one(['', 'June dues', '=1+1', 'for the roof']),
  };
  return columnsOf(layout).map((column) => cells[column]());
}

/** Returns an amount in cents. Some are too large for the service's test account and are declined. */
function newCents(choose: Choose): number {
  if (choose.happens(0.1)) return choose.between(200_001, 900_000);
  return choose.between(1, 200_000);
}
