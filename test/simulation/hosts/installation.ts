import { join } from 'node:path';
import type { Settings } from '../../../src/config/config.ts';
import type { Choose } from '../choose.ts';
import type { Server } from '../database.ts';
import type { LedgerCopy } from '../ledger-copy.ts';

/** A machine on which instances run, with a send journal of its own. Drop folders, outputs and the archive are shared. */
export type Host = {
  readonly name: string;
  /** With the list of those that send, which changes when one is retired. */
  settings: Settings;
  /** Switched off, or cut off from everything. */
  isAway: boolean;
  /** What became of its journal, which persons know: `replaced` by a new one after it was declared lost. */
  journal: 'whole' | 'lost' | 'older' | 'foreign' | 'replaced' | 'retired';
};

/** Hosts that share a ledger, and the servers on which states of that ledger live. */
export type Installation = {
  readonly hosts: Host[];
  /** Those that are up. */
  readonly servers: Server[];
  /** The one to which instances that start connect, and where persons work. */
  present: Server;
  /** States of the ledger that were kept, in the order in which they were made. */
  readonly copies: LedgerCopy[];
  /** The newest file that `paydrop backup` has made. */
  backup?: string;
  /** How often an older state took the place of a newer one. */
  timesBack: number;
  /** Whether send journals are damaged in this scenario. */
  readonly losesJournals: boolean;
  /** A person has declared a journal lost. */
  hasVouched: boolean;
  /** What was seen of the ledger of each server after the last step. */
  readonly seen: Map<number, SeenLedger>;
};

export type SeenLedger = { isOpen: boolean; closing: string; sends: number };

/** One host as always, or several that all send. */
export function makeInstallation(choose: Choose, settings: Settings, server: Server, isWide: boolean): Installation {
  return {
    hosts: isWide ? severalHosts(choose, settings) : [newHost(settings.host, settings)],
    servers: [server],
    present: server,
    copies: [],
    timesBack: 0,
    losesJournals: isWide && choose.happens(0.4),
    hasVouched: false,
    seen: new Map(),
  };
}

function severalHosts(choose: Choose, settings: Settings): Host[] {
  const names = ['north', 'south', 'east', 'west'].slice(0, choose.one([2, 2, 2, 3, 3, 4]));
  return names.map((name) => {
    const journal = join(settings.paths.data, 'hosts', name, 'sends.jsonl');
    return newHost(name, { ...settings, host: name, senders: names, paths: { ...settings.paths, journal } });
  });
}

function newHost(name: string, settings: Settings): Host {
  return { name, settings, isAway: false, journal: 'whole' };
}

/** Only then can a ledger go back in a scenario. */
export function isWide({ installation }: { installation: Installation }): boolean {
  return installation.hosts[0]!.settings.senders !== undefined;
}
