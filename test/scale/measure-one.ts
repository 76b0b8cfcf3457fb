import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, readFile, readlink, rm, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { stringify } from 'yaml';
import { createMasterKeyFile } from '../../src/crypto/master-key.ts';
import { buildProgram } from '../support/build-program.ts';
import { findFreePort, startDaemon } from '../support/daemon.ts';
import { agentCodeOf, PASSWORD } from '../support/installation.ts';
import { startService } from '../chaos/support/service.ts';
import { achRow, lines, upTo } from '../support/payment-rows.ts';
import { startTestPostgres } from '../support/postgres.ts';
import { SEARCH_PATH } from '../../src/ledger/engine/schema.ts';

type OnePlan = {
  accounts: number;
  /** Files that lie in the folders before the start; the accounts take turns. */
  files: number;
  rowsPerFile: number;
  /** How long the service takes for each answer, in ms. */
  answerMs: number;
  /** How long the process is measured after it runs, in seconds. */
  seconds: number;
  /** Pause between further files that are dropped meanwhile, in seconds; 0 drops none. */
  paceSeconds: number;
  say?: (text: string) => void;
};

export type Used = Awaited<ReturnType<typeof readProcess>>;

/** Figures of one process with every role. */
type OneReport = Used & {
  /** From its start until it says that it runs, in seconds. */
  startSeconds: number;
  /** Longest standstills of the event loop, in ms: until it runs, and afterwards. */
  startStandstillMs: number;
  standstillMs: number;
  filesTaken: number;
  /** What it used at the end of each minute. */
  minutes: Used[];
  /** Batches that the service answered, and how many of them in a second, from the first to the last. */
  calls: number;
  callsPerSecond: number;
};

/** Runs one process with every role, usual waits, a dashboard and a folder for each account, and measures it. */
export async function measureOne(plan: OnePlan): Promise<OneReport> {
  const { say = () => {} } = plan;
  const program = await buildProgram();
  const postgres = await startTestPostgres();
  const accounts = upTo(plan.accounts).map((n) => `acct-${n}`);
  const service = await startService(program, undefined, accounts);
  const slow = await answerLate(service.url, plan.answerMs);
  const pool = new pg.Pool({ connectionString: postgres.url, options: `-c search_path=${SEARCH_PATH}`, max: 1 });
  pool.on('error', () => {});
  const root = await install(accounts, slow.url);
  const loopFile = join(root, 'loop.txt');
  try {
    await dropAll(plan, accounts, root);
    const began = Date.now();
    const daemon = startDaemon({
      program,
      root,
      env: {
        DATABASE_URL: postgres.url,
        PAYDROP_LOG_LEVEL: 'info',
        PAYDROP_DASHBOARD: `127.0.0.1:${await findFreePort()}`,
        SCALE_LOOP_FILE: loopFile,
      },
      preload: ['test/scale/support/report-loop.ts'],
    });
    try {
      await daemon.said(/paydrop is running/);
      const ran = Date.now();
      say(`it runs after ${((ran - began) / 1_000).toFixed(1)} s`);
      const { used, minutes } = await watchProcess(plan, daemon.pid, (n) => drop(plan, accounts, root, n));
      const loop = await readLoop(loopFile);
      say(loop.map(({ at, lateMs }) => `${((at - began) / 1_000).toFixed(0)} s: ${lateMs} ms`).join(', '));
      const longest = (which: (at: number) => boolean) =>
        Math.max(0, ...loop.filter(({ at }) => which(at)).map(({ lateMs }) => lateMs));
      return {
        startSeconds: (ran - began) / 1_000,
        startStandstillMs: longest((at) => at <= ran),
        standstillMs: longest((at) => at > ran),
        ...used,
        minutes,
        ...(await readWork(pool)),
      };
    } finally {
      const stopping = Date.now();
      await daemon.stop();
      say(`it stops in ${((Date.now() - stopping) / 1_000).toFixed(1)} s`);
    }
  } finally {
    await pool.end();
    await rm(root, { recursive: true, force: true, maxRetries: 5 });
    slow.close();
    await service.kill();
    await postgres.stop();
    await program.remove();
  }
}

/** Makes a folder as a user has it. Its waits are the usual ones. */
async function install(accounts: readonly string[], baseUrl: string): Promise<string> {
  const root = await mkdtemp(join(tmpdir(), 'paydrop-one-'));
  for (const dir of ['data', ...accounts.map((name) => `drop/${name}`)])
    await mkdir(join(root, dir), { recursive: true });
  createMasterKeyFile(join(root, 'data', 'master.key'));
  const place = { server: 'NA', country: 'US', currency: 'USD', password: PASSWORD, baseUrl };
  const config = {
    accounts: Object.fromEntries(accounts.map((name) => [name, { ...place, agentCode: agentCodeOf(name) }])),
    // Files that are unusual beside earlier ones are not measured here.
    folders: accounts.map((account) => ({
      path: `drop/${account}`,
      account,
      operation: 'ach-charge',
      unusualFactor: 0,
    })),
  };
  await writeFile(join(root, 'paydrop.yaml'), stringify(config), { mode: 0o600 });
  return root;
}

/** Lets files lie in the drop folders; their amounts differ, because similar files would be taken for the same. */
async function dropAll(plan: OnePlan, accounts: readonly string[], root: string): Promise<void> {
  for (const n of upTo(plan.files)) await drop(plan, accounts, root, n);
}

async function drop({ rowsPerFile }: OnePlan, accounts: readonly string[], root: string, n: number): Promise<void> {
  const amount = `${10 + (n % 80)}.${String(n % 100).padStart(2, '0')}`;
  const rows = upTo(rowsPerFile).map((row) => achRow(n * 1_000 + row, { invoice: `${n}-${row}`, amount }));
  await writeFile(join(root, 'drop', accounts[n % accounts.length]!, `file-${n}.csv`), lines(rows));
}

/** Measures the process each minute and at the end. @param drop takes the number of a further file */
async function watchProcess(plan: OnePlan, pid: number, drop: (n: number) => Promise<void>) {
  const minutes: Used[] = [];
  const began = performance.now();
  const passed = () => (performance.now() - began) / 1_000;
  for (let n = plan.files + 1; passed() < plan.seconds; n += 1) {
    const left = plan.seconds - passed();
    await sleep(Math.min(left, plan.paceSeconds || left, 60) * 1_000);
    if (plan.paceSeconds > 0) await drop(n);
    if (Math.floor(passed() / 60) > minutes.length) {
      minutes.push(await readProcess(pid));
      const { rssMb, descriptors, sockets } = minutes.at(-1)!;
      plan.say?.(`minute ${minutes.length}: ${rssMb} MB, ${descriptors} descriptors, ${sockets} sockets`);
    }
  }
  return { used: await readProcess(pid), minutes };
}

/** Stands before the service and hands every answer on later. */
export async function answerLate(url: string, answerMs: number): Promise<{ url: string; close(): void }> {
  const { hostname, port } = new URL(url);
  const pass = (asked: IncomingMessage, answer: ServerResponse) => {
    const { method, headers, url: path } = asked;
    const passed = request({ hostname, port, path, method, headers }, (given) => {
      setTimeout(() => {
        answer.writeHead(given.statusCode!, given.headers);
        given.pipe(answer);
      }, answerMs);
    });
    passed.on('error', () => answer.destroy());
    asked.pipe(passed);
  };
  const server = createServer(pass).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

export async function readProcess(pid: number) {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  const mbOf = (name: string) => Math.round(Number(new RegExp(`${name}:\\s+(\\d+)`).exec(status)?.[1]) / 1_024);
  const fds = await readdir(`/proc/${pid}/fd`);
  const targets = await Promise.all(fds.map((fd) => readlink(`/proc/${pid}/fd/${fd}`).catch(() => '')));
  /** Folders for which the system reports events. */
  let watches = 0;
  for (const fd of fds) {
    const info = await readFile(`/proc/${pid}/fdinfo/${fd}`, 'utf8').catch(() => '');
    watches += info.match(/^inotify /gm)?.length ?? 0;
  }
  const times = (await readFile(`/proc/${pid}/stat`, 'utf8')).split(') ')[1]!.split(' ');
  return {
    rssMb: mbOf('VmRSS'),
    peakRssMb: mbOf('VmHWM'),
    descriptors: fds.length,
    sockets: targets.filter((target) => target.startsWith('socket:')).length,
    watches,
    // In hundredths of a second, as Linux counts.
    processorSeconds: (Number(times[11]) + Number(times[12])) / 100,
  };
}

async function readLoop(file: string): Promise<{ at: number; lateMs: number }[]> {
  const text = await readFile(file, 'utf8').catch(() => '');
  return text
    .trim()
    .split('\n')
    .map((line) => line.split(' ').map(Number))
    .map(([at = 0, lateMs = 0]) => ({ at, lateMs }));
}

export async function readWork(pool: pg.Pool): Promise<Pick<OneReport, 'filesTaken' | 'calls' | 'callsPerSecond'>> {
  const { rows } = await pool.query<{ files: number; calls: number; seconds: number }>(
    `SELECT (SELECT count(*)::int FROM file) AS files, count(submitted_at)::int AS calls,
       coalesce(extract(epoch FROM max(submitted_at) - min(submitted_at)), 0)::float8 AS seconds FROM batch`,
  );
  const { files, calls, seconds } = rows[0]!;
  const callsPerSecond = seconds > 0 ? Math.round((calls / seconds) * 10) / 10 : 0;
  return { filesTaken: files, calls, callsPerSecond };
}
