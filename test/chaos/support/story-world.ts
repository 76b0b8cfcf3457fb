import type { Drop } from './make-drops.ts';
import type { LedgerView } from './ledger-view.ts';
import type { RedisServer } from './redis-server.ts';
import type { Service } from './service.ts';

/** What a story needs of the hosts that it is played on, be it one or several. */
export type StoryWorld = {
  readonly hosts: readonly StoryHost[];
  /** Folders beside those of the hosts that must hold no number either. */
  readonly kept: readonly string[];
  readonly service: Service;
  readonly ledger: LedgerView;
  readonly redis: RedisServer | undefined;
  readonly drops: Drop[];
  readonly accounts: Changed;
  drop(drop: Drop): Promise<void>;
  /** What lies in the drop folders and the work folders; at rest there is nothing. */
  leftovers(): Promise<string[]>;
  /** Every send journal, those that were lost as well. */
  journals(): Promise<string[]>;
  /** @returns how long it took, in ms; undefined when it never came to rest */
  waitForRest(timeoutMs: number): Promise<number | undefined>;
  lastWords(): string;
  close(): Promise<void>;
};

/** The folder of a host, and the environment of a command there. */
export type StoryHost = { readonly root: string; readonly env: Readonly<Record<string, string>> };

/** Accounts of which the ledger is not the one that it was. */
export type Changed = {
  /** An older ledger was put in place: what was sent since is known to the journals alone. */
  readonly forgotten: Set<string>;
  /** A journal was lost with it; a person compared the ledger with the books, and cancelled what stood there. */
  readonly compared: Set<string>;
  /** A host was put back as a whole, journal and ledger together: only the service knows what was sent since. */
  readonly exposed: Set<string>;
};
