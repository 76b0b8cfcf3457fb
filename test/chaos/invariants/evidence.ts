import type { BookRow } from '../../../src/sandbox/books/book-row.ts';
import type { LedgerView } from '../support/ledger-view.ts';
import type { Drop } from '../support/make-drops.ts';
import type { Changed } from '../support/story-world.ts';

/** Everything that the promises are checked with: what was dropped, what the service did, and where to look. */
export type Evidence = {
  /** The folder of each host. */
  readonly roots: readonly string[];
  /** Every send journal that existed. */
  readonly journals: readonly string[];
  readonly drops: readonly Drop[];
  readonly books: readonly BookRow[];
  readonly ledger: LedgerView;
  readonly accounts: Changed;
};

/** Returns what is wrong, in one sentence each; none when the promise holds. */
export type Check = (evidence: Evidence) => Promise<string[]>;
