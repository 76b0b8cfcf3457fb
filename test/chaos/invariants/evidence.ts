import type { BookRow } from '../../../src/sandbox/books/book-row.ts';
import type { LedgerView } from '../support/ledger-view.ts';
import type { Drop } from '../support/make-drops.ts';

/** Everything that the promises are checked with: what was dropped, what the service did, and where to look. */
export type Evidence = {
  readonly root: string;
  readonly drops: readonly Drop[];
  readonly books: readonly BookRow[];
  readonly ledger: LedgerView;
  /** Accounts of which an older ledger was put in place: what was sent since is known to the journal alone. */
  readonly forgotten: ReadonlySet<string>;
};

/** What is wrong, one sentence each; none when the promise holds. */
export type Check = (evidence: Evidence) => Promise<string[]>;
