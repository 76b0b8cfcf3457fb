/**
 * Returns text that PostgreSQL can store: without NUL and without lone surrogates, which JSON would carry into a jsonb
 * column. Foreign text contains both, such as an answer of the service cut at 300 characters. A move that records where
 * money is must not fail on them.
 */
export function storableText(text: string): string {
  return text.replace(UNSTORABLE, '\uFFFD');
}

/** Same for every text in a value, as JSON for a jsonb column. */
export function storableJson(value: unknown): string {
  return JSON.stringify(value, (_name, part: unknown) => (typeof part === 'string' ? storableText(part) : part));
}

/** In Unicode mode a surrogate matches only if its other half is missing. */
const UNSTORABLE = /[\0\p{Surrogate}]/gu;
