import { setTimeout as sleep } from 'node:timers/promises';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import type { Role } from '../../schemas/jobs.ts';
import type { BookRow } from '../../src/sandbox/books/book-row.ts';
import { groupBy } from '../../src/kernel/group-by.ts';
import { buildProgram, type Program } from '../support/build-program.ts';
import { resolveDoubts } from '../chaos/support/story-world.ts';
import { type Service, startService } from '../chaos/support/service.ts';
import { achRow, lines, upTo } from '../support/payment-rows.ts';
import { startTestPostgres } from '../support/postgres.ts';
import { seededRandom } from '../support/random.ts';
import { type Host, type Hosts, openHosts, type Outage } from './hosts.ts';
import { answerLate, readWork } from './measure-one.ts';
import { SEARCH_PATH } from '../../src/ledger/engine/schema.ts';

type ScalePlan = {
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
  /** How long the service takes for each answer, in ms. */
  answerMs?: number;
  /** Calls in progress of each sending host. */
  submit?: number | undefined;
  /** A server that is taken away when the first files are done, and given back. */
  outage?: Outage | undefined;
  say?: (text: string) => void;
};

type ScaleReport = {
  files: number;
  rows: number;
  workers: number;
  kills: number;
  /** Batches in doubt after a kill, resolved with the product's commands. */
  resolved: number;
  /** From the first drop to the last output. */
  seconds: number;
  rowsPerSecond: number;
  /** Batches that the service answered in a second, from the first to the last. */
  callsPerSecond: number;
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
  const { answerMs = 0, redisUrl, submit, kills, outage } = plan;
  const isCalm = kills === 0 && outage === undefined;
  const slow = answerMs > 0 ? await answerLate(service.url, answerMs) : undefined;
  const shared = { program, accounts, serviceUrl: slow?.url ?? service.url, databaseUrl, redisUrl, submit, isCalm };
  const hosts = await openHosts(shared, { senders: upTo(plan.workers).map((n) => `submit-${n}`) });
  const pool = new pg.Pool({ connectionString: databaseUrl, options: `-c search_path=${SEARCH_PATH}`, max: 2 });
  pool.on('error', () => {});
  try {
    return await play(plan, { program, accounts, service, hosts, pool });
  } finally {
    await pool.end();
    await hosts.close();
    slow?.close();
    await service.kill();
    await postgres?.stop();
    await program.remove();
  }
}

export type Stage = { program: Program; accounts: readonly string[]; service: Service; hosts: Hosts; pool: pg.Pool };

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
  const failures = await checkScale({ ...stage, drops });
  const rows = plan.files * plan.rowsPerFile;
  const { files, workers, kills } = plan;
  const rowsPerSecond = Math.round(rows / seconds);
  const { callsPerSecond } = await readWork(stage.pool);
  const figures = { seconds: Math.round(seconds * 10) / 10, rowsPerSecond, callsPerSecond };
  return { files, rows, workers, kills, resolved, ...figures, failures };
}

/** A file that was dropped, and the folder of the host that has it. */
export type ScaleDrop = { root: string; account: string; name: string; invoices: string[] };

/** Drops all files. The accounts take turns, so that each has files from the beginning to the end. */
async function dropAll(plan: ScalePlan, stage: Stage, site: Host): Promise<ScaleDrop[]> {
  const drops: ScaleDrop[] = [];
  for (const n of upTo(plan.files)) drops.push(await dropOne(stage, site, n, plan.rowsPerFile));
  return drops;
}

export async function dropOne(
  { hosts, accounts }: Pick<Stage, 'hosts' | 'accounts'>,
  host: Host,
  n: number,
  rows: number,
): Promise<ScaleDrop> {
  const account = accounts[n % accounts.length]!;
  const name = `file-${n}.csv`;
  const invoices = upTo(rows).map((row) => `${n}-${row}`);
  const text = lines(invoices.map((invoice, index) => achRow(n * 1_000 + index, { invoice, amount: amountOf(n) })));
  await hosts.drop(host, account, name, text);
  return { root: host.root, account, name, invoices };
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

export async function countDone(pool: pg.Pool): Promise<number> {
  const { rows } = await pool.query<{ done: number }>(
    `SELECT count(*)::int AS done FROM file WHERE state = 'completed'`,
  );
  return rows[0]!.done;
}

/** Resolves batches in doubt, which hosts left by dying in a call. An operator looks up their outcome in the books. */
export async function resolveAll({ pool, service, program, hosts }: Stage, site: Host): Promise<number> {
  const query = async <Row extends object>(sql: string) => (await pool.query<Row>(sql)).rows;
  const dashboard = { ledger: { query }, service, place: site, env: hosts.env };
  const { resolved, failures } = await resolveDoubts(program, dashboard, Number.POSITIVE_INFINITY);
  if (failures.length > 0) throw new Error(failures.join('\n'));
  return resolved;
}

type Evidence = {
  service: { books(): Promise<BookRow[]> };
  pool: pg.Pool;
  drops: readonly ScaleDrop[];
};

/** Checks books, ledger, outputs, and that each account was served in file order. Returns faults in sentences. */
export async function checkScale({ service, pool, drops }: Evidence): Promise<string[]> {
  const books = await service.books();
  return [
    ...checkBooks(books, drops),
    ...(await checkOutcomes(pool, books)),
    ...(await checkOrder(pool, books)),
    ...(await checkResults(pool, drops)),
  ];
}

function checkBooks(books: readonly BookRow[], drops: readonly ScaleDrop[]): string[] {
  const booked = groupBy(books, (row) => row.invoice);
  const dropped = drops.flatMap((drop) => drop.invoices);
  const wrong = dropped.filter((invoice) => booked.get(invoice)?.length !== 1);
  return [
    ...wrong.slice(0, 10).map((invoice) => `${invoice} stands ${booked.get(invoice)?.length ?? 0} times in the books`),
    ...(books.length === dropped.length ? [] : [`${books.length} rows in the books, ${dropped.length} were dropped`]),
  ];
}

async function checkOutcomes(pool: pg.Pool, books: readonly BookRow[]): Promise<string[]> {
  const { rows } = await pool.query<{ invoice: string; outcome: string | null; cents: number }>(
    `SELECT r.invoice, o.outcome, r.amount_cents::float8 AS cents FROM payment_row r
     LEFT JOIN row_outcome o ON o.file_no = r.file_no AND o.line = r.line`,
  );
  const booked = new Map(books.map((row) => [row.invoice, row]));
  const wrong = rows.filter(({ invoice, outcome, cents }) => {
    const book = booked.get(invoice);
    return book?.outcome !== outcome || book?.amountCents !== cents;
  });
  return wrong
    .slice(0, 10)
    .map(({ invoice, outcome }) => `${invoice} is ${outcome} in the ledger and not in the books`);
}

type SentBatch = { invoice: string; account: string; batch: string; place: number; accepted: Date; prepared: Date };

/** Longest time in ms between the time of a move and its commit. */
const COMMIT_MS = 2_000;

/** Checks that no batch was sent while an earlier one waited. Among accepted files, the one claimed first is next. */
async function checkOrder(pool: pg.Pool, books: readonly BookRow[]): Promise<string[]> {
  const { rows } = await pool.query<SentBatch>(
    `SELECT r.invoice, f.account, f.name || ' batch ' || b.batch_no AS batch, f.file_no::float8 * 1000 + b.batch_no AS place,
       (SELECT max(at) FROM audit a WHERE a.file_id = f.file_id AND a.move = 'accept') AS accepted,
       (SELECT max(at) FROM audit a WHERE a.file_id = f.file_id AND a.batch_no = b.batch_no AND a.move = 'send') AS prepared
     FROM payment_row r JOIN file f USING (file_no) JOIN batch b ON b.file_id = f.file_id AND b.batch_no = r.batch_no
     WHERE r.line = b.first_line`,
  );
  const firstRows = new Map(rows.map((row) => [row.invoice, row]));
  const sent = books.flatMap(({ invoice }) => firstRows.get(invoice) ?? []);
  return [...groupBy(sent, (batch) => batch.account).values()].flatMap((batches) =>
    batches.flatMap((late, index) => {
      const jumped = batches
        .slice(0, index)
        .find(({ place, prepared }) => place > late.place && +prepared > +late.accepted + COMMIT_MS);
      return jumped ? [`${jumped.batch} was sent before ${late.batch}, which was waiting`] : [];
    }),
  );
}

async function checkResults(pool: pg.Pool, drops: readonly ScaleDrop[]): Promise<string[]> {
  const { rows } = await pool.query<{ file: string; name: string }>(
    `SELECT f.name AS file, o.name FROM output o JOIN file f USING (file_id) WHERE o.kind = 'result'`,
  );
  const nameOf = new Map(rows.map(({ file, name }) => [file, name]));
  const failures: string[] = [];
  for (const { root, name, invoices } of drops) {
    const result = nameOf.get(name);
    if (result === undefined || !existsSync(join(root, 'out', result))) failures.push(`${name} has no result`);
    else if (!(await holdsInOrder(join(root, 'out', result), invoices)))
      failures.push(`the result of ${name} does not hold its rows in their order`);
  }
  return failures.slice(0, 10);
}

async function holdsInOrder(path: string, invoices: readonly string[]): Promise<boolean> {
  const [, ...written] = (await readFile(path, 'utf8')).trimEnd().split('\r\n');
  return (
    written.length === invoices.length &&
    invoices.every((invoice, index) => written[index]!.split(',').includes(invoice))
  );
}
