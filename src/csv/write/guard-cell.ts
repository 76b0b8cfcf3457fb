/**
 * What a spreadsheet would run as a formula, with the apostrophes that may stand before it. The last four are the wide forms
 * of the others, which some spreadsheets read alike.
 */
const FORMULA = /^'*[=+\-@\t\r\n\0\uff1d\uff0b\uff0d\uff20]/;

/**
 * A cell for a file that people open: one that a spreadsheet would run gets an apostrophe in front, and one that only looks
 * as if it had been given one gets another. So `unguardCell` gives back every cell, but for blanks around it.
 */
export function guardCell(cell: string): string {
  if (FORMULA.test(cell)) return `'${cell}`;
  const text = cell.trim();
  return FORMULA.test(text) ? `'${text}` : cell;
}

/**
 * A cell of a payment file without the apostrophe of `guardCell`. Were it kept, a row of a result or rejects file that is
 * dropped again would be another payment than the one it was.
 */
export function unguardCell(cell: string): string {
  if (!cell.includes("'")) return cell;
  const text = cell.trim();
  return text.startsWith("'") && FORMULA.test(text) ? text.slice(1) : cell;
}
