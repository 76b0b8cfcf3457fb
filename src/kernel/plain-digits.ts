/** Replaces digits of other scripts, such as full-width ones, with ASCII digits. */
export function plainDigits(text: string): string {
  return text.replace(/(?![0-9])\p{Nd}/gu, (digit) => String(digitValue(digit)));
}

/** Returns the value of a digit. Every script has its ten digits in a row; some have several such sets in a row. */
function digitValue(digit: string): number {
  const at = digit.codePointAt(0)!;
  let before = 0;
  while (/\p{Nd}/u.test(String.fromCodePoint(at - before - 1))) before += 1;
  return before % 10;
}

/** Joins the letters and digits of a text, with plain digits: a number without its grouping. */
export function joinedDigits(text: string): string {
  return plainDigits(text).replace(/[^\p{L}\p{N}]/gu, '');
}

/** A shorter number may be part of an invoice number by chance. Card numbers and full account numbers are longer. */
export const SHORTEST_TELLING = 8;
