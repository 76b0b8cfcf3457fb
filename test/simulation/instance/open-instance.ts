import { type App, openApp } from '../../../src/app.ts';
import { createFolderScanner } from '../../../src/files/scan-folder.ts';
import type { Clock } from '../../../src/kernel/clock.ts';
import type { Log } from '../../../src/kernel/log.ts';
import type { Queue } from '../../../src/queue/open-queue.ts';
import { checkFolders } from '../../../workers/watch/check-folders.ts';
import { admitHere } from '../../../workers/admit-here.ts';
import { sweep } from '../../../workers/upkeep/sweep.ts';
import { lookAtFolder } from '../../../workers/watch/watch.ts';
import type { Server } from '../database.ts';
import type { Host } from '../hosts/installation.ts';
import { firstLink, type Link, openLink } from './link.ts';
import { makeTap, type Tap } from './tap.ts';
import { withTappedFiles } from './tapped-files.ts';
import { type CallWatch, tappedGateway, tappedReports } from './tapped-gateway.ts';
import { tappedPool } from './tapped-pool.ts';

/** A paydrop process that lives inside this one and may die at any moment. */
export type Instance = {
  readonly name: string;
  readonly host: Host;
  /** The server to which it is connected now. */
  server(): Server;
  /** Drops its connections and opens new ones to this server. */
  moveTo(server: Server): Promise<void>;
  readonly tap: Tap;
  readonly app: App;
  /** Runs one of its steps, with tapped files. */
  run<Result>(step: (app: App) => Promise<Result>): Promise<Result>;
  /** Does what a start does first: checks the folders, admits the journal, and sweeps up after dead instances. */
  recover(): Promise<void>;
  /** Scans every drop folder once. */
  look(): Promise<number>;
  /** Kills it and waits until the server has seen its connections go. Its memory is lost. */
  leave(): Promise<void>;
};

export type InstanceParts = {
  readonly name: string;
  readonly host: Host;
  readonly server: Server;
  readonly clock: Clock;
  readonly databaseClock: Clock;
  readonly log: Log;
  readonly queue: Queue;
  readonly watch: CallWatch;
  /** Puts in a deliberate defect, to see whether it is found. */
  readonly spoil: (app: App) => App;
};

export async function openInstance(parts: InstanceParts): Promise<Instance> {
  const { name, host, clock, databaseClock, log, queue } = parts;
  const connectionName = `${name}-${process.pid}`.replaceAll(' ', '-');
  const urlOf = ({ url }: Server) => `${url}&application_name=${connectionName}`;
  const settings = { ...host.settings, databaseUrl: urlOf(parts.server) };
  const real = await openApp(settings, { log, env: {}, clock, databaseClock, queue });
  const tap = makeTap();
  let server = parts.server;
  const first = firstLink(real.ledger);
  let link = first;
  const app = parts.spoil(tappedApp(real, tap, parts.watch, () => link));
  const scanners = settings.folders.map((folder) => ({ folder, scanner: createFolderScanner(folder, clock) }));
  const run = <Result>(step: (app: App) => Promise<Result>) => withTappedFiles(tap, () => step(app));
  return {
    name,
    host,
    server: () => server,
    moveTo: async (next) => {
      await link.leave();
      await server.cut(connectionName);
      server = next;
      link = await openLink(urlOf(next), real.ledger.instance, log);
    },
    tap,
    app,
    run,
    recover: () =>
      run(async () => {
        await checkFolders(settings);
        await admitHere(app);
        await sweep(app, { atStart: true });
      }),
    look: () =>
      run(async () => {
        let settling = 0;
        for (const { folder, scanner } of scanners) settling += await lookAtFolder(app, folder, scanner);
        return settling;
      }),
    leave: async () => {
      tap.die();
      if (link !== first) await link.leave();
      // After a move, the first pools are closed already.
      await real.close().catch((error: unknown) => {
        if (link === first) throw error;
      });
      await server.awaitLeft(connectionName);
    },
  };
}

function tappedApp(app: App, tap: Tap, watch: CallWatch, link: () => Link): App {
  const add: Queue['add'] = (name, ...rest) =>
    tap.touch(
      { kind: 'job', what: name },
      () => app.queue.add(name, ...rest),
      async () => new Error('the queue failed in the simulation'),
    );
  const ledger: App['ledger'] = {
    ...app.ledger,
    pool: tappedPool(() => link().pool, tap),
    locks: tappedPool(() => link().locks, tap),
    get instance() {
      return link().instance;
    },
  };
  return {
    ...app,
    ledger,
    queue: { ...app.queue, add },
    gateway: (account) => tappedGateway(app, account, tap, watch),
    reports: (account) => tappedReports(app, account, watch),
  };
}
