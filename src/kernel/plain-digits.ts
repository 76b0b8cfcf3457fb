/** The same text with the digits of other scripts, such as the wide ones, as those of ASCII. */
export function plainDigits(text: string): string {
  return text.replace(/(?![0-9])\p{Nd}/gu, (digit) => String(digitValue(digit)));
}

/** Every script has its ten digits beside each other; some have several sets of them in a row. */
function digitValue(digit: string): number {
  const at = digit.codePointAt(0)!;
  let before = 0;
  while (/\p{Nd}/u.test(String.fromCodePoint(at - before - 1))) before += 1;
  return before % 10;
}

/** The letters and digits of a text in one piece, as `plainDigits` gives them: a number, however it is cut into groups. */
export function joinedDigits(text: string): string {
  return plainDigits(text).replace(/[^\p{L}\p{N}]/gu, '');
}

/** A shorter number may be part of an invoice number by chance. Card numbers and whole account numbers are longer. */
export const SHORTEST_TELLING = 8;
