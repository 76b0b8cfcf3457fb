import { holdsCardNumber, maskNumber, maskText } from '../../kernel/mask.ts';

/**
 * A text of a report without whole numbers. The service masks them; should it not, what looks like a card number, or is
 * longer than any, is masked here. Other digits stay: an invoice that is a time stamp must be found again.
 */
export function hideWholeNumbers(text: string): string {
  const withoutAccounts = text.replace(/\d{20,}/g, (run) => (run.length > LONGEST ? '[removed]' : maskNumber(run)));
  return withoutAccounts.replace(SPACED_NUMBER, (run) => (holdsCardNumber(run) ? maskText(run) : run));
}

/** To star millions of digits one by one would take long, and no number is as long as that. */
const LONGEST = 100;

/** As long as a card number may be, several times over. Without an end a huge text would need more stack than there is. */
const SPACED_NUMBER = /\d(?:[ -]?\d){12,60}/g;
