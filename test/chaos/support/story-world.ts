import type { Drop } from './make-drops.ts';
import type { LedgerView } from './ledger-view.ts';
import type { RedisServer } from './redis-server.ts';
import type { Service } from './service.ts';

/** What a story needs of the hosts on which it is played, one or several. */
export type StoryWorld = {
  readonly hosts: readonly StoryHost[];
  /** Other folders that must hold no number either. */
  readonly kept: readonly string[];
  readonly service: Service;
  readonly ledger: LedgerView;
  readonly redis: RedisServer | undefined;
  readonly drops: Drop[];
  readonly accounts: Changed;
  drop(drop: Drop): Promise<void>;
  /** Returns what lies in the drop folders and the work folders; at rest that is nothing. */
  leftovers(): Promise<string[]>;
  /** Returns every send journal, including the lost ones. */
  journals(): Promise<string[]>;
  /** Returns how long it took, in ms, or undefined when it never came to rest. */
  waitForRest(timeoutMs: number): Promise<number | undefined>;
  lastWords(): string;
  close(): Promise<void>;
};

/** The folder of a host, and the environment of its commands. */
export type StoryHost = { readonly root: string; readonly env: Readonly<Record<string, string>> };

/** Accounts whose ledger is no longer the same. */
export type Changed = {
  /** An older ledger was put in place: only the journals know what was sent since. */
  readonly forgotten: Set<string>;
  /** A journal was lost with it; a person compared the ledger with the books and cancelled what stood there. */
  readonly compared: Set<string>;
  /** A host was put back as a whole, journal and ledger together: only the service knows what was sent since. */
  readonly exposed: Set<string>;
};
