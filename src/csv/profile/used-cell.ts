import type { FaultCode } from '../../../schemas/errors.ts';
import type { ColumnKind } from '../../../schemas/layouts.ts';
import type { ColumnRule, Title } from '../../../schemas/profiles.ts';
import { PipelineError } from '../../kernel/errors.ts';
import { findDamage, findMonthName, INVISIBLE } from '../rules/text.ts';

/** Why the profile cannot read a cell. */
export type Misfit = { readonly code: FaultCode; readonly detail?: string };

/** Reports a fault of the cell under a title. `detail` never holds a cell of a number column. */
export type CellReport = (code: FaultCode, title: Title, detail?: string) => void;

/** Reads from the cells of a line; undefined after a report. */
export type ReadCell = (cells: readonly string[], report: CellReport) => string | undefined;

/** Returns the index of a title in the cells of a line. */
export type PlaceOf = (title: Title) => number;

/** What a cell may hold besides plain characters. */
export type CellCare = {
  /** Names and comments keep the joiners of scripts and emoji, as in plain files. */
  readonly joiners?: boolean;
  /** `Dec-27` is what the cell should hold, or its words. Elsewhere a spreadsheet has made it. */
  readonly monthNames?: boolean;
  /** `="00123"` is read as 00123. */
  readonly excelText?: boolean;
};

/** Returns what the cells of a rule may hold. */
export function careOf(kind: ColumnKind, rule: ColumnRule): CellCare {
  const isText = kind === 'text';
  const isWord = kind === 'mop' || kind === 'accountType';
  return {
    joiners: isText,
    monthNames: isText || isWord || (rule.format?.includes('MMM') ?? false),
    excelText: rule.excelText === 'accept',
  };
}

/** Returns the reader of one used cell: sound, without outer blanks, in NFC. It may be empty. */
export function usedCell(title: Title, placeOf: PlaceOf, care: CellCare): ReadCell {
  const place = placeOf(title);
  return (cells, report) => {
    const cell = soundCell(cells[place] ?? '', care);
    return typeof cell === 'string' ? cell : misfit(cell, title, report);
  };
}

/** Returns the reader of a cell that may not be empty. */
export function neverEmpty(read: ReadCell, title: Title): ReadCell {
  return (cells, report) => {
    const cell = read(cells, report);
    return cell === '' ? misfit(EMPTY, title, report) : cell;
  };
}

export const EMPTY: Misfit = { code: 'CELL_EMPTY' };

/** Reports a misfit. */
export function misfit({ code, detail }: Misfit, title: Title, report: CellReport): undefined {
  report(code, title, detail);
}

/** Takes outer blanks off a cell and puts it into NFC, or returns what is hidden in it or was done to it. */
export function soundCell(cell: string, care: CellCare): string | Misfit {
  // Nearly all cells are plain and end here.
  return UNUSUAL.test(cell) ? readUnusual(cell, care) : cell;
}

/** Finds every cell that could be changed or refused here. */
const UNUSUAL = /[^\x20-\x7e]|^[ #=]|E[+-]\d|\d-[A-Z]|[a-z]-\d| $/;

function readUnusual(cell: string, care: CellCare): string | Misfit {
  const isWestern = WESTERN.test(cell);
  if (!isWestern && (care.joiners ? CONTROL_OR_MARK : HIDDEN).test(cell)) return INVISIBLE_CHARACTER;
  const text = (isWestern ? cell : cell.normalize('NFC')).trim();
  const sound = care.excelText ? (EXCEL_TEXT.exec(text)?.[1]?.trim() ?? text) : text;
  const damage = findDamage(sound) ?? (care.monthNames ? undefined : findMonthName(sound));
  return damage === undefined ? sound : { code: 'SPREADSHEET_DAMAGE', detail: damage };
}

/** Characters that hide nothing and are in NFC already. */
const WESTERN = /^[\x20-\x7e\xa0-\xac\xae-\xff\u20ac]*$/;

const INVISIBLE_CHARACTER = { code: 'HIDDEN_CHARACTER', detail: 'an invisible character' } as const;
const CONTROL_OR_MARK = new RegExp(`[\\p{Cc}\\p{Zl}\\p{Zp}]|${INVISIBLE.source}`, 'u');
const HIDDEN = new RegExp(`\\p{Default_Ignorable_Code_Point}|${CONTROL_OR_MARK.source}`, 'u');
const EXCEL_TEXT = /^=\s*"([^"]*)"$/;

/** The blanks of numbers: the plain one, the two that do not break, and the thin one. */
export const BLANKS = ' \u00a0\u202f\u2009';

/**
 * Returns a key of a rule that every checked profile has.
 * @throws PipelineError INTERNAL without it
 */
export function needed<T>(value: T | undefined, key: string): T {
  if (value === undefined) throw new PipelineError('INTERNAL', 'read with the profile', `a rule has no "${key}"`);
  return value;
}

/** Returns the source of a regular expression that matches this text alone, with or without the flag `u`. */
export function escapePattern(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
}
