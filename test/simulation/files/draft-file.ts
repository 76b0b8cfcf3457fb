import { type ColumnName, COLUMNS, columnsOf, type LayoutName, LAYOUTS } from '../../../schemas/layouts.ts';
import { FOLDER_OPERATIONS, type FolderOperation } from '../../../schemas/operations.ts';
import { acceptsMop, SERVER_MOPS } from '../../../schemas/restrictions.ts';
import type { Account } from '../../../src/config/config.ts';
import { formatCents } from '../../../src/kernel/money.ts';
import { passesLuhn } from '../../../src/kernel/luhn.ts';
import { sha256Of } from '../../../src/kernel/hash.ts';
import type { Choose } from '../choose.ts';

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

function titlesOf(layout: LayoutName): string[] {
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

/** Prefix and length of card numbers, by method of payment. */
const CARDS: Readonly<Record<string, { start: string; length: number }>> = {
  VISA: { start: '4', length: 16 },
  MC: { start: '54', length: 16 },
  AMX: { start: '37', length: 15 },
  DSC: { start: '6011', length: 16 },
  MAESTR: { start: '6759', length: 16 },
};

/** Makes a random number with the right check digit: no real card, but the form of one. */
function newCardNumber(choose: Choose, mop: string): string {
  const { start, length } = CARDS[mop]!;
  const body = start + choose.digits(length - start.length - 1);
  const check = Array.from({ length: 10 }, (_, digit) => String(digit)).find((digit) => passesLuhn(body + digit));
  return body + check!;
}

/** Makes a routing number with a right check digit and an account, 26 digits in all; seldom a short number. */
function newAccountNumber(choose: Choose): string {
  return choose.happens(0.1) ? `8${choose.digits(choose.between(3, 7))}` : `021000021${choose.digits(17)}`;
}

/** Returns whether a number is long enough to search for; a shorter one may occur by chance. */
export function isTelling(number: string): boolean {
  return number.length >= 12;
}

/** One way to make a file other than it should be. Some do no harm. */
type Damage = {
  readonly name: string;
  readonly weight: number;
  readonly spoil: (draft: DraftFile, choose: Choose) => void;
};

export const DAMAGES: readonly Damage[] = [
  damage('titles', 3, (draft) => void (draft.titles = titlesOf(draft.layout))),
  damage('a byte order mark', 2, (draft) => void (draft.before = '\ufeff')),
  damage('UTF-16', 1, (draft) => {
    draft.before = '\ufeff';
    draft.encode = (text) => Buffer.from(text, 'utf16le');
  }),
  damage('bytes of Latin-1', 1, (draft, choose) => {
    onCell(draft, choose, ['lastName', 'fullName', 'comment'], () => 'Jänner');
    draft.encode = (text) => Buffer.from(text, 'latin1');
  }),
  damage('blank lines', 2, (draft) => void draft.onText.push((text) => `\n${text}\n\n`)),
  damage('a Ctrl-Z at the end', 1, (draft) => void (draft.after = '\x1a')),
  damage(
    'mixed line ends',
    1,
    (draft) => void draft.onText.push((text) => text.replace(/\r\n|\r|\n/, '\r\n').replace(/[\r\n]+$/, '\n')),
  ),
  damage('no line end at the end', 2, (draft) => void draft.onText.push((text) => text.replace(/[\r\n]+$/, ''))),
  damage('a cut end', 2, (draft, choose) => {
    draft.onText.push((text) => text.slice(0, Math.max(1, text.length - choose.between(1, 30))));
  }),
  damage('no bytes', 1, (draft) => void (draft.encode = () => Buffer.alloc(0))),
  damage('nothing but NULs', 1, (draft) => void (draft.encode = (text) => Buffer.alloc(text.length))),
  damage('random bytes', 1, (draft, choose) => void (draft.encode = () => choose.bytes(200))),
  damage('a byte turned over', 3, (draft, choose) => {
    const encode = draft.encode;
    draft.encode = (text) => {
      const bytes = Buffer.from(encode(text));
      if (bytes.length > 0) bytes[choose.below(bytes.length)]! ^= 1 << choose.below(8);
      return bytes;
    };
  }),
  damage('a column too many', 2, (draft, choose) => void choose.one(draft.rows).push('more')),
  damage('a column too few', 2, (draft, choose) => void choose.one(draft.rows).pop()),
  damage('a column of security codes', 1, (draft, choose) => {
    for (const row of draft.rows) row.push(choose.digits(3));
    if (draft.titles) draft.titles.push('CVV2');
  }),
  damage('rows of another layout', 1, (draft) => {
    draft.rows.push(['Z1', 'A10000001', '25.00', 'June dues'], ['Z2', 'A10000002', '25.00', 'June dues']);
  }),
  damage('a stray quote', 2, (draft, choose) =>
    onCell(draft, choose, ['comment', 'street', 'fullName'], () => '12" June'),
  ),
  damage('a quote that is never closed', 1, (draft, choose) =>
    onCell(draft, choose, ['comment', 'city', 'fullName'], () => '"June'),
  ),
  damage('a quoted comma', 2, (draft, choose) =>
    onCell(draft, choose, ['comment', 'street', 'fullName'], () => '"June, dues"'),
  ),
  damage('a line break in quotes', 1, (draft, choose) =>
    onCell(draft, choose, ['comment', 'street', 'fullName'], () => '"June\ndues"'),
  ),
  damage('a NUL in a cell', 1, (draft, choose) =>
    onCell(draft, choose, ['comment', 'city', 'fullName'], () => 'Ju\0ne'),
  ),
  damage('a card number in free text', 2, (draft, choose) =>
    onCell(draft, choose, ['comment', 'street', 'fullName'], () => `card ${newCardNumber(choose, 'VISA')}`),
  ),
  damage('a number in powers of ten', 1, (draft, choose) =>
    onCell(draft, choose, ['cardNumber', 'accountNumber'], () => '4.11E+15'),
  ),
  damage('a formula for a number', 1, (draft, choose) =>
    onCell(draft, choose, ['cardNumber', 'accountNumber', 'amount'], (cell) => `="${cell}"`),
  ),
  damage('a wrong check digit', 2, (draft, choose) =>
    onCell(draft, choose, ['cardNumber'], (cell) => cell.slice(0, -1) + ((Number(cell.at(-1)) + 1) % 10)),
  ),
  damage('a month for an invoice', 1, (draft, choose) => onCell(draft, choose, ['invoice'], () => 'Dec-17')),
  damage('an empty field', 2, (draft, choose) => onCell(draft, choose, ['invoice', 'amount'], () => '')),
  damage('an amount with a currency sign', 2, (draft, choose) =>
    onCell(draft, choose, ['amount'], (cell) => `$${cell}`),
  ),
  damage('an amount of zero', 1, (draft, choose) => onCell(draft, choose, ['amount'], () => '0.00')),
  damage('an amount beyond measure', 1, (draft, choose) =>
    onCell(draft, choose, ['amount'], () => '99999999999999.99'),
  ),
  damage('an amount of three decimals', 1, (draft, choose) => onCell(draft, choose, ['amount'], () => '1.005')),
  damage('an amount of the other sign', 2, (draft, choose) => onCell(draft, choose, ['amount'], turnSign)),
  damage('all amounts of the other sign', 1, (draft) => {
    const at = placeOf(draft, 'amount');
    for (const row of draft.rows) row[at] = turnSign(row[at] ?? '');
  }),
  damage('an expired card', 1, (draft, choose) => onCell(draft, choose, ['expiry'], () => '01/20')),
  damage('a card that declines by amount', 2, (draft, choose) => {
    const at = placeOf(draft, 'mop');
    if (at < 0) return;
    for (const row of draft.rows) [row[at], row[at + 1]] = ['VISA', '4111111111111111'];
    onCell(draft, choose, ['amount'], () => choose.one(['1.00', '2.00', '15.00', '16.00']));
  }),
  damage('a row twice', 2, (draft, choose) => void draft.rows.push([...choose.one(draft.rows)])),
  damage('the same invoice with another amount', 1, (draft, choose) => {
    const again = [...choose.one(draft.rows)];
    const at = placeOf(draft, 'amount');
    // An earlier damage may have removed the cell.
    again[at] = (again[at] ?? '').replace(/\d/, '7');
    draft.rows.push(again);
  }),
  damage('many bad rows', 1, (draft) => draft.rows.forEach((row) => void (row[placeOf(draft, 'amount')] = 'free'))),
  damage(
    'blanks around cells',
    1,
    (draft) => void (draft.rows = draft.rows.map((row) => row.map((cell) => ` ${cell} `))),
  ),
  damage('a right control file', 4, (draft) => void (draft.control = rightControl)),
  damage('a control file of other rows', 2, (draft) => void (draft.control = (_, rows) => `rows=${rows.length + 1}\n`)),
  damage('a control file of another total', 2, (draft) => {
    draft.control = (_, rows) => {
      const cents = totalOf(draft, rows) + 1;
      // A damaged amount may exceed what can be written; any total is wrong then.
      return `total=${formatCents(Number.isSafeInteger(cents) ? cents : 1)}\n`;
    };
  }),
  damage('a control file of other bytes', 1, (draft) => void (draft.control = () => `sha256=${sha256Of('other')}\n`)),
  damage('a control file that cannot be read', 1, (draft) => void (draft.control = () => 'four payments\n')),
];

function damage(name: string, weight: number, spoil: Damage['spoil']): Damage {
  return { name, weight, spoil };
}

/** Changes one cell of one row, in the layout's first column among these. Does nothing when it has none. */
function onCell(draft: DraftFile, choose: Choose, columns: ColumnName[], change: (cell: string) => string): void {
  const at = placeOf(draft, ...columns);
  const row = choose.one(draft.rows);
  if (at >= 0) row[at] = change(row[at] ?? '');
}

function turnSign(amount: string): string {
  return amount.startsWith('-') ? amount.slice(1) : `-${amount}`;
}

/** Sums plain amounts only. With others the control file is wrong, which is a damage too. */
function totalOf(draft: DraftFile, rows: readonly string[][]): number {
  const at = placeOf(draft, 'amount');
  return rows.reduce((sum, row) => sum + Math.round(Number(row[at] ?? 0) * 100 || 0), 0);
}

function rightControl(this: void, bytes: Buffer): string {
  return `sha256=${sha256Of(bytes)}\n`;
}
