import type { Pool, PoolClient } from 'pg';
import { type App, openApp } from '../../../src/app.ts';
import { createFolderScanner } from '../../../src/files/scan-folder.ts';
import type { Clock } from '../../../src/kernel/clock.ts';
import type { Log } from '../../../src/kernel/log.ts';
import type { Queue } from '../../../src/queue/open-queue.ts';
import { checkFolders } from '../../../workers/watch/check-folders.ts';
import { bindHere } from '../../../workers/bind-here.ts';
import { admitHere } from '../../../workers/admit-here.ts';
import { sweep } from '../../../workers/upkeep/sweep.ts';
import { lookAtFolder } from '../../../workers/watch/watch.ts';
import { ALIVE_LOCKS } from '../../../src/ledger/engine/instance.ts';
import { type Ledger, openPool } from '../../../src/ledger/engine/open-ledger.ts';
import type { Server } from '../database.ts';
import type { Host } from '../hosts/installation.ts';
import { type CallWatch, makeTap, type Tap, tappedGateway, tappedReports, withTappedFiles } from './tap.ts';

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

type InstanceParts = {
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
        await bindHere(app);
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
  const ring: Queue['ring'] = (name, ...rest) =>
    tap.touch(
      { kind: 'job', what: name },
      () => app.queue.ring(name, ...rest),
      async () => new Error('the queue failed in the simulation'),
    );
  const ledger: App['ledger'] = {
    ...app.ledger,
    pool: tappedPool(() => link().pool, tap),
    answers: tappedPool(() => link().answers, tap),
    locks: tappedPool(() => link().locks, tap),
    get instance() {
      return link().instance;
    },
  };
  return {
    ...app,
    ledger,
    queue: { ...app.queue, ring },
    gateway: (of) => tappedGateway(app, of, tap, watch),
    reports: (of) => tappedReports(app, of, watch),
  };
}

/** The connections of an instance to a server, including its sign of life. */
type Link = {
  readonly pool: Pool;
  readonly answers: Pool;
  readonly locks: Pool;
  readonly instance: Ledger['instance'];
  /** Does not wait for connections in use. */
  leave(): Promise<void>;
};

/** Returns the link with which an instance opened the ledger. */
function firstLink({ pool, answers, locks, instance }: Ledger): Link {
  return {
    pool,
    answers,
    locks,
    instance,
    leave: async () => {
      await instance.leave();
      end(pool);
      end(answers);
      end(locks);
    },
  };
}

/** Opens new pools and a new sign of life after an instance's address led to another server. */
async function openLink(connectionString: string, instance: Ledger['instance'], log: Log): Promise<Link> {
  const open = () => openPool({ connectionString }, { log });
  const [pool, answers, locks] = [open(), open(), open()];
  const sign = await locks.connect();
  await sign.query('SELECT pg_advisory_lock($1, hashtext($2))', [ALIVE_LOCKS, instance.id]);
  return {
    pool,
    answers,
    locks,
    instance: { ...instance, isSettled: () => true },
    leave: async () => {
      sign.release(true);
      end(pool);
      end(answers);
      end(locks);
    },
  };
}

function end(pool: Pool): void {
  pool.end().catch(() => undefined);
}

/**
 * Returns a pool whose statements all go through a tap.
 * @param present returns the pool of the server to which connections are made at the moment
 */
function tappedPool(present: () => Pool, tap: Tap): Pool {
  const lost = async () => connectionLost();
  const inTurn = oneAtATime();
  return replace(present, {
    query: (...call: unknown[]) =>
      tap.touch(statement(call[0]), () => inTurn(() => apply(present(), call) as Promise<unknown>), lost),
    /** A dead process has no pool any more; code that retries must stop. */
    get ended() {
      return tap.isDead() || present().ended;
    },
    connect: () => tap.touch(CONNECT, async () => tappedClient(await present().connect(), tap), loseClient),
  });
}

/**
 * Returns a runner of one query at a time. Parallel queries would each open a connection and start a server process,
 * which takes most of a short life.
 */
function oneAtATime(): <Result>(go: () => Promise<Result>) => Promise<Result> {
  let last: Promise<unknown> = Promise.resolve();
  return (go) => {
    const next = last.then(go);
    last = next.catch(() => undefined);
    return next;
  };
}

async function loseClient(client?: PoolClient): Promise<Error> {
  client?.release(true);
  return connectionLost();
}

const CONNECT = { kind: 'statement', what: 'connect' } as const;

/**
 * Returns a client whose connection stays lost once it is lost. Its transaction is rolled back at once, so that later
 * steps do not depend on how soon the server notices.
 */
function tappedClient(client: PoolClient, tap: Tap): PoolClient {
  let isLost = false;
  const lose = async () => {
    isLost = true;
    await client.query('ROLLBACK').catch(() => undefined);
    return connectionLost();
  };
  const loseAtOnce = () => {
    isLost = true;
    return connectionLost();
  };
  return replace(() => client, {
    query: (...call: unknown[]) => {
      // A COPY is passed as a stream, and its caller needs it back synchronously.
      if (typeof call[0] !== 'string') {
        if (isLost) throw connectionLost();
        return tap.touchAtOnce(statement(call[0]), () => apply(client, call), loseAtOnce);
      }
      if (isLost) return Promise.reject(connectionLost());
      return tap.touch(statement(call[0]), () => apply(client, call) as Promise<unknown>, lose);
    },
    release: (destroys?: boolean) => client.release(destroys === true || isLost),
  });
}

function apply(target: { query: unknown }, call: unknown[]): unknown {
  return Reflect.apply(target.query as (...call: unknown[]) => unknown, target, call);
}

function connectionLost(): Error {
  return new Error('the connection to the database was lost in the simulation');
}

function statement(query: unknown): { kind: 'statement'; what: string } {
  const text = typeof query === 'string' ? query : 'COPY';
  return { kind: 'statement', what: text.replace(/\s+/g, ' ').trim().slice(0, 40) };
}

/** @param members read anew each time, so that one of them may be a getter */
function replace<Target extends object>(target: () => Target, members: Record<string, unknown>): Target {
  return new Proxy(target(), {
    get(_, name) {
      if (typeof name === 'string' && name in members) return members[name];
      const object = target();
      const value: unknown = Reflect.get(object, name);
      return typeof value === 'function' ? value.bind(object) : value;
    },
  });
}
