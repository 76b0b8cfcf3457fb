import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import type { Role } from '../../schemas/roles.ts';
import { buildProgram, type Program } from '../support/build-program.ts';
import { resolveDoubts } from '../chaos/support/resolve-doubts.ts';
import { type Service, startService } from '../chaos/support/service.ts';
import { achRow, lines, upTo } from '../support/payment-rows.ts';
import { startTestPostgres } from '../support/postgres.ts';
import { seededRandom } from '../support/random.ts';
import { checkScale } from './check-scale.ts';
import { type Host, type Hosts, openHosts } from './hosts.ts';

export type ScalePlan = {
  files: number;
  rowsPerFile: number;
  accounts: number;
  /** Hosts that send, and as many that poll for results; one more has the folders. */
  workers: number;
  /** How many times a host is killed, each time at a random moment. */
  kills: number;
  seed: number;
  /** By default, a database on the server that tests share. */
  databaseUrl?: string | undefined;
  redisUrl?: string | undefined;
  /** A server that is taken away when the first files are done, and given back. */
  outage?: Outage | undefined;
  say?: (text: string) => void;
};

/** A server that is killed and comes back. */
export type Outage = { name: string; seconds: number; kill(): Promise<void>; restart(): Promise<void> };

export type ScaleReport = {
  files: number;
  rows: number;
  workers: number;
  kills: number;
  /** Batches in doubt after a kill, resolved with the product's commands. */
  resolved: number;
  /** From the first drop to the last output. */
  seconds: number;
  rowsPerSecond: number;
  failures: string[];
};

/** How long everything may take after the last kill, in ms. */
const REST_MS = 300_000;

/**
 * Runs one installation on several hosts with folders of their own. All files are dropped at once and hosts are killed
 * at random moments; at the end books, ledger and outputs are compared.
 */
export async function runScale(plan: ScalePlan): Promise<ScaleReport> {
  const program = await buildProgram();
  const postgres = plan.databaseUrl === undefined ? await startTestPostgres() : undefined;
  const databaseUrl = plan.databaseUrl ?? postgres!.url;
  const accounts = upTo(plan.accounts).map((n) => `acct-${n}`);
  const service = await startService(program, undefined, accounts);
  const shared = { program, accounts, serviceUrl: service.url, databaseUrl, redisUrl: plan.redisUrl };
  const hosts = await openHosts(shared, { senders: upTo(plan.workers).map((n) => `submit-${n}`) });
  const pool = new pg.Pool({ connectionString: databaseUrl, options: '-c search_path=paydrop', max: 2 });
  pool.on('error', () => {});
  try {
    return await play(plan, { program, accounts, service, hosts, pool });
  } finally {
    await pool.end();
    await hosts.close();
    await service.kill();
    await postgres?.stop();
    await program.remove();
  }
}

type Stage = { program: Program; accounts: readonly string[]; service: Service; hosts: Hosts; pool: pg.Pool };

async function play(plan: ScalePlan, stage: Stage): Promise<ScaleReport> {
  const { say = () => {} } = plan;
  const site = await stage.hosts.start('site', ['watch', 'intake', 'deliver']);
  const both: Role[][] = [['submit'], ['poll']];
  const others: Host[] = [];
  for (const n of upTo(plan.workers))
    for (const roles of both) others.push(await stage.hosts.start(`${roles[0]}-${n}`, roles));
  const started = performance.now();
  const drops = await dropAll(plan, stage, site);
  say(`${drops.length} files dropped`);
  if (plan.outage) await suffer(plan.outage, stage.pool, say);
  const random = seededRandom(plan.seed);
  let resolved = 0;
  for (const n of upTo(plan.kills)) {
    await sleep(200 + random() * 1_500);
    const victim = [site, ...others][Math.floor(random() * (others.length + 1))]!;
    await victim.killAndRestart();
    say(`kill ${n}: ${victim.name}`);
    resolved += await resolveAll(stage, site);
  }
  const end = performance.now() + REST_MS;
  while ((await countDone(stage.pool)) < drops.length && performance.now() < end) {
    await sleep(100);
    resolved += await resolveAll(stage, site);
  }
  const seconds = (performance.now() - started) / 1_000;
  const failures = await checkScale({ ...stage, site, drops });
  const rows = plan.files * plan.rowsPerFile;
  const { files, workers, kills } = plan;
  const rowsPerSecond = Math.round(rows / seconds);
  return { files, rows, workers, kills, resolved, seconds: Math.round(seconds * 10) / 10, rowsPerSecond, failures };
}

export type ScaleDrop = { account: string; name: string; invoices: string[] };

/** Drops all files. The accounts take turns, so that each has files from the beginning to the end. */
async function dropAll(plan: ScalePlan, { hosts, accounts }: Stage, site: Host): Promise<ScaleDrop[]> {
  const drops: ScaleDrop[] = [];
  for (const n of upTo(plan.files)) {
    const account = accounts[n % accounts.length]!;
    const name = `file-${n}.csv`;
    const invoices = upTo(plan.rowsPerFile).map((row) => `${n}-${row}`);
    const text = lines(invoices.map((invoice, index) => achRow(n * 1_000 + index, { invoice, amount: amountOf(n) })));
    await hosts.drop(site, account, name, text);
    drops.push({ account, name, invoices });
  }
  return drops;
}

/** Gives files different amounts, because similar files would be taken for the same. */
function amountOf(n: number): string {
  return `${10 + (n % 80)}.${String(n % 100).padStart(2, '0')}`;
}

async function suffer(outage: Outage, pool: pg.Pool, say: (text: string) => void): Promise<void> {
  while ((await countDone(pool)) === 0) await sleep(50);
  await outage.kill();
  say(`${outage.name} is away for ${outage.seconds} s`);
  await sleep(outage.seconds * 1_000);
  await outage.restart();
}

async function countDone(pool: pg.Pool): Promise<number> {
  const { rows } = await pool.query<{ done: number }>(
    `SELECT count(*)::int AS done FROM file WHERE state = 'completed'`,
  );
  return rows[0]!.done;
}

/** Resolves batches in doubt, which hosts left by dying in a call. An operator looks up their outcome in the books. */
async function resolveAll({ pool, service, program, hosts }: Stage, site: Host): Promise<number> {
  const query = async <Row extends object>(sql: string) => (await pool.query<Row>(sql)).rows;
  const dashboard = { ledger: { query }, service, place: site, env: hosts.env };
  const { resolved, failures } = await resolveDoubts(program, dashboard, Number.POSITIVE_INFINITY);
  if (failures.length > 0) throw new Error(failures.join('\n'));
  return resolved;
}
