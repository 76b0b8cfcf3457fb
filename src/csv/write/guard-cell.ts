/**
 * What a spreadsheet would run as a formula, with any apostrophes before it. The last four are the full-width forms,
 * which some spreadsheets treat alike.
 */
const FORMULA = /^'*[=+\-@\t\r\n\0\uff1d\uff0b\uff0d\uff20]/;

/**
 * Guards a cell of a file that users open in a spreadsheet: a cell it would run as a formula gets a leading apostrophe.
 * So does a cell that only looks guarded, so that `unguardCell` restores every cell except for spaces around it.
 */
export function guardCell(cell: string): string {
  if (FORMULA.test(cell)) return `'${cell}`;
  const text = cell.trim();
  return FORMULA.test(text) ? `'${text}` : cell;
}

/**
 * Removes the apostrophe of `guardCell` from a cell of a payment file. Otherwise a result or rejects row that is
 * dropped again would become a different payment.
 */
export function unguardCell(cell: string): string {
  if (!cell.includes("'")) return cell;
  const text = cell.trim();
  return text.startsWith("'") && FORMULA.test(text) ? text.slice(1) : cell;
}
