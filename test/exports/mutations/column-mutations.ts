import type { Chooser, MadePayment } from '../../csv/profile/support/made-payments.ts';
import { DATE_FORMS, EXPIRY_FORMS } from '../../csv/profile/support/made-forms.ts';
import type { Export } from '../made/exports.ts';
import { type SheetRow, truthOf } from '../made/sheet.ts';
import type { Column } from '../systems/columns.ts';
import { hasTotal, type Mutated, type Mutation, never, paymentRows, placeOf, same, withColumn } from './mutation.ts';
import { twoPlaces } from './title-mutations.ts';

/** The data of columns is exchanged or written in another way, under the same titles. */
export const COLUMN_MUTATIONS: readonly Mutation[] = [
  { name: 'two columns are exchanged', mutate: (made, choose) => exchangeColumns(made, choose, paymentRows(made)) },
  {
    name: 'two cells of a row are exchanged',
    mutate: (made, choose) => {
      const rows = paymentRows(made);
      return rows.length === 0 ? undefined : exchangeColumns(made, choose, [choose.from(rows)]);
    },
  },
  { name: 'days and months are swapped', mutate: swapDays },
  {
    name: 'dates in another form',
    mutate: (made, choose) => {
      const place = placeOf(made, ({ holds, rules }) => holds === 'date' && rules);
      if (place === undefined) return undefined;
      // Forms with the same marks are what `swapDays` tries.
      const { form } = made.system.columns[place]!;
      const other = choose.from(DATE_FORMS.filter((one) => marksOf(one.form) !== marksOf(form!)));
      return rewritten(made, place, ({ payment }) => other.write(payment.date));
    },
  },
  {
    name: 'expiries in another form',
    mutate: (made, choose) => {
      const place = placeOf(made, ({ holds }) => holds === 'expiry');
      if (place === undefined) return undefined;
      const other = choose.from(EXPIRY_FORMS.filter(({ form }) => form !== made.system.columns[place]!.form));
      return rewritten(made, place, ({ payment }) => other.write(payment.expiry));
    },
  },
  {
    name: 'months of expiries count from 0',
    mutate: (made, choose) => {
      const place = placeOf(made, ({ holds, form }) => holds === 'expiry' && form === 'MM/YY');
      const change = (cell: string) => cell.replace(/^\d\d/, '00');
      const file = place === undefined ? undefined : withColumn(made, place, choose, change);
      return file && never(file);
    },
  },
];

function marksOf(form: string): string {
  return form.replace(/[MDY]+/g, '').replace(' en', '');
}

type Known = NonNullable<SheetRow['known']>;

function rewritten(made: Export, place: number, write: (known: Known) => string): Mutated {
  const rows = made.sheet.rows.map((row) =>
    row.known && row.cells.length > place ? { ...row, cells: row.cells.with(place, write(row.known)) } : row,
  );
  return same({ ...made.sheet, rows });
}

/** A swapped date can be a day as well. Then the file says that day. */
function swapDays(made: Export): Mutated | undefined {
  const place = placeOf(made, ({ form, rules }) => rules?.('').date && !form!.includes('MMM'));
  if (place === undefined) return undefined;
  const { form } = made.system.columns[place]!;
  const { write } = DATE_FORMS.find((one) => one.form === form)!;
  const rows = made.sheet.rows.map((row) => {
    if (!row.known || row.cells.length <= place) return row;
    const [year, month, day] = row.known.payment.date.split('-') as [string, string, string];
    const date = `${year}-${day}-${month}`;
    const known = Number(day) <= 12 ? { ...row.known, payment: { ...row.known.payment, date } } : row.known;
    return { ...row, known, cells: row.cells.with(place, write(date)) };
  });
  const file = { ...made.sheet, rows };
  return { file, says: [truthOf(file)] };
}

function exchangeColumns(made: Export, choose: Chooser, rows: readonly number[]): Mutated | undefined {
  const { columns } = made.system;
  const places = twoPlaces(columns.length, choose.below);
  const [from, to] = places;
  const [one, other] = [columns[from]!, columns[to]!];
  const changed = new Set(rows);
  const all = made.sheet.rows.map((row, index) => {
    if (!changed.has(index)) return { row, isSaid: true };
    const cells = row.cells.with(from, row.cells[to]!).with(to, row.cells[from]!);
    const payment = exchanged(row, [one, from], [other, to]);
    const known = payment ? { ...row.known!, payment } : row.known!;
    return { row: { ...row, cells, known }, isSaid: payment !== undefined || row.cells[from] === row.cells[to] };
  });
  const file = { ...made.sheet, rows: all.map(({ row }) => row) };
  const isAmount = one.isAmount ?? other.isAmount ?? false;
  const isAdded = made.system.sums && [one, other].some(({ holds }) => holds === 'money');
  const isGuarded = isAmount && (hasTotal(file) || isAdded);
  return all.every(({ isSaid }) => isSaid) && !isGuarded ? { file, says: [truthOf(file)] } : same(file);
}

/** Returns the payment that a row says after the cells of two columns are exchanged; undefined if it says none. */
function exchanged(row: SheetRow, one: [Column, number], other: [Column, number]): MadePayment | undefined {
  const { payment } = row.known!;
  const first = partSaid(row, one[0], other);
  const second = partSaid(row, other[0], one);
  return first && second && { ...payment, ...first, ...second, account: accountSaid(payment, first, second) };
}

/** Returns what a payment is under a column whose cell is that of another one; undefined if the cell says nothing. */
function partSaid(row: SheetRow, column: Column, [other, place]: [Column, number]): Partial<MadePayment> | undefined {
  const cell = row.cells[place]!;
  if (column.isAmount) return centsSaid(row, column, other, cell);
  if (column.part) return accountPart(row.known!.payment, column, cell);
  if (column.names) return namesSaid(column.names, cell);
  if (column.field) return column.hasShape ? undefined : { [column.field]: cell };
  if (column.rules || column.words || column.word || column.signs) return undefined;
  return {};
}

function centsSaid({ known }: SheetRow, column: Column, other: Column, cell: string): { cents: number } | undefined {
  if (other.cents && other.money === column.money) return { cents: other.cents(known!) };
  const isPlain = column.money!.number.whole === 'allow' && /^\d{1,9}$/.test(cell);
  return isPlain ? { cents: Number(cell) * 100 } : undefined;
}

function namesSaid(names: NonNullable<Column['names']>, cell: string): Partial<MadePayment> | undefined {
  if (names === 'first last') return { firstName: cell, lastName: '' };
  const [lastName = '', firstName = '', ...more] = cell.split(', ');
  return firstName === '' || more.length > 0 ? undefined : { lastName, firstName };
}

function accountPart({ account }: MadePayment, { part }: Column, cell: string): { account: string[] } | undefined {
  const [least = 0, most = least] = String(part!.digits).split('..').map(Number);
  const fits = /^\d+$/.test(cell) && cell.length >= least && cell.length <= most;
  return fits ? { account: account.with(part!.place, cell) } : undefined;
}

/** Two parts can be exchanged for each other. */
function accountSaid({ account }: MadePayment, ...changes: readonly Partial<MadePayment>[]): readonly string[] {
  return account.map(
    (part, place) => changes.map((change) => change.account?.[place] ?? part).find((said) => said !== part) ?? part,
  );
}
