import { setTimeout as sleep } from 'node:timers/promises';
import type { Scene } from '../tell-story.ts';
import type { Action, Span } from './fleet-acts.ts';
import type { Fleet, FleetHost } from './open-fleet.ts';
import type { Copies } from './person.ts';

/**
 * What is not there within this time, in ms, never comes. Jobs that an older queue holds as running, and calls that an older
 * ledger holds as under way, are given up after three minutes.
 */
export const LONGEST_WAY_MS = 300_000;

export type Play = Scene & { fleet: Fleet; count(name: string): void };

/** What an act leaves behind for the person. */
export type Left = {
  trouble?: string | undefined;
  /** Newer journals, by the names of their hosts. */
  copies?: Copies;
  isFresh?: boolean | undefined;
  /** The sender drops again what nobody seems to know. */
  isForgotten?: boolean;
  /** What the act set up, and the next one does not expect. */
  undo?: () => Promise<void>;
};

export type ActionOf<Kind extends Action['kind']> = Extract<Action, { kind: Kind }>;

/** Until the files are dropped and so many batches have been sent; with none, until the first is in the ledger. */
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

/** There may be fewer batches than that: then until all is at rest. */
export async function waitFor(fleet: Fleet, isFar: () => Promise<boolean>): Promise<void> {
  for (const end = performance.now() + LONGEST_WAY_MS; performance.now() < end; await sleep(10)) {
    if ((await isFar()) || (await fleet.waitForRest(1)) !== undefined) return;
  }
}

/** The copy takes the place of the ledger; who is alive goes on with it. */
export async function goBack({ fleet, account, count }: Play): Promise<void> {
  fleet.accounts.forgotten.add(account);
  await fleet.server.bringBackCopy();
  await fleet.ledger.close();
  count('postgres');
}

/** The next one; with one host, that itself. */
export function otherThan(number: number, { hosts }: Fleet): FleetHost {
  return hosts[(number + 1) % hosts.length]!;
}
