import type { Fault } from '../../../../src/rows/rows.ts';
import { newTextShape, type SourceRow, type TextShape } from '../../../../src/csv/profile/read/text-rows.ts';
import { readWorkbookRows } from '../../../../src/csv/workbook/workbook-rows.ts';
import { chunksOf } from '../../support.ts';
import { makeWorkbook, type MadeWorkbook } from './make-workbook.ts';

export type WorkbookRead = {
  readonly rows: readonly SourceRow[];
  readonly cells: readonly (readonly string[])[];
  readonly faults: readonly Fault[];
  readonly shape: TextShape;
};

type Form = { readonly sheet?: string; readonly width?: number };

/** Reads the bytes of a workbook, in small pieces. */
export async function readBytes(bytes: Buffer, { sheet = 'Dues', width = 3 }: Form = {}): Promise<WorkbookRead> {
  const rows: SourceRow[] = [];
  const shape = newTextShape();
  const steps = readWorkbookRows(chunksOf(bytes, 1_000), { sheet, width }, shape, (row) => rows.push(row));
  while (!(await steps.next()).done);
  return { rows, shape, cells: rows.map(({ cells }) => cells), faults: shape.faults };
}

/** Makes a workbook and reads it. */
export function readMade(book: MadeWorkbook, form?: Form): Promise<WorkbookRead> {
  return readBytes(makeWorkbook(book), form);
}
