import { holdsCardNumber, maskNumber, maskText } from '../../kernel/mask.ts';

/**
 * Masks what looks like a card number or is longer than any, in case the service did not. Other digits stay: an invoice
 * that is a time stamp must be found again.
 */
export function hideWholeNumbers(text: string): string {
  const withoutAccounts = text.replace(/\d{20,}/g, (run) => (run.length > LONGEST ? '[removed]' : maskNumber(run)));
  return withoutAccounts.replace(SPACED_NUMBER, (run) => (holdsCardNumber(run) ? maskText(run) : run));
}

/** Masking millions of digits one by one would take too long, and no number is longer than this. */
const LONGEST = 100;

/** Several times the length of a card number. Without a limit, a huge text would exhaust the stack. */
const SPACED_NUMBER = /\d(?:[ -]?\d){12,60}/g;
