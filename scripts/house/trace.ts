import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { Config } from '../../schemas/config.ts';
import { openApp } from '../../src/app.ts';
import { resolveSettings } from '../../src/config/config.ts';
import { createMasterKeyFile } from '../../src/crypto/master-key.ts';
import { silentLog } from '../../src/kernel/log.ts';
import { achRow, lines } from '../../test/support/payment-rows.ts';
import { startTestPostgres } from '../../test/support/postgres.ts';
import { admitHere } from '../../workers/admit-here.ts';
import { startWorkers } from '../../workers/main.ts';
import { type Calls, callsWithout, countCalls } from './calls.ts';
import { type Side, type Traffic, trafficWithout, watchTraffic } from './database-traffic.ts';

/** What files passed on their way from the drop to the outputs, without what runs anyway. */
export type Trace = { readonly calls: Calls; readonly traffic: Record<Side, Traffic>; readonly ms: number };

/** The middle trace of several. */
export type Traced = Trace & { readonly what: string; readonly files: number };

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const OBSERVER = 'paydrop-house';

/** Files before the first trace: by then everything is loaded and connected. */
const WARMING = 5;
const IDLE_MS = 6_000;
/** The work on files has ended when nothing is sent to the database for this time. */
const QUIET_MS = 500;
const LIMIT_MS = 60_000;

const PLANS = [
  { what: '1 row, alone', rows: 1, files: 1, times: 5 },
  { what: '100 rows, alone', rows: 100, files: 1, times: 5 },
  { what: '100 rows, 20 together', rows: 100, files: 20, times: 3 },
] as const;

/**
 * Runs files through all stages in this process, with the sandbox in another, and counts what they pass. Nothing runs by
 * the clock meanwhile: folders report their drops, and the queue rings each stage.
 */
export async function traceFiles(): Promise<Traced[]> {
  const world = await openWorld();
  try {
    for (let n = 0; n < WARMING; n += 1) await world.trace(() => world.pass(1, 1));
    const idle = await world.trace(() => wait(IDLE_MS));
    const traced: Traced[] = [];
    for (const { what, rows, files, times } of PLANS) {
      const traces: Trace[] = [];
      for (let n = 0; n < times; n += 1) traces.push(without(idle, await world.trace(() => world.pass(files, rows))));
      const middle = traces.toSorted((a, b) => a.traffic.own.messages - b.traffic.own.messages)[(times - 1) / 2]!;
      traced.push({ what, files, ...middle });
    }
    return traced;
  } finally {
    await world.close();
  }
}

function without(idle: Trace, { calls, traffic, ms }: Trace): Trace {
  const share = ms / idle.ms;
  return {
    calls: callsWithout(idle.calls, calls, share),
    traffic: {
      own: trafficWithout(idle.traffic.own, traffic.own, share),
      queue: trafficWithout(idle.traffic.queue, traffic.queue, share),
    },
    ms,
  };
}

/** Returns a row with an amount of its own: files with the same total are looked at one after the other. */
function rowOf(number: number): string {
  return achRow(number, { amount: `${1 + (number % 89)}.${String(10 + ((number * 7) % 83))}` });
}

async function openWorld() {
  const counter = await countCalls(ROOT, (path) => /^(?:src|workers|schemas)\//.test(path));
  const root = await mkdtemp(join(tmpdir(), 'paydrop-house-'));
  await chmod(root, 0o711);
  const postgres = await startTestPostgres({ sessions: 'ended' });
  const traffic = watchTraffic({ database: postgres.connection.database, except: OBSERVER });
  const sandbox = fork(join(ROOT, 'bench/programs/serve-sandbox.ts'));
  const env = { DATABASE_URL: postgres.url };
  const settings = resolveSettings(configFor(await addressOf(sandbox)), root, env);
  const drop = join(root, 'drop', 'ach-charge');
  const desk = join(root, 'ready');
  for (const dir of [settings.paths.data, drop, desk]) await mkdir(dir, { recursive: true });
  createMasterKeyFile(settings.paths.masterKey);
  const app = await openApp(settings, { log: silentLog(), env });
  await admitHere(app);
  const workers = await startWorkers(app);
  const observer = new pg.Client({ ...postgres.connection, application_name: OBSERVER });
  await observer.connect();
  let files = 0;
  let rows = 0;
  return {
    /** Drops files together and waits until their outputs are delivered and nothing more is sent. */
    async pass(count: number, rowsEach: number): Promise<void> {
      const names = Array.from({ length: count }, () => `house-${(files += 1)}.csv`);
      for (const name of names)
        await writeFile(join(desk, name), lines(Array.from({ length: rowsEach }, () => rowOf((rows += 1)))));
      await Promise.all(names.map((name) => rename(join(desk, name), join(drop, name))));
      const end = performance.now() + LIMIT_MS;
      while ((await countCompleted(observer)) < files || traffic.quietMs() < QUIET_MS) {
        if (performance.now() > end) throw new Error(`${names.join(', ')}: not completed after ${LIMIT_MS} ms`);
        await wait(20);
      }
    },
    async trace(work: () => Promise<void>): Promise<Trace> {
      await counter.take();
      traffic.take();
      const start = performance.now();
      await work();
      const ms = performance.now() - start;
      return { calls: await counter.take(), traffic: traffic.take(), ms };
    },
    async close(): Promise<void> {
      await observer.end();
      await workers.stop();
      await app.close();
      sandbox.disconnect();
      await postgres.stop();
      await counter.stop();
      await rm(root, { recursive: true, force: true });
    },
  };
}

/** Files of different sizes follow each other; all are looked at, and none is unusual. */
function configFor(baseUrl: string): Config {
  const path = 'drop/ach-charge';
  return Config.parse({
    accounts: {
      main: {
        server: 'NA',
        country: 'US',
        currency: 'USD',
        agentCode: 'TEST88',
        password: 'TEST88',
        baseUrl,
        poll: { firstMs: 20, factor: 1.2, longestMs: 500 },
      },
    },
    folders: [
      {
        path,
        account: 'main',
        operation: 'ach-charge',
        complete: { by: 'quiet', quietMs: 20, probes: 2 },
        unusualFactor: 1_000_000,
      },
    ],
    rescanMs: 600_000,
    sweepMs: 600_000,
  });
}

async function addressOf(sandbox: ChildProcess): Promise<string> {
  const ended = once(sandbox, 'exit').then(() => Promise.reject(new Error('the sandbox ended')));
  const [{ url }] = (await Promise.race([once(sandbox, 'message'), ended])) as [{ url: string }];
  ended.catch(() => {});
  return url;
}

async function countCompleted(observer: pg.Client): Promise<number> {
  const { rows } = await observer.query<{ count: number }>(
    "SELECT count(*)::int AS count FROM paydrop.file WHERE state = 'completed'",
  );
  return rows[0]!.count;
}
