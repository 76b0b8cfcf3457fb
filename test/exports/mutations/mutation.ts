import type { Chooser, MadePayment } from '../../csv/profile/support/made-payments.ts';
import type { Export } from '../made/exports.ts';
import type { Sheet, SheetRow } from '../made/sheet.ts';
import type { Column } from '../systems/columns.ts';

/**
 * A file after a change, and which payments it may be accepted with.
 *
 * `never`  none: the change takes away the meaning of the file, or contradicts its total
 * `same`   the true ones: the meaning is as before
 * a list   those as well: what the file now says, where nothing in it contradicts that
 */
export type Mutated = {
  readonly file: Sheet;
  readonly says: 'never' | 'same' | readonly (readonly MadePayment[])[];
};

/** A change of an export, as accounting systems, spreadsheets and people make them. */
export type Mutation = {
  readonly name: string;
  /** @returns undefined where the export has nothing to change */
  readonly mutate: (made: Export, choose: Chooser) => Mutated | undefined;
};

export function never(file: Sheet): Mutated {
  return { file, says: 'never' };
}

export function same(file: Sheet): Mutated {
  return { file, says: 'same' };
}

/** Returns the place of a column. */
export function placeOf({ system }: Export, isWanted: (column: Column) => unknown): number | undefined {
  const place = system.columns.findIndex(isWanted);
  return place < 0 ? undefined : place;
}

/** Returns the places of the rows that are payments, and have all their cells. */
export function paymentRows({ sheet, system }: Export): number[] {
  return sheet.rows.flatMap(({ kind, cells }, index) =>
    kind === 'payment' && cells.length === system.columns.length ? [index] : [],
  );
}

export function withRow(sheet: Sheet, index: number, change: Partial<SheetRow>): Sheet {
  return { ...sheet, rows: sheet.rows.with(index, { ...sheet.rows[index]!, ...change }) };
}

/** Changes one cell. */
export function withCell(sheet: Sheet, index: number, place: number, change: (cell: string) => string): Sheet {
  const { cells } = sheet.rows[index]!;
  return withRow(sheet, index, { cells: cells.with(place, change(cells[place]!)) });
}

/** Changes the cells of a column: in one payment, or in all and in the total rows. */
export function withColumn(
  made: Export,
  place: number,
  choose: Chooser,
  change: (cell: string) => string,
): Sheet | undefined {
  const rows = paymentRows(made);
  if (rows.length === 0) return undefined;
  if (choose.chance(0.5)) return withCell(made.sheet, choose.from(rows), place, change);
  const cells = ({ cells: own }: SheetRow) =>
    place in own && own[place] !== '' ? own.with(place, change(own[place]!)) : own;
  return { ...made.sheet, rows: made.sheet.rows.map((row) => ({ ...row, cells: cells(row) })) };
}

/** Returns whether a total row tells which payments there are. */
export function hasTotal({ rows }: Sheet): boolean {
  return rows.some(({ kind }) => kind === 'total');
}
