import type { Chooser } from '../../csv/profile/support/made-payments.ts';
import type { Export } from '../made/exports.ts';
import { type Sheet, type SheetRow, truthOf, writeLine } from '../made/sheet.ts';
import { withoutRow } from './amount-mutations.ts';
import { hasTotal, type Mutated, type Mutation, never, paymentRows, placeOf, same, withCell } from './mutation.ts';

const withTotal =
  (change: (made: Export, total: number, choose: Chooser) => Mutated): Mutation['mutate'] =>
  (made, choose) => {
    const total = made.sheet.rows.findIndex(({ kind }) => kind === 'total');
    return total < 0 ? undefined : change(made, total, choose);
  };

const withPayment =
  (change: (made: Export, index: number, choose: Chooser) => Mutated | undefined): Mutation['mutate'] =>
  (made, choose) => {
    const rows = paymentRows(made);
    return rows.length === 0 ? undefined : change(made, choose.from(rows), choose);
  };

/** Rows and totals go, come, or stand elsewhere. */
export const ROW_MUTATIONS: readonly Mutation[] = [
  {
    name: 'a total is off by a cent',
    mutate: withTotal(({ sheet }, total) =>
      never(
        withLastDigit(
          sheet,
          total,
          sheet.rows[total]!.cells.findLastIndex((cell) => /\d/.test(cell)),
        ),
      ),
    ),
  },
  {
    name: 'the total is missing',
    mutate: withTotal(({ sheet, system }, total) => {
      const file = { ...sheet, rows: sheet.rows.toSpliced(total, 1) };
      return system.total!.must === 'once' ? never(file) : same(file);
    }),
  },
  {
    name: 'the total stands twice',
    mutate: withTotal(({ sheet }, total) => never(inserted(sheet, total, sheet.rows[total]!))),
  },
  {
    name: 'the total stands further up',
    mutate: withTotal(({ sheet, system }, total, choose) => {
      const rest = sheet.rows.toSpliced(total, 1);
      const place = choose.below(total);
      const file = { ...sheet, rows: rest.toSpliced(place, 0, sheet.rows[total]!) };
      return system.total!.must === 'once' && rest.slice(place).some(({ kind }) => kind === 'payment')
        ? never(file)
        : same(file);
    }),
  },
  {
    name: 'the total has another label',
    mutate: withTotal(({ sheet }, total, choose) =>
      never(withCell(sheet, total, 0, () => choose.from(['Sum', 'Subtotal', '', 'TOTALS']))),
    ),
  },
  {
    name: 'a total that no profile knows',
    mutate: ({ sheet, system }) => {
      const cells = system.columns.map(({ isAmount, money }) => (isAmount ? money!.write(1_234_567) : ''));
      return never({
        ...sheet,
        rows: [...sheet.rows, { kind: 'tail', cells: cells.with(0, cells[0] === '' ? 'Overall' : cells[0]!) }],
      });
    },
  },
  {
    name: 'a row goes',
    mutate: withPayment((made, index) => {
      const file = { ...made.sheet, rows: made.sheet.rows.toSpliced(index, 1) };
      // Sums tell nothing of a row that is not there.
      return hasTotal(made.sheet) ? never(file) : { file, says: [truthOf(file)] };
    }),
  },
  {
    name: 'a row stands twice',
    mutate: withPayment(({ sheet }, index, choose) =>
      never(inserted(sheet, choose.below(index + 1), sheet.rows[index]!)),
    ),
  },
  {
    name: 'a row stands twice, with blanks and zeros in its invoice',
    mutate: withPayment((made, index, choose) => {
      const place = placeOf(made, ({ field }) => field === 'invoice')!;
      const again = withCell(made.sheet, index, place, (cell) => choose.from([` ${cell}`, `${cell}\u00a0`])).rows[
        index
      ]!;
      return never(inserted(made.sheet, index, again));
    }),
  },
  {
    name: 'the rows stand in another order',
    mutate: ({ sheet, system }, choose) => {
      if (system.subtotals) return undefined;
      const known = sheet.rows.filter((row) => row.known);
      return same({ ...sheet, rows: [...choose.shuffled(known), ...sheet.rows.filter((row) => !row.known)] });
    },
  },
  {
    name: 'blank rows',
    mutate: ({ sheet, system }, choose) => {
      const cells = choose.from([[''], system.columns.map(() => ''), system.columns.map(() => ' ')]);
      return same(inserted(sheet, choose.below(sheet.rows.length + 1), { kind: 'blank', cells }));
    },
  },
  {
    name: 'a payment behind the total',
    mutate: withPayment((made, index) => {
      const row = made.sheet.rows[index]!;
      const file = { ...made.sheet, rows: [...made.sheet.rows.toSpliced(index, 1), row] };
      return made.system.total?.must === 'once' && hasTotal(made.sheet) ? never(file) : same(file);
    }),
  },
  {
    name: 'the rows come twice',
    mutate: ({ sheet }) =>
      truthOf(sheet).length > 0 ? never({ ...sheet, rows: [...sheet.rows, ...sheet.rows] }) : undefined,
  },
  { name: 'the end is cut off', mutate: cutOff },
  {
    name: 'cells behind are lost',
    mutate: withPayment(({ sheet, system }, index, choose) => {
      const row = sheet.rows[index]!;
      const cells = row.cells.slice(0, 1 + choose.below(system.columns.length - 1));
      return never({ ...sheet, rows: sheet.rows.with(index, { ...row, cells }) });
    }),
  },
  {
    name: 'a separator within a cell',
    mutate: withPayment(({ sheet, system }, index, choose) => {
      const row = sheet.rows[index]!;
      const place = choose.below(system.columns.length);
      const cells = row.cells.with(place, `${row.cells[place]!}${sheet.form.separator}${choose.from(['', 'x', '1'])}`);
      return never({ ...sheet, rows: sheet.rows.with(index, { ...row, raw: cells.join(sheet.form.separator) }) });
    }),
  },
  {
    name: 'a line end within a cell',
    mutate: withPayment(({ sheet }, index, choose) => {
      // Before the first cell and behind the last one it only makes a blank row.
      const place = 1 + choose.below(sheet.rows[index]!.cells.length - 2);
      return never(withCell(sheet, index, place, (cell) => `${cell}${sheet.form.end}`));
    }),
  },
  {
    name: 'a status changes',
    mutate: withPayment((made, index, choose) => {
      const place = placeOf(made, ({ words }) => words);
      if (place === undefined) return undefined;
      const { words } = made.system.columns[place]!;
      const word = choose.from([words!.skip[0]!, 'Scheduled', '']);
      const file = withCell(made.sheet, index, place, () => word);
      return word === words!.skip[0] ? withoutRow(made, file, index) : never(file);
    }),
  },
  {
    name: 'a payment is called a total or a subtotal',
    mutate: withPayment((made, index) => {
      const label = made.system.subtotals ? 'Total for 1' : made.system.total?.label;
      if (label === undefined) return undefined;
      const file = withCell(made.sheet, index, 0, () => label);
      // The first column of the one with subtotals is not sent, and a subtotal has no invoice.
      return made.system.subtotals ? same(file) : never(file);
    }),
  },
];

function inserted(sheet: Sheet, place: number, row: SheetRow): Sheet {
  return { ...sheet, rows: sheet.rows.toSpliced(place, 0, row) };
}

function withLastDigit(sheet: Sheet, index: number, place: number): Sheet {
  return withCell(sheet, index, place, (cell) =>
    cell.replace(/\d(?=\D*$)/, (digit) => String((Number(digit) + 1) % 10)),
  );
}

/** The file ends within a row. What stands before is what it says, unless a total must follow. */
function cutOff({ sheet, system }: Export, choose: Chooser): Mutated | undefined {
  const index = choose.below(sheet.rows.length);
  const row = sheet.rows[index]!;
  const line = row.raw ?? writeLine(row.cells, sheet.form);
  const kept = Math.max(0, line.length - choose.from([0, choose.below(8), choose.below(line.length + 1)]));
  const part: SheetRow = { kind: 'blank', cells: [], raw: line.slice(0, kept) };
  const before = sheet.rows.slice(0, index);
  const form = { ...sheet.form, endsOpen: kept < line.length || choose.chance(0.5) };
  const file = { ...sheet, form, rows: [...before, part] };
  if (system.total?.must === 'once' && row.kind !== 'tail') return kept === line.length ? same(file) : never(file);
  const says = [before, [...before, row], [...before, withCutText(row, system, line.slice(0, kept))]];
  return { file, says: says.map((rows) => truthOf({ ...sheet, rows })) };
}

/** A text in the last cell may lose its end. */
function withCutText(row: SheetRow, { columns }: Export['system'], line: string): SheetRow {
  const { field } = columns.at(-1)!;
  if (field === undefined || field === 'invoice' || !row.known) return row;
  const text = /[^,;|\t]*$/.exec(line)![0];
  return { ...row, known: { ...row.known, payment: { ...row.known.payment, [field]: text } } };
}
