import { maskText } from './mask.ts';

/**
 * The words with which a person says why, as the audit trail keeps them for years: a card or account number must not
 * stand in them; a date should.
 */
export function maskReason(words: string): string {
  return /\d(?:[ .-]?\d){11}/.test(words) ? maskText(words) : words;
}
