/** Describes how a spreadsheet changed a value, which cannot be recovered; undefined without a trace of that. */
export function findDamage(cell: string): string | undefined {
  // Nearly all cells are sound and end here.
  if (!/^[#=]|E[+-]\d/.test(cell)) return undefined;
  if (/^[-+]?\d(?:[.,]\d+)?E[+-]\d{2,}$/.test(cell)) return 'written in powers of ten, digits are lost';
  if (/^=\s*"/.test(cell)) return 'written as a formula';
  if (/^#{3,}$/.test(cell)) return 'the column was too narrow to show the value';
  if (/^#(?:REF!|VALUE!|NAME\?|N\/A|DIV\/0!|NUM!|NULL!)$/.test(cell)) return 'an error of a formula';
  return undefined;
}

/** Detects a value such as `12/17` or `DEC17` that a spreadsheet turned into a date: `Dec-17`, `17-Dec`. */
export function findMonthName(cell: string): string | undefined {
  return MONTH_NAME.test(cell) ? 'turned into a day' : undefined;
}

const MONTH = '(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)';
/** Spreadsheets write this capitalization; an invoice `DEC-17` is the sender's own. */
const MONTH_NAME = new RegExp(`^(?:${MONTH}-\\d{2,4}|\\d{1,2}-${MONTH}(?:-\\d{2,4})?)$`);
