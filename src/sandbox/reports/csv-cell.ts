/** Returns a cell, quoted if needed. Line breaks become spaces, because clients split there even in quotes. */
export function csvCell(text: string): string {
  const line = onOneLine(text);
  return /[",]/.test(line) ? quoteCell(line) : line;
}

/** Returns a cell that is always quoted, like the names in the recorded reports. */
export function quoteCell(text: string): string {
  return `"${onOneLine(text).replaceAll('"', '""')}"`;
}

/** Puts an apostrophe before a number, as the service does; a spreadsheet then takes it as text. */
export function guardNumber(text: string): string {
  return text === '' ? '' : `'${text}`;
}

/**
 * Makes a payer's words safe for a spreadsheet. Text that would run as a formula gets an apostrophe. A backslash, which
 * PHP takes for the end of a quote, becomes a slash. Values used for lookup, such as the invoice, stay as given.
 */
export function payersWords(text: string): string {
  const plain = text.replaceAll('\\', '/');
  return /^\s*[=+\-@]/.test(plain) ? `'${plain}` : plain;
}

function onOneLine(text: string): string {
  return text.replace(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]+/g, ' ');
}
