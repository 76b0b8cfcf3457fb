/** Returns a count with its noun: `1 row`, `2 rows`, `0 open batches`. */
export function counted(count: number, noun: string): string {
  return `${count} ${byNumber(count, noun, pluralOf(noun))}`;
}

/** Returns the word that agrees with a count: `one` for 1, `many` for every other count. */
export function byNumber(count: number, one: string, many: string): string {
  return count === 1 ? one : many;
}

function pluralOf(noun: string): string {
  return /(?:ch|sh|s|x)$/.test(noun) ? `${noun}es` : `${noun}s`;
}

/** Formats as `1 row`, `1,200 rows`. */
export function groupedCount(count: number, noun: string): string {
  return counted(count, noun).replace(String(count), groupDigits);
}

/** Groups the digits before the point by three. */
export function groupDigits(text: string): string {
  return text.replace(/\d(?=(?:\d{3})+(?:\.|$))(?<!\.\d*)/g, '$&,');
}

const UNITS = [
  ['days', 86_400_000],
  ['h', 3_600_000],
  ['min', 60_000],
] as const;

/** Says a time span in its largest unit that fits twice: `90 s`, `5 min`, `36 h`. */
export function spanWords(ms: number): string {
  const [unit, size] = UNITS.find(([, one]) => ms >= 2 * one) ?? ['s', 1_000];
  return `${Math.floor(ms / size)} ${unit}`;
}
