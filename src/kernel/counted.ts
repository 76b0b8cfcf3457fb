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
