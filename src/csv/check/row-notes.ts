import { type ColumnName, COLUMNS } from '../../../schemas/columns.ts';
import type { FaultCode } from '../../../schemas/errors.ts';
import type { Fault, RawRow } from '../../rows/rows.ts';
import type { CheckRules } from './check-rules.ts';
import { effectOf } from './fault-effect.ts';
import { isDay, maskNumber, maskText } from '../../kernel/mask.ts';
import { joinedDigits, plainDigits, SHORTEST_TELLING } from '../../kernel/plain-digits.ts';

const NO_CELLS: RawRow = { line: 0, cells: [] };
const NO_FAULTS: readonly Fault[] = Object.freeze([]);

/**
 * Collects the faults of one row after another. One object serves the whole file, because nearly all rows are valid and
 * must cost nothing.
 * @param numberPlace index of the card or account number; -1 for layouts without
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

  /** Sets the column of the faults reported from now on. */
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
   * Reports a fault of the row as a whole. One that only holds the file leaves the row valid. The operator judges
   * whether both equal rows are meant, and an approved file must send both.
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

/** Returns the fault of one cell, with its value masked. */
export function cellFault({ code, line, column, detail, cell, number }: CellNote): Fault {
  const fault: { -readonly [Part in keyof Fault]: Fault[Part] } = { code, line, column };
  const value = shownValue(column, cell, number);
  if (detail) fault.detail = detail;
  if (value) fault.value = value;
  return fault;
}

const LONGEST_SHOWN = 40;

/**
 * Returns a cell as a fault may show it: masked, and at most 40 characters. An amount with a decimal point and a date
 * stay readable, because otherwise the sender could not see what is wrong.
 * @param ownNumber the number column of the same row. It is masked wherever it stands, even if too short to be
 *   recognized as an account number by itself
 */
export function shownValue(column: ColumnName, cell: string, ownNumber: string): string {
  const { kind } = COLUMNS[column];
  // First cut to a length that masks quickly, last to the shown length; a number must be masked while complete.
  const text = cell.slice(0, 10 * LONGEST_SHOWN);
  const masked =
    kind === 'cardNumber' || kind === 'accountNumber'
      ? maskNumber(text)
      : (kind === 'amount' && AMOUNT.test(text)) || (kind === 'date' && isDay(text))
        ? text
        : maskText(starOwn(text, ownNumber));
  return masked.length <= LONGEST_SHOWN ? masked : `${masked.slice(0, LONGEST_SHOWN - 1)}…`;
}

/** Card and account numbers have no decimal point unless a spreadsheet adds one, so longer numbers do not count. */
const AMOUNT = /^[-+]?[$€£]?\d{1,3}(?:,?\d{3}){0,3}\.\d{1,2}$/;

function starOwn(text: string, ownNumber: string): string {
  const number = joinedDigits(ownNumber);
  if (!/^\d{4,}$/.test(number)) return text;
  if (text.includes(number)) return text.replaceAll(number, maskNumber(number));
  return number.length >= SHORTEST_TELLING && joinedDigits(text).includes(number)
    ? maskNumber(plainDigits(text))
    : text;
}
