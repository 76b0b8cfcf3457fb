import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chmod, copyFile, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { promisify } from 'node:util';
import { silentLog } from '../src/kernel/log.ts';
import { openPool } from '../src/ledger/engine/open-ledger.ts';
import { joinEmbeddedServer } from '../src/ledger/postgres/join-embedded-server.ts';
import { startSandbox } from '../src/sandbox/start-sandbox.ts';

/**
 * Upgrades two sending hosts one after the other while files come in: `tsx scripts/rolling-upgrade.ts <folder of the
 * earlier version>`. Ends with status 1 unless every row was charged exactly once. Both versions run from their source.
 */
const [earlier] = process.argv.slice(2);
if (earlier === undefined) throw new Error('name the folder of the earlier version');
const VERSIONS = { earlier: resolve(earlier), present: resolve('.') };
const HOSTS = ['first', 'second'] as const;
const ACCOUNTS = ['adues1', 'bdues1', 'cdues1'];
const ROWS = 3;
/** More than any step takes on a slow machine, in ms. */
const LIMIT_MS = 120_000;

type Host = (typeof HOSTS)[number];

const root = await mkdtemp(join(tmpdir(), 'paydrop-rolling-'));
// PostgreSQL runs as another user when this is root, and has to pass.
await chmod(root, 0o711);
const dataDir = join(root, 'ledger');
await mkdir(dataDir, { mode: 0o711 });
const server = await joinEmbeddedServer({ dataDir, log: silentLog(), fsync: false });
const { host: socket, port } = server.connection;
const databaseUrl = `postgres://paydrop@/paydrop?host=${encodeURIComponent(socket)}&port=${port}`;
const service = await startSandbox({
  accounts: ACCOUNTS.map((name) => ({ agentCode: name.toUpperCase(), password: 'TEST88' })),
  batchDelayMs: 200,
});
const pool = openPool({ connectionString: databaseUrl }, { log: silentLog() });
const running = new Map<Host, ChildProcess>();
let files = 0;

try {
  for (const host of HOSTS) await makeHost(host);
  await paydrop('earlier', 'first', 'init', join(root, 'first'));
  await copyFile(join(root, 'first', 'data', 'master.key'), join(root, 'second', 'data', 'master.key'));
  for (const host of HOSTS) start(host, 'earlier');
  await work(HOSTS, 4);
  await settle();
  await report('both hosts of the earlier version');
  await Promise.all([stop('second'), work(['first'], 4)]);
  await report('the second host stopped in the middle of work');
  start('second', 'present');
  await work(HOSTS, 8);
  await settle();
  await report('the second host of this version');
  await Promise.all([stop('first'), work(['second'], 4)]);
  start('first', 'present');
  await work(HOSTS, 4);
  await settle();
  await report('both hosts of this version');
  await Promise.all(HOSTS.map(stop));
  console.log(await paydrop('present', 'second', 'audit', 'verify'));
  const charged = service.books().map(({ invoice }) => invoice);
  const isRight = charged.length === files * ROWS && new Set(charged).size === charged.length;
  console.log(`${files} files, ${files * ROWS} rows, ${charged.length} charges, each once: ${isRight ? 'yes' : 'NO'}`);
  process.exitCode = isRight ? 0 : 1;
} finally {
  for (const child of running.values()) child.kill('SIGKILL');
  await pool.end();
  await service.close();
  await server.leave();
  await rm(root, { recursive: true, force: true });
}

async function makeHost(host: Host): Promise<void> {
  const account = (name: string) => ({
    agentCode: name.toUpperCase(),
    server: 'NA',
    country: 'US',
    currency: 'USD',
    timeZone: 'America/New_York',
    password: 'TEST88',
    baseUrl: service.url,
    poll: { firstMs: 500 },
  });
  const complete = { by: 'quiet', quietMs: 100 };
  const folderOf = (site: Host, name: string) => ({
    path: `drop/${site}/${name}`,
    account: name,
    operation: 'card',
    site,
  });
  const settings = {
    senders: HOSTS,
    accounts: Object.fromEntries(ACCOUNTS.map((name) => [name, account(name)])),
    folders: HOSTS.flatMap((site) =>
      ACCOUNTS.map((name) => ({ ...folderOf(site, name), sameTotals: 'off', complete })),
    ),
    batch: { maxRows: 2 },
  };
  await mkdir(join(root, host, 'data'), { recursive: true });
  for (const name of ACCOUNTS) await mkdir(join(root, host, 'drop', host, name), { recursive: true });
  await writeFile(join(root, host, 'paydrop.yaml'), JSON.stringify(settings), { mode: 0o600 });
}

function envOf(host: Host): NodeJS.ProcessEnv {
  const own = { DATABASE_URL: databaseUrl, PAYDROP_HOST: host, PAYDROP_SITE: host, PAYDROP_DASHBOARD: 'off' };
  return { ...process.env, ...own, PAYDROP_LOG_LEVEL: 'error' };
}

function wordsOf(version: keyof typeof VERSIONS, host: Host, words: readonly string[]): string[] {
  return ['--import', 'tsx', join(VERSIONS[version], 'src/main.ts'), '--dir', join(root, host), ...words];
}

async function paydrop(version: keyof typeof VERSIONS, host: Host, ...words: string[]): Promise<string> {
  const { stdout } = await promisify(execFile)(process.execPath, wordsOf(version, host, words), { env: envOf(host) });
  return stdout.trimEnd();
}

function start(host: Host, version: keyof typeof VERSIONS): void {
  const options = { env: envOf(host), stdio: ['ignore', 'inherit', 'inherit'] as const };
  running.set(
    host,
    spawn(process.execPath, wordsOf(version, host, ['start']), { ...options, stdio: [...options.stdio] }),
  );
}

async function stop(host: Host): Promise<void> {
  const child = running.get(host)!;
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  await ended;
  running.delete(host);
}

/** Drops a file into each folder of these hosts, this many times. */
async function work(hosts: readonly Host[], rounds: number): Promise<void> {
  for (let round = 0; round < rounds; round += 1) {
    for (const host of hosts)
      for (const name of ACCOUNTS) {
        files += 1;
        const row = (n: number) =>
          `06/15/2026,R-${files}-${n},Ada,Byron,1 Mill Lane,Troy,NY,12180,${10 + n}.00,VISA,4222222222222220,12/35\n`;
        const rows = Array.from({ length: ROWS }, (_, n) => row(n + 1)).join('');
        await writeFile(join(root, host, 'drop', host, name, `file-${files}.csv`), rows);
      }
    await wait(1_500);
  }
}

async function completed(): Promise<number> {
  const none = () => ({ rows: [{ files: 0 }] });
  const { rows } = await pool
    .query<{ files: number }>(`SELECT count(*) AS files FROM file WHERE state = 'completed'`)
    .catch(none);
  return rows[0]!.files;
}

/** Waits until every file is completed. */
async function settle(): Promise<void> {
  for (const begun = performance.now(); (await completed()) < files; await wait(200))
    if (performance.now() - begun > LIMIT_MS) throw new Error(`${files - (await completed())} files are not completed`);
}

async function report(what: string): Promise<void> {
  const { rows } = await pool.query<{ name: string }>('SELECT max(name) AS name FROM migration');
  console.log(
    `${what}: up to ${rows[0]!.name}, ${await completed()} of ${files} files completed, ${service.books().length} charges`,
  );
}
