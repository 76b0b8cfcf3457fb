import fc from 'fast-check';
import { type ColumnName, columnsOf, type LayoutName, LAYOUTS } from '../../../schemas/layouts.ts';
import { formatCents } from '../../../src/kernel/money.ts';
import type { RowResult, SentRow } from '../../../src/rows/rows.ts';
import { cellsOf } from './row-cells.ts';

export const LAYOUT_NAMES = Object.keys(LAYOUTS) as LayoutName[];

export function sentRow(layout: LayoutName, row: Partial<SentRow>): SentRow {
  const hasCode = columnsOf(layout).includes('customerCode');
  const number = layout.startsWith('ach') ? '0001' : '2220';
  return {
    line: 1,
    invoice: 'INV-1',
    customerCode: hasCode ? 'A10000001' : '',
    amountCents: 2500,
    lastFour: hasCode ? '' : number,
    ...row,
  };
}

/** Returns what the service answers to these rows, with the given cells. */
export function resultsOf(
  layout: LayoutName,
  sent: readonly SentRow[],
  cells: Partial<Record<ColumnName, string>> = {},
): RowResult[] {
  return sent.map(({ invoice, customerCode, amountCents, lastFour }, index) => ({
    position: index + 1,
    cells: cellsOf(layout, {
      invoice,
      customerCode,
      amount: formatCents(amountCents),
      cardNumber: `4***********${lastFour}`,
      accountNumber: `0*********************${lastFour}`,
      ...cells,
    }),
    message: 'Received',
  }));
}

export function changeCells(
  layout: LayoutName,
  cells: readonly string[],
  changed: Partial<Record<ColumnName, string>>,
): string[] {
  return columnsOf(layout).map((column, index) => changed[column] ?? cells[index]!);
}

/** Returns the result with one cell changed into another of its kind. */
export function alterCell(layout: LayoutName, result: RowResult, column: ColumnName): RowResult {
  const cell = result.cells[columnsOf(layout).indexOf(column)]!;
  const endsInDigit = column === 'amount' || column === 'cardNumber' || column === 'accountNumber';
  const other = endsInDigit ? `${cell.slice(0, -1)}${(Number(cell.at(-1)) + 1) % 10}` : `${cell}x`;
  return { ...result, cells: changeCells(layout, result.cells, { [column]: other }) };
}

/** Generates rows of which no two agree in invoice, amount and code. Few values, so that parts of them do agree. */
export function someBatch() {
  const row = fc.record({
    invoice: fc.constantFrom('1', '2', '01', 'A', 'a'),
    amountCents: fc.integer({ min: -3, max: 3 }).filter((cents) => cents !== 0),
    code: fc.constantFrom('A1', 'A2'),
    lastFour: fc.constantFrom('0001', '0002', '2220'),
  });
  return fc.constantFrom(...LAYOUT_NAMES).chain((layout) => {
    const hasCode = columnsOf(layout).includes('customerCode');
    return fc
      .uniqueArray(row, {
        maxLength: 20,
        selector: ({ invoice, amountCents, code }) => JSON.stringify([invoice, amountCents, hasCode && code]),
      })
      .map((rows) => ({
        layout,
        sent: rows.map(({ code, lastFour, ...rest }, index) =>
          sentRow(layout, { ...rest, line: index + 2, ...(hasCode ? { customerCode: code } : { lastFour }) }),
        ),
      }));
  });
}

export function shuffle<Item>(items: readonly Item[], numbers: Iterable<number>): Item[] {
  const random = numbers[Symbol.iterator]();
  const rest = [...items];
  return items.map(() => rest.splice((random.next().value as number) % rest.length, 1)[0]!);
}
