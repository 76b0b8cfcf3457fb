/** A cell, in quotes where it would otherwise break its row. A line break would, even in quotes: clients split there. */
export function csvCell(text: string): string {
  const line = onOneLine(text);
  return /[",]/.test(line) ? quoteCell(line) : line;
}

/** A cell that stands in quotes whatever it holds, as names do in the recorded reports. */
export function quoteCell(text: string): string {
  return `"${onOneLine(text).replaceAll('"', '""')}"`;
}

/** A spreadsheet takes what begins with an apostrophe as text; the service guards numbers with it. */
export function guardNumber(text: string): string {
  return text === '' ? '' : `'${text}`;
}

/**
 * The words of a payer as they may stand in a cell that somebody opens in a spreadsheet: what would run as a formula gets
 * the apostrophe of the numbers, and a backslash, which PHP takes for the end of a quote, becomes a slash. Nothing is
 * found by these words; what is, such as the invoice, stays as it was given.
 */
export function payersWords(text: string): string {
  const plain = text.replaceAll('\\', '/');
  return /^\s*[=+\-@]/.test(plain) ? `'${plain}` : plain;
}

function onOneLine(text: string): string {
  return text.replace(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]+/g, ' ');
}
