import type { ColumnName } from '../../../schemas/columns.ts';
import { sha256Of } from '../../../src/kernel/hash.ts';
import { formatCents } from '../../../src/kernel/money.ts';
import type { Choose } from '../choose.ts';
import { type DraftFile, placeOf, titlesOf } from './draft-file.ts';
import { newCardNumber } from './payment-numbers.ts';

/** One way to make a file other than it should be. Some do no harm. */
export type Damage = {
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
