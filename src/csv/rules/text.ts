import type { FaultCode } from '../../../schemas/errors.ts';
import { counted } from '../../kernel/counted.ts';
import { holdsCardNumber } from '../../kernel/mask.ts';

/** Reports a fault of the current cell. `detail` never holds the cell. */
export type Report = (code: FaultCode, detail?: string) => void;

/**
 * Checks one cell, trimmed and not empty.
 * @returns the form to send, or an empty text after a fault that leaves none
 */
export type CellRule = (cell: string, report: Report) => string;

export type LengthLimit = {
  maxLength: number;
  /** Says, after the length, whose limit it is. */
  whose?: string | undefined;
};

type TextLimits = LengthLimit & {
  /** Replaces commas and quotes with a space. Otherwise they make the row invalid. */
  replacesCommas: boolean;
};

/**
 * Returns the text rule. It allows no comma or quote, because the service splits rows at every comma and its quoting is
 * unknown. It enforces the field's length and refuses card numbers, because text is stored and shown in clear.
 */
export function textRule(limits: TextLimits): CellRule {
  return (cell, report) => {
    if (hasForbiddenContent(cell, report)) return '';
    if (!/[,"]/.test(cell)) return checkLength(cell, limits, report);
    if (!limits.replacesCommas) {
      report('FIELD_COMMA');
      return '';
    }
    report('TEXT_REPLACED');
    return checkLength(replaceCommas(cell), limits, report);
  };
}

/** Returns the rule for invoice numbers. Results are matched by this text, so nothing in it may be replaced. */
export function invoiceRule(limit: LengthLimit): CellRule {
  const checkText = textRule({ ...limit, replacesCommas: false });
  return (cell, report) => {
    const damage = findMonthName(cell);
    if (!damage) return checkText(cell, report);
    report('SPREADSHEET_DAMAGE', damage);
    return '';
  };
}

/** Returns the rule for customer codes: letters, digits and `- _ .`. The spec has none; this fits all known codes. */
export function customerCodeRule(limit: LengthLimit): CellRule {
  return (cell, report) => {
    if (hasForbiddenContent(cell, report)) return '';
    const damage = findMonthName(cell);
    if (damage) {
      report('SPREADSHEET_DAMAGE', damage);
      return '';
    }
    if (/^[A-Za-z0-9._-]+$/.test(cell)) return checkLength(cell, limit, report);
    if (/[,"]/.test(cell)) report('FIELD_COMMA');
    else report('FIELD_CHARACTER', 'letters, digits, "-", "_" and "." only');
    return '';
  };
}

/** Reports spreadsheet damage, a card number, invisible characters or a far too long text, and returns true. */
export function hasForbiddenContent(cell: string, report: Report): boolean {
  const damage = findDamage(cell);
  if (cell.length > LONGEST_SEARCHED) report('FIELD_TOO_LONG', `longer than ${LONGEST_SEARCHED} characters`);
  else if (damage) report('SPREADSHEET_DAMAGE', damage);
  else if (cell.length >= SHORTEST_CARD && holdsCardNumber(cell)) report('CARD_NUMBER_IN_TEXT');
  else if (INVISIBLE.test(cell)) report('FIELD_CHARACTER', 'an invisible character');
  else return false;
  return true;
}

/** Reports a text that is too long. It never truncates, which would silently change the text. */
export function checkLength(text: string, { maxLength, whose }: LengthLimit, report: Report): string {
  // Emoji take two units each, so visible characters are counted only when it matters.
  if (text.length <= maxLength || [...text].length <= maxLength) return text;
  const limit = counted(maxLength, 'character');
  report('FIELD_TOO_LONG', `longer than ${whose === undefined ? limit : `${limit} ${whose}`}`);
  return '';
}

/** No field allows nearly as much, and searching a flood of digits for card numbers would take seconds per line. */
const LONGEST_SEARCHED = 1_000;

const SHORTEST_CARD = 13;

/**
 * Invisible characters that change how the text around them reads, such as direction marks. U+200C and U+200D, the
 * joiners of Persian and Indian scripts and of emoji, are part of names and stay.
 */
export const INVISIBLE = /[\u00ad\u061c\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]/;

function replaceCommas(text: string): string {
  return text.replace(/[,"]/g, ' ').replace(/ {2,}/g, ' ').trim();
}

/** Describes how a spreadsheet changed a value, which cannot be recovered; undefined without a trace of that. */
export function findDamage(cell: string): string | undefined {
  // Nearly all cells are sound and end here.
  if (!/^[#=]|E[+-]\d/.test(cell)) return undefined;
  if (/^[-+]?\d(?:[.,]\d+)?E[+-]\d{2,}$/.test(cell)) return 'written in powers of ten, digits are lost';
  if (/^=\s*"/.test(cell)) return 'written as a formula';
  if (/^#{3,}$/.test(cell)) return 'the column was too narrow to show the value';
  if (/^#(?:REF!|VALUE!|NAME\?|N\/A|DIV\/0!|NUM!|NULL!)$/.test(cell)) return 'a formula error';
  return undefined;
}

/** Detects a value such as `12/17` or `DEC17` that a spreadsheet turned into a date: `Dec-17`, `17-Dec`. */
export function findMonthName(cell: string): string | undefined {
  return MONTH_NAME.test(cell) ? 'turned into a date' : undefined;
}

const MONTH = '(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)';
/** Spreadsheets write this capitalization; an invoice `DEC-17` is the sender's own. */
const MONTH_NAME = new RegExp(`^(?:${MONTH}-\\d{2,4}|\\d{1,2}-${MONTH}(?:-\\d{2,4})?)$`);
