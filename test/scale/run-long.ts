import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { buildProgram } from '../support/build-program.ts';
import { runCommand, startService } from '../chaos/support/service.ts';
import { type LedgerServer, startLedgerServer } from '../chaos/fleet/ledger-server.ts';
import { upTo } from '../support/payment-rows.ts';
import { seededRandom } from '../support/random.ts';
import { type Host, openHosts } from './hosts.ts';
import { answerLate, readProcess, type Used } from './measure-one.ts';
import { checkScale, countDone, dropOne, resolveAll, type ScaleDrop, type Stage } from './run-scale.ts';
import { SEARCH_PATH } from '../../src/ledger/engine/schema.ts';

type LongPlan = {
  hours: number;
  seed: number;
  rowsPerFile: number;
  accounts: number;
  /** Pause between two files, in seconds; the hosts take turns. */
  paceSeconds: number;
  /** How long the service takes for each answer, in ms. */
  answerMs: number;
  say: (text: string) => void;
};

type HostUse = Pick<Used, 'rssMb' | 'descriptors' | 'sockets'> & { name: string };

/** What the hosts used at a minute of the run, and the connections to the database of all together. */
type Minute = { minute: number; hosts: HostUse[]; connections: number; files: number };

type LongReport = {
  hours: number;
  seed: number;
  files: number;
  rows: number;
  kills: number;
  restarts: number;
  promotions: number;
  /** Batches in doubt, resolved with the product's commands. */
  resolved: number;
  /** Longest time from a kill, a restart or a promotion until all that was dropped before was completed, in seconds. */
  longestRestSeconds: number;
  minutes: Minute[];
  failures: string[];
};

/** Each has its own folders, with every role; all send. */
const NAMES = ['one', 'two', 'three'] as const;
const ROLES = ['watch', 'intake', 'submit', 'poll', 'deliver', 'schedule'] as const;

const KILL_EACH_MS = 3 * 60_000;
/** At these parts of the time the hosts are restarted one after the other, and a replica takes the database's place. */
const RESTARTS = [0.27, 0.52, 0.77];
const PROMOTIONS = [0.15, 0.4, 0.65, 0.9];
/** How long everything may take after the last file, in ms. */
const REST_MS = 600_000;

/**
 * Runs an installation on three hosts for hours while files come in at an even pace. Hosts are killed and restarted in
 * turn, and replicas promoted; at the end books, ledger and outputs are compared. The third host is never killed, so
 * that it shows longest whether anything grows.
 */
export async function runLong(plan: LongPlan): Promise<LongReport> {
  const program = await buildProgram();
  const server = await startLedgerServer();
  const accounts = upTo(plan.accounts).map((n) => `acct-${n}`);
  const service = await startService(program, undefined, accounts);
  const slow = await answerLate(service.url, plan.answerMs);
  const shared = { program, accounts, serviceUrl: slow.url, databaseUrl: server.url, isCalm: true };
  const hosts = await openHosts(shared, { sites: NAMES, senders: NAMES });
  const { host, port, database } = server.place;
  const pool = new pg.Pool({ host, port, database, user: 'paydrop', options: `-c search_path=${SEARCH_PATH}`, max: 2 });
  pool.on('error', () => {});
  try {
    return await play(plan, { program, accounts, service, hosts, pool }, server);
  } finally {
    await pool.end();
    await hosts.close();
    slow.close();
    await service.kill();
    await server.stop();
    await program.remove();
  }
}

async function play(plan: LongPlan, stage: Stage, server: LedgerServer): Promise<LongReport> {
  const { hours, seed, say } = plan;
  const hosts: Host[] = [];
  for (const name of NAMES) hosts.push(await stage.hosts.start(name, ROLES, name));
  const began = performance.now();
  const passed = () => performance.now() - began;
  const until = (at: number) => sleep(Math.max(0, at - passed()));
  const lengthMs = hours * 3_600_000;
  const random = seededRandom(seed);
  const done = { kills: 0, restarts: 0, promotions: 0, resolved: 0, longestRestSeconds: 0 };
  const drops: ScaleDrop[] = [];
  const minutes: Minute[] = [];
  let isOver = false;

  async function dropFiles(): Promise<void> {
    for (let n = 1; passed() < lengthMs; n += 1) {
      drops.push(await dropOne(stage, hosts[n % hosts.length]!, n, plan.rowsPerFile));
      await until(n * plan.paceSeconds * 1_000);
    }
  }

  /** Measures each minute, and resolves what a kill left in doubt. */
  async function watch(): Promise<void> {
    for (let minute = 1; !isOver; minute += 1) {
      await until(minute * 60_000);
      if (isOver) return;
      const used = await Promise.all(hosts.map(measure));
      // While a replica is promoted, there is no database to ask.
      const asked = await askDatabase(stage.pool).catch(() => undefined);
      if (asked) minutes.push({ minute, hosts: used.flatMap((each) => each ?? []), ...asked });
      done.resolved += await resolveAll(stage, hosts[0]!).catch((error: Error) => (say(error.message), 0));
      const { connections, files } = minutes.at(-1) ?? {};
      const figures = used.map((each) => each && `${each.name} ${each.rssMb} MB ${each.descriptors} descriptors`);
      say(`minute ${minute}: ${figures.join(', ')}, ${connections} connections, ${files} files done`);
    }
  }

  async function disturb(): Promise<void> {
    const kills = upTo(Math.floor(lengthMs / KILL_EACH_MS)).map((n) => ({ at: n * KILL_EACH_MS, what: kill }));
    const acts = [
      ...kills,
      ...RESTARTS.map((part) => ({ at: part * lengthMs, what: restartAll })),
      ...PROMOTIONS.map((part) => ({ at: part * lengthMs, what: promote })),
    ].sort((one, other) => one.at - other.at);
    for (const { at, what } of acts) {
      // At any moment between two files, so that kills meet calls in progress, too.
      await until(at + random() * plan.paceSeconds * 1_000);
      const before = drops.length;
      const struck = performance.now();
      say(await what());
      // Doubts are resolved each minute, so rest takes up to that long.
      while ((await countDone(stage.pool).catch(() => 0)) < before && performance.now() - struck < REST_MS)
        await sleep(250);
      const seconds = Math.round((performance.now() - struck) / 100) / 10;
      done.longestRestSeconds = Math.max(done.longestRestSeconds, seconds);
      say(`  at rest after ${seconds} s`);
    }
  }

  async function kill(): Promise<string> {
    const victim = hosts[Math.floor(random() * 2)]!;
    await victim.killAndRestart();
    done.kills += 1;
    return `killed ${victim.name}`;
  }

  async function restartAll(): Promise<string> {
    for (const host of hosts) await host.restart();
    done.restarts += hosts.length;
    return 'restarted one after the other';
  }

  async function promote(): Promise<string> {
    await server.openStandby();
    // Only a synchronous replica has all that was promised; the setting stays with the old primary.
    await stage.pool.query(`ALTER SYSTEM SET synchronous_standby_names = '*'`);
    await stage.pool.query('SELECT pg_reload_conf()');
    await sleep(5_000);
    await server.promoteStandby(Math.floor(random() * 1_000));
    done.promotions += 1;
    return 'promoted a replica';
  }

  const watching = watch();
  await Promise.all([dropFiles(), disturb()]);
  const end = performance.now() + REST_MS;
  while ((await countDone(stage.pool)) < drops.length && performance.now() < end) {
    await sleep(1_000);
    done.resolved += await resolveAll(stage, hosts[0]!);
  }
  isOver = true;
  await watching;
  const audit = await runCommand(stage.program, hosts[0]!.root, ['audit', 'verify'], stage.hosts.env);
  const failures = [
    ...(await checkScale({ ...stage, drops })),
    ...(audit.status === 0 ? [] : [`"audit verify" ended with ${audit.status}: ${audit.said}`]),
  ];
  return { hours, seed, files: drops.length, rows: drops.length * plan.rowsPerFile, ...done, minutes, failures };
}

/** Returns nothing while the host is down; a process that has just ended has no memory. */
async function measure({ name, daemon }: Host): Promise<HostUse | undefined> {
  const used = await readProcess(daemon.pid).catch(() => undefined);
  return used && used.rssMb > 0
    ? { name, rssMb: used.rssMb, descriptors: used.descriptors, sockets: used.sockets }
    : undefined;
}

async function askDatabase(pool: pg.Pool): Promise<{ connections: number; files: number }> {
  const { rows } = await pool.query<{ connections: number }>(
    `SELECT count(*)::int AS connections FROM pg_stat_activity
     WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()`,
  );
  return { connections: rows[0]!.connections, files: await countDone(pool) };
}
