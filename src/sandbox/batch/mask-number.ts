import { holdsCardNumber, maskText } from '../../kernel/mask.ts';

/**
 * Masks a number as result files do: first digit, stars, last four, same length. Only the last four are certain. A
 * number of fewer than eight characters keeps at most the last two, because five would be most of it.
 */
export function maskNumber(text: string): string {
  const end = endOf(text);
  const start = text.length < SHORTEST_FULL_MASK ? '' : text.slice(0, 1);
  return start + '*'.repeat(text.length - start.length - end.length) + end;
}

/** Returns the digits that the mask leaves at the end; empty when the number does not end in digits. */
export function shownEnd(text: string): string {
  return /\d*$/.exec(endOf(text))?.[0] ?? '';
}

/** Masks card numbers; a file with its columns in the wrong order would otherwise carry them into the books. */
export function hideCardNumber(text: string): string {
  return holdsCardNumber(text) ? maskText(text) : text;
}

const SHORTEST_FULL_MASK = 8;

function endOf(text: string): string {
  if (text.length < 4) return '';
  return text.slice(text.length < SHORTEST_FULL_MASK ? -2 : -4);
}
