import type { ColumnName } from '../../../schemas/columns.ts';
import type { FaultCode } from '../../../schemas/errors.ts';
import type { Fault, RawRow } from '../../rows/rows.ts';
import type { CheckRules } from './check-rules.ts';
import { effectOf } from './fault-effect.ts';
import { shownValue } from './shown-value.ts';

const NO_CELLS: RawRow = { line: 0, cells: [] };
const NO_FAULTS: readonly Fault[] = Object.freeze([]);

/**
 * Collects what is wrong with one row after another. One object serves the whole file, because nearly all rows are
 * right and must cost nothing.
 * @param numberPlace where the card or account number stands; -1 for layouts without
 */
export function rowNotes(columns: readonly ColumnName[], numberPlace: number, folder: CheckRules['folder']) {
  let raw = NO_CELLS;
  let place = 0;
  let faults: Fault[] | undefined;
  let isInvalid = false;

  function startRow(row: RawRow): void {
    raw = row;
    faults = undefined;
    isInvalid = false;
  }

  /** The faults reported from now on are of this column. */
  function moveTo(column: number): void {
    place = column;
  }

  function report(code: FaultCode, detail?: string): void {
    isInvalid ||= effectOf(code, folder) !== 'warn';
    const cell = raw.cells[place]?.trim() ?? '';
    const number = raw.cells[numberPlace]?.trim() ?? '';
    addFault(cellFault({ code, line: raw.line, column: columns[place]!, cell, number, detail }));
  }

  /**
   * A fault of the row as a whole. One that only holds the file leaves the row what it is: a person judges whether both
   * of two equal rows are meant, and an approved file must send both.
   */
  function reportRow(code: FaultCode, detail: string): void {
    const effect = effectOf(code, folder);
    isInvalid ||= effect !== 'warn' && effect !== 'hold';
    addFault({ code, line: raw.line, detail });
  }

  function addFault(fault: Fault): void {
    (faults ??= []).push(fault);
  }

  return { startRow, moveTo, report, reportRow, faults: () => faults ?? NO_FAULTS, isInvalid: () => isInvalid };
}

type CellNote = {
  readonly code: FaultCode;
  readonly line: number;
  readonly column: ColumnName;
  readonly detail?: string | undefined;
  /** The cell and the card or account number of its row, both as the sender wrote them. */
  readonly cell: string;
  readonly number: string;
};

/** The fault of one cell, with its value as it may be shown. */
export function cellFault({ code, line, column, detail, cell, number }: CellNote): Fault {
  const fault: { -readonly [Part in keyof Fault]: Fault[Part] } = { code, line, column };
  const value = shownValue(column, cell, number);
  if (detail) fault.detail = detail;
  if (value) fault.value = value;
  return fault;
}
