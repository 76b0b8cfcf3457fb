import { setTimeout as sleep } from 'node:timers/promises';
import type { Scene } from '../tell-story.ts';
import type { Action, Span } from './fleet-acts.ts';
import type { Fleet, FleetHost } from './open-fleet.ts';
import type { Copies } from './person.ts';

/**
 * Time limit in ms: what has not happened by then never will. Jobs that an older queue holds as running, and calls that
 * an older ledger holds as in progress, are given up after three minutes.
 */
export const LONGEST_WAY_MS = 300_000;

export type Play = Scene & { fleet: Fleet; count(name: string): void };

/** What an act leaves for the operator. */
export type Left = {
  trouble?: string | undefined;
  /** Newer journals, by the names of their hosts. */
  copies?: Copies;
  isFresh?: boolean | undefined;
  /** The sender drops again what the ledger seems not to know. */
  isForgotten?: boolean;
  /** Undoes what the act set up and the next one does not expect. */
  undo?: () => Promise<void>;
};

export type ActionOf<Kind extends Action['kind']> = Extract<Action, { kind: Kind }>;

/** Works until the files are dropped and this many batches were sent; with 0, until the ledger has the first batch. */
export async function workTo(sends: number, { fleet, dropFiles, account }: Play): Promise<void> {
  await dropFiles();
  const isFar = async () => {
    if (sends > 0) return (await fleet.countSends(account)) >= sends;
    return (await fleet.ledger.query('SELECT FROM batch WHERE account = $1 LIMIT 1', [account])).length > 0;
  };
  await waitFor(fleet, isFar);
}

export async function workOn({ from, more }: Span, { fleet, account }: Play): Promise<void> {
  await waitFor(fleet, async () => (await fleet.countSends(account)) >= from + more);
}

/** Waits for a condition, or for rest, because there may be fewer batches than it asks for. */
export async function waitFor(fleet: Fleet, isFar: () => Promise<boolean>): Promise<void> {
  for (const end = performance.now() + LONGEST_WAY_MS; performance.now() < end; await sleep(10)) {
    if ((await isFar()) || (await fleet.waitForRest(1)) !== undefined) return;
  }
}

/** Puts the copy in place of the ledger; hosts that are alive go on with it. */
export async function goBack({ fleet, account, count }: Play): Promise<void> {
  fleet.accounts.forgotten.add(account);
  await fleet.server.bringBackCopy();
  await fleet.ledger.close();
  count('postgres');
}

/** Returns the next host; with one host, the same one. */
export function otherThan(number: number, { hosts }: Fleet): FleetHost {
  return hosts[(number + 1) % hosts.length]!;
}
