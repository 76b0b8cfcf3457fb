/**
 * A number as result files show it: the first digit, stars, the last four, as long as before (only
 * the last four are certain). Of a number with fewer than eight characters only the last two stay, because five of
 * them would be most of it.
 */
export function maskNumber(text: string): string {
  const end = endOf(text);
  const start = text.length < SHORTEST_FULL_MASK ? '' : text.slice(0, 1);
  return start + '*'.repeat(text.length - start.length - end.length) + end;
}

/** The digits of a number that its mask leaves at the end; nothing when it does not end in digits. */
export function shownEnd(text: string): string {
  return /\d*$/.exec(endOf(text))?.[0] ?? '';
}

const SHORTEST_FULL_MASK = 8;

function endOf(text: string): string {
  if (text.length < 4) return '';
  return text.slice(text.length < SHORTEST_FULL_MASK ? -2 : -4);
}
