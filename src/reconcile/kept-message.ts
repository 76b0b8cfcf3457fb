import { maskText } from '../kernel/mask.ts';

/** Longer than any message seen; the sealed result keeps the whole text. */
const LONGEST_MESSAGE = 200;

/**
 * Returns a message of the service, or of the person who resolved a batch, as the ledger keeps it and outputs show it.
 * A new text may quote the row with its number. PostgreSQL accepts no NUL and no lone surrogate. Line separators and
 * replacement characters would keep the result file from being read back. Applying it twice changes nothing.
 */
export function keptMessage(message: string): string {
  const plain = message.replace(UNREADABLE, ' ').trim();
  // Half a surrogate pair at the cut would be stored as another character.
  return maskText(plain)
    .slice(0, LONGEST_MESSAGE)
    .replace(/[\ud800-\udbff]$/, '')
    .trimEnd();
}

const UNREADABLE = /[\p{Cc}\p{Surrogate}\u2028\u2029\ufffd]/gu;
