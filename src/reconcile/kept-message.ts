import { maskText } from '../kernel/mask.ts';

/** Longer than any message seen; the whole text stays in the sealed result. */
const LONGEST_MESSAGE = 200;

/**
 * A text of the service, or of whoever resolved a batch, as the ledger keeps it and output files show it. A text that
 * nobody has seen before may quote the row with its number; PostgreSQL takes no NUL and no half character; and what a
 * reader of lines takes for a line end, or for a damaged character, would keep the result file from being read back.
 * Doing it again changes nothing.
 */
export function keptMessage(message: string): string {
  const plain = message.replace(UNREADABLE, ' ').trim();
  // Half a character at the cut would be stored as another one.
  return maskText(plain)
    .slice(0, LONGEST_MESSAGE)
    .replace(/[\ud800-\udbff]$/, '')
    .trimEnd();
}

const UNREADABLE = /[\p{Cc}\p{Surrogate}\u2028\u2029\ufffd]/gu;
