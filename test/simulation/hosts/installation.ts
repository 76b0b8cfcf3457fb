import { join } from 'node:path';
import type { Settings } from '../../../src/config/config.ts';
import type { Choose } from '../choose.ts';
import type { LedgerCopy, Server } from '../database.ts';

/** A machine that runs instances, with a send journal of its own. Drop folders, outputs and the archive are shared. */
export type Host = {
  readonly name: string;
  /** Includes the list of senders, which changes when one is retired. */
  settings: Settings;
  /** Switched off, or cut off from everything. */
  isAway: boolean;
  /** State of its journal, as operators know it. `replaced`: a new one was begun after it was declared lost. */
  journal: 'whole' | 'lost' | 'older' | 'foreign' | 'replaced' | 'retired';
};

/** Hosts that share a ledger, and the servers that hold states of that ledger. */
export type Installation = {
  readonly hosts: Host[];
  /** The servers that are up. */
  readonly servers: Server[];
  /** The server to which new instances connect, and where operators work. */
  present: Server;
  /** Kept states of the ledger, oldest first. */
  readonly copies: LedgerCopy[];
  /** The newest file that `paydrop backup` made. */
  backup?: string;
  /** How often an older state replaced a newer one. */
  timesBack: number;
  /** Whether send journals are damaged in this scenario. */
  readonly losesJournals: boolean;
  /** A person has declared a journal lost. */
  hasVouched: boolean;
  /** The ledger of each server as seen after the last step. */
  readonly seen: Map<number, SeenLedger>;
};

export type SeenLedger = { isOpen: boolean; closing: string; sends: number };

/** Makes an installation of one host, or of several that all send. */
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

/** Returns whether several hosts send; only then can a scenario put back an older ledger. */
export function isWide({ installation }: { installation: Installation }): boolean {
  return installation.hosts[0]!.settings.senders !== undefined;
}
