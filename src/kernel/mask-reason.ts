import { maskText } from './mask.ts';

/** Masks card and account numbers in a user's reason, which the audit trail keeps for years. Dates stay readable. */
export function maskReason(words: string): string {
  return /\d(?:[ .-]?\d){11}/.test(words) ? maskText(words) : words;
}
