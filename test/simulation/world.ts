import { chmod, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type App, namedAccounts } from '../../src/app.ts';
import { handClock } from '../../src/kernel/clock.ts';
import { type Account, resolveSettings, type Settings } from '../../src/config/config.ts';
import type { Ledger } from '../../src/ledger/engine/open-ledger.ts';
import { createMasterKeyFile } from '../../src/crypto/master-key.ts';
import { Config } from '../../schemas/config.ts';
import { keptLog } from '../support/bad-input.ts';
import { FAULT_EXPECTATIONS } from '../support/fault-expectations.ts';
import type { Choose } from './choose.ts';
import type { Database } from './database.ts';
import { type Host, type Installation, makeInstallation, noteSeen, type Send } from './hosts/installation.ts';
import { type Instance, openInstance } from './instance/open-instance.ts';
import type { CallWatch, SubmitCall } from './instance/tap.ts';
import { type MemoryQueue, memoryQueue } from './memory-queue.ts';
import { payeeOfAccount, plannedFaults, type Services, startServices } from './services.ts';
import type { Totals } from './simulate.ts';

/** A dropped file, which ledger and outputs must account for. */
export type Drop = { readonly folder: string; readonly name: string; readonly bytes: Buffer; readonly titles: boolean };

/** One scenario: folders, service, queue, ledger, and the live instances. */
export type World = {
  readonly choose: Choose;
  readonly root: string;
  /** What every host is configured with, but for its journal and the list of senders. */
  settings: Settings;
  /** Whom the services charge, by the keyed marks of merchants that the ledger and send journals hold. */
  readonly payees: Map<string, string>;
  /** Addresses that are asked about: with an agent code, as `agent code at address`. Nothing may be sent there. */
  readonly unanswered: Set<string>;
  /** What names meant that mean something else by now; a person may give it a name again. */
  readonly former: Account[];
  /** The true time, moved by hand. */
  readonly clock: ReturnType<typeof handClock>;
  /** Present error of the clocks of the service, of the database and of our processes, in ms. */
  readonly wrongBy: { service: number; database: number; host: number };
  readonly services: Services;
  readonly queue: MemoryQueue;
  readonly database: Database;
  readonly installation: Installation;
  /** The ledger of the present server. */
  readonly office: Ledger;
  readonly totals: Totals;
  /** What has happened, in plain words. */
  readonly story: string[];
  readonly drops: Drop[];
  /** Whole card and account numbers that must not be found anywhere. */
  readonly canaries: string[];
  readonly calls: SubmitCall[];
  /** With several hosts: all calls that got as far as their first byte, over all ledgers. */
  readonly sends: Send[];
  /** With several hosts: batches by the audit link that declared them not received, over all ledgers. */
  readonly pardons: Map<string, string>;
  /** Complaints raised during calls, collected after the step. */
  readonly complaints: string[];
  readonly instances: Instance[];
  /** When the present stage began, by the clock of the hosts. */
  stageAt: Date;
  /** Instances in the middle of a step. */
  readonly busy: Set<Instance>;
  /** A number that grows by one, starting at the seed. */
  nextTurn(): number;
  /** Half of the worlds begin with a damaged file, the others with a fault of the service. */
  readonly beginsWithDamage: boolean;
  logText(): string;
  /** Opens a process that has recovered nothing yet. */
  open(host?: Host): Promise<Instance>;
  remove(instance: Instance): Promise<void>;
  close(): Promise<void>;
};

type WorldParts = {
  readonly seed: number;
  readonly choose: Choose;
  readonly database: Database;
  readonly totals: Totals;
  readonly spoil: (app: App) => App;
  /** Called when the first byte of a call may leave. Returns a check for the moment right before it. */
  readonly onDeclared: (world: World, instance: Instance, account: string) => Promise<() => Promise<void>>;
};

/** The time at which every scenario begins. */
const START = '2026-06-15T10:00:00.000Z';

/** How long the service takes for a batch. Steps of the clock are whole multiples of ten seconds. */
const BATCH_DELAY_MS = 35_000;

export async function openWorld({ seed, choose, database, totals, spoil, onDeclared }: WorldParts): Promise<World> {
  // A quarter of the scenarios have several hosts.
  const isWide = seed % 4 === 3;
  const root = await mkdtemp(join(existsSync(MEMORY) ? MEMORY : tmpdir(), 'paydrop-simulation-'));
  await chmod(root, 0o711);
  const clock = handClock(START);
  const wrongBy = { service: 0, database: 0, host: 0 };
  const clockOf = (whose: keyof typeof wrongBy, skewMs = 0) => ({
    now: () => new Date(clock.now().getTime() + wrongBy[whose] + skewMs),
  });
  const databaseClock = clockOf('database');
  await database.empty(clockOf('host'), databaseClock);
  const services = await startServices(
    {
      now: START,
      batchDelayMs: BATCH_DELAY_MS,
      cardDuplicates: choose.happens(0.5),
      accounts: ['us', 'ca', 'uk'].flatMap((name) => {
        // The service knows another password for some accounts, and refuses all their batches.
        const password = choose.happens(0.06) ? 'CHANGED1' : AGENT_PASSWORD;
        const server = name === 'uk' ? 'UK' : 'NA';
        return [agentCodeOf(name), liveCode(agentCodeOf(name))].map((agentCode) => ({ agentCode, password, server }));
      }),
    },
    seed % 3 === 0,
  );
  const settings = chooseSettings(choose, root, services.all[0]!.address);
  for (const dir of [settings.paths.data, ...settings.folders.map((folder) => folder.path)])
    await mkdir(dir, { recursive: true });
  createMasterKeyFile(settings.paths.masterKey);
  const installation = makeInstallation(choose, settings, await database.server(0), isWide);
  if (installation.putsFolderBack && choose.happens(0.4)) giveMirror(installation, root);
  const queue = memoryQueue();
  const { log, text } = keptLog();
  const calls: SubmitCall[] = [];
  let opened = 0;
  let turn = seed;

  const watch: Omit<CallWatch, 'onDeclared' | 'onCall'> = {
    countPosts: () => services.posts() - calls.reduce((sum, call) => sum + call.posts, 0),
    isEndless: () =>
      plannedFaults(services).some(
        ({ kind, fired, times }) => isEndless(kind) && (times === 'always' || fired < times),
      ),
  };

  const world: World = {
    choose,
    root,
    settings: isWide ? settings : installation.hosts[0]!.settings,
    payees: new Map(),
    unanswered: new Set(),
    former: [],
    clock,
    wrongBy,
    services,
    queue,
    database,
    installation,
    get office() {
      return installation.present.office;
    },
    totals,
    story: [],
    drops: [],
    canaries: [],
    calls,
    sends: [],
    pardons: new Map(),
    complaints: [],
    instances: [],
    busy: new Set(),
    stageAt: clock.now(),
    nextTurn: () => (turn += 1),
    beginsWithDamage: seed % 8 < 4,
    logText: text,
    open: async (at) => {
      opened += 1;
      const skewMs = choose.one([0, 0, 0, 700, -700]);
      const host = at ?? nextHost(world);
      const instance: Instance = await openInstance({
        name: isWide ? `instance ${opened} of ${host.name}` : `instance ${opened}`,
        host,
        server: installation.present,
        clock: clockOf('host', skewMs),
        databaseClock,
        log,
        queue: queue.queue,
        watch: {
          ...watch,
          onDeclared: (account) => onDeclared(world, instance, account),
          onCall: (call) => {
            calls.push(call);
            noteSeen(world, instance, call);
          },
        },
        spoil,
      });
      for (const { name, mark, sandboxMark } of namedAccounts(host.settings, instance.app.fingerprint))
        for (const one of [mark, sandboxMark])
          world.payees.set(one, payeeOfAccount(services, host.settings.accounts.get(name)!));
      world.instances.push(instance);
      return instance;
    },
    remove: async (instance) => {
      world.instances.splice(world.instances.indexOf(instance), 1);
      await instance.leave();
    },
    close: async () => {
      while (world.instances[0]) await world.remove(world.instances[0]);
      await services.close();
      await rm(root, { recursive: true, force: true });
    },
  };
  return world;
}

/** Returns the time by the clock of the hosts. */
export function hostNow({ clock, wrongBy }: World): Date {
  return new Date(clock.now().getTime() + wrongBy.host);
}

/** Keeps a mirror of the send journal, which does not go back with the data folder. */
function giveMirror({ hosts }: Installation, root: string): void {
  const [host] = hosts;
  const mirror = join(root, 'mirror', `${host!.name}.jsonl`);
  host!.settings = { ...host!.settings, paths: { ...host!.settings.paths, mirror } };
}

/** Returns a host without an instance if there is one. A host that was away is then back. */
function nextHost({ installation: { hosts }, instances }: World): Host {
  const able = hosts.filter((host) => !host.isAway);
  const idle = able.find((host) => !instances.some((instance) => instance.host === host));
  const next = idle ?? able[instances.length % able.length] ?? hosts[0]!;
  next.isAway = false;
  return next;
}

/** In-memory file system, so that the many waits for the disk cost nothing. */
const MEMORY = '/dev/shm';

function isEndless(kind: string): boolean {
  return FAULT_EXPECTATIONS[kind as keyof typeof FAULT_EXPECTATIONS].isEndless === true;
}

const AGENT_PASSWORD = 'TEST88';

/** Returns the service's name for an account. */
function agentCodeOf(account: string): string {
  return `AGENT-${account.toUpperCase()}`;
}

/** Returns the agent code that a service gives to an account for real, beside that of a trial. */
export function liveCode(agentCode: string): string {
  return agentCode.replace('AGENT', 'LIVE');
}

/** Chooses one to three accounts, with a folder per operation. Batches are so small that a few rows fill several. */
function chooseSettings(choose: Choose, root: string, baseUrl: string): Settings {
  const chosen = choose.shuffle(ACCOUNTS).slice(0, choose.one([1, 1, 2, 3]));
  const accounts = chosen.map(({ name, ...merchant }) => [
    name,
    {
      ...merchant,
      agentCode: agentCodeOf(name),
      password: AGENT_PASSWORD,
      baseUrl,
      recheck: { afterMs: choose.one([[], [HOUR_MS], [HOUR_MS, 24 * HOUR_MS]]) },
      resolveWaitMs: choose.one([0, HOUR_MS]),
      secondPerson: { resolutions: choose.happens(0.2) },
      timeZone: choose.one(['UTC', 'America/Toronto', 'Asia/Tokyo']),
    },
  ]);
  const folders = chosen.flatMap(({ name, server }) =>
    OPERATIONS[server].map((operation) => ({
      path: `drop/${name}/${operation}`,
      account: name,
      operation,
      complete: choose.happens(0.2) ? { by: 'marker' } : { by: 'quiet', quietMs: 20_000, probes: choose.between(1, 3) },
      finalNewline: choose.one(['warn', 'warn', 'hold']),
      textCommas: choose.one(['replace', 'replace', 'reject']),
      badRows: {
        policy: choose.one(['withhold', 'withhold', 'withhold', 'reject-file']),
        maxPercent: choose.one([10, 50, 100]),
      },
      duplicateRows: choose.one(['hold', 'reject', 'warn']),
      maxBytes: choose.happens(0.1) ? 700 : 1_000_000,
    })),
  );
  const batch = { maxRows: choose.between(2, 5) };
  return resolveSettings(Config.parse({ accounts: Object.fromEntries(accounts), folders, batch }), root, {});
}

const HOUR_MS = 3_600_000;

const ACCOUNTS = [
  { name: 'us', server: 'NA', country: 'US', currency: 'USD' },
  { name: 'ca', server: 'NA', country: 'CA', currency: 'CAD' },
  { name: 'uk', server: 'UK', country: 'UK', currency: 'GBP' },
] as const;

/** Only North America has bank operations. */
const OPERATIONS = { NA: ['card', 'ach-charge', 'ach-refund'], UK: ['card'] } as const;
