import type { Column } from '../systems/columns.ts';
import type { System } from '../systems/system.ts';
import type { Sheet } from './sheet.ts';
import { amountOf, credits, formed, hasStatus, type Variant } from './variant.ts';

const holds = (kind: Column['holds']) => (system: System) => system.columns.some((column) => column.holds === kind);
const formOf = (system: System) => system.columns[amountOf(system)]!.money!.number;

/** Files that wait for a person. */
export const HELD: readonly Variant[] = [
  {
    name: 'no line end behind a number',
    verdict: 'hold',
    code: 'NO_FINAL_NEWLINE',
    fits: ({ total, columns }) => total === undefined && columns.at(-1)!.holds === 'bank',
    change: (sheet) => formed(sheet, { endsOpen: true }),
  },
  {
    name: 'a credit among charges',
    verdict: 'hold',
    code: 'WRONG_SIGN',
    fits: ({ otherSign, total }) => otherSign !== 'skip' && total === undefined,
    rows: credits,
  },
  {
    name: 'one amount with the marks of another country',
    verdict: 'hold',
    code: 'NUMBER_FORMAT',
    fits: (system) => formOf(system).unit === 'money',
    change: (sheet, system) =>
      withAmount(sheet, system, (cell) => cell.replace(/[.,]/g, (mark) => (mark === '.' ? ',' : '.'))),
  },
  {
    name: 'one amount without decimals',
    verdict: 'hold',
    code: 'NUMBER_FORMAT',
    fits: (system) => formOf(system).whole === 'refuse' && formOf(system).unit === 'money',
    change: (sheet, system) => withAmount(sheet, system, (cell) => cell.replace(/[.,]\d\d(?=\D*$)/, '')),
  },
  {
    name: 'one amount of cents with a point',
    verdict: 'hold',
    code: 'NUMBER_FORMAT',
    fits: (system) => formOf(system).unit === 'cents',
    change: (sheet, system) => withAmount(sheet, system, (cell) => `${cell.slice(1, -2)}.${cell.slice(-2)}`),
  },
  {
    name: 'a total that is off by a cent',
    verdict: 'hold',
    code: 'TOTAL_DIFFERS',
    fits: ({ total }) => total !== undefined,
    change: (sheet) => ({
      ...sheet,
      rows: sheet.rows.map((row) => (row.kind === 'total' ? { ...row, cells: row.cells.map(offByOne) } : row)),
    }),
  },
  {
    name: 'no total',
    verdict: 'hold',
    code: 'TOTAL_MISSING',
    fits: ({ total, tail }) => total?.must === 'once' && tail === undefined,
    change: (sheet) => ({ ...sheet, rows: sheet.rows.filter(({ kind }) => kind !== 'total') }),
  },
  {
    name: 'one invoice in two rows',
    verdict: 'hold',
    code: 'INVOICE_REPEATED',
    change: (sheet) => ({ ...sheet, rows: [sheet.rows[0]!, ...sheet.rows] }),
  },
  {
    name: 'a status that is not listed',
    verdict: 'hold',
    code: 'WORD_UNLISTED',
    fits: hasStatus,
    change: (sheet, { columns }) =>
      withCell(
        sheet,
        columns.findIndex(({ words }) => words),
        () => 'Scheduled',
      ),
  },
  {
    name: 'one row of another currency or kind',
    verdict: 'hold',
    code: 'CELL_WORD',
    fits: holds('currency'),
    change: (sheet, { columns }) =>
      withCell(
        sheet,
        columns.findIndex(({ word }) => word),
        () => 'JPY',
      ),
  },
  {
    name: 'parts that do not add up',
    verdict: 'hold',
    code: 'SUM_DIFFERS',
    fits: ({ sums }) => sums !== undefined,
    change: (sheet, { columns, sums }) =>
      withCell(
        sheet,
        columns.findIndex(({ title }) => title === sums!.equals),
        offByOne,
      ),
  },
  {
    name: 'a card number that a spreadsheet has damaged',
    verdict: 'hold',
    code: 'SPREADSHEET_DAMAGE',
    fits: holds('card'),
    change: (sheet, { columns }) =>
      withCell(
        sheet,
        columns.findIndex(({ holds: kind }) => kind === 'card'),
        () => '4.22222E+15',
      ),
  },
  {
    name: 'a card that is not listed',
    verdict: 'hold',
    code: 'WORD_UNLISTED',
    fits: holds('mop'),
    change: (sheet, { columns }) =>
      withCell(
        sheet,
        columns.findIndex(({ holds: kind }) => kind === 'mop'),
        () => 'Diners',
      ),
  },
  {
    name: 'an account number without its zeros',
    verdict: 'hold',
    code: 'DIGIT_COUNT',
    fits: holds('bank'),
    change: (sheet, { columns }) =>
      withCell(
        sheet,
        columns.findIndex(({ part }) => part),
        (cell) => cell.slice(1),
      ),
  },
  {
    name: 'an invoice with a hidden character',
    verdict: 'hold',
    code: 'HIDDEN_CHARACTER',
    fits: ({ read }) => read.charset.startsWith('utf'),
    change: (sheet, { columns }) =>
      withCell(
        sheet,
        columns.findIndex(({ field }) => field === 'invoice'),
        (cell) => `${cell}\u200b`,
      ),
  },
];

/** Changes a cell of the first payment. */
function withCell(sheet: Sheet, place: number, change: (cell: string) => string): Sheet {
  const first = sheet.rows[0]!;
  return {
    ...sheet,
    rows: sheet.rows.with(0, { ...first, cells: first.cells.with(place, change(first.cells[place]!)) }),
  };
}

function withAmount(sheet: Sheet, system: System, change: (cell: string) => string): Sheet {
  return withCell(sheet, amountOf(system), change);
}

/** Changes the last digit of a cell that is an amount. */
function offByOne(cell: string): string {
  const other = (digit: string) => (digit === '9' ? '8' : String(Number(digit) + 1));
  return /\d\d/.test(cell) ? cell.replace(/\d(?=\D*$)/, other) : cell;
}
