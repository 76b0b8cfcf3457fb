/**
 * Text as PostgreSQL can keep it: without NUL, and without half a character pair, which JSON would carry into a jsonb
 * column. Both stand in texts that others send us (an answer of the service, cut at 300 characters), and a move that
 * records where money is must not fail over them.
 */
export function storableText(text: string): string {
  return text.replace(UNSTORABLE, '\uFFFD');
}

/** The same for every text in a value, as JSON for a jsonb column. */
export function storableJson(value: unknown): string {
  return JSON.stringify(value, (_name, part: unknown) => (typeof part === 'string' ? storableText(part) : part));
}

/** In unicode mode a surrogate matches only where it has lost its other half. */
const UNSTORABLE = /[\0\p{Surrogate}]/gu;
