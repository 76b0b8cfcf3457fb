import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { once } from 'node:events';
import { reasonOf, systemCode } from '../../../src/kernel/errors.ts';
import { ARMER, type Program } from '../../support/build-program.ts';
import { type Daemon, findFreePort, startDaemon } from '../../support/daemon.ts';
import type { Order } from './acts.ts';
import type { BookRow } from '../../../src/sandbox/books/book-row.ts';
import { agentCodeOf, PASSWORD } from '../../support/installation.ts';

/** Sent over the channel in place of an order. */
const NO_ORDER = 0;

/** Starts `paydrop start` so that it can be made to die; an order holds from its first moment. */
export function startLife(
  program: Program,
  root: string,
  { life, env, order }: { life: number; env: Record<string, string>; order?: Order | undefined },
): Daemon {
  return startDaemon({
    program,
    root,
    env: { ...env, ...(order && { CHAOS_ORDER: JSON.stringify(order) }) },
    preload: [ARMER],
    logFile: join(root, 'logs', `daemon-${life}.log`),
  });
}

/** Makes it die or freeze where the order says; without an order, nowhere. */
export function arm(daemon: Daemon, order: Order | undefined): Promise<void> {
  return daemon.tell(order ?? NO_ORDER);
}

/** Kills a process that is not our child, and waits until it is gone. A process that is gone already is no error. */
export async function killProcess(pid: number): Promise<void> {
  if (!Number.isSafeInteger(pid) || pid <= 1) return;
  try {
    process.kill(pid, 'SIGKILL');
    while (await isRunning(pid)) await sleep(10);
  } catch (error) {
    if (systemCode(error) !== 'ESRCH') throw error;
  }
}

/** Returns whether a process runs. A killed process that was not collected yet has a number, but counts as ended. */
async function isRunning(pid: number): Promise<boolean> {
  process.kill(pid, 0);
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  return !/\) [ZX] /.test(stat);
}

/** Runs a command of the product as a person would. Returns its exit status and its output. */
export function runCommand(
  program: Program,
  root: string,
  words: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<{ status: number; said: string }> {
  return new Promise((resolve) => {
    execFile(
      process.execPath,
      [program.main, '--dir', root, ...words],
      { env: { ...process.env, ...env } },
      (error, stdout, stderr) => {
        const status = error === null ? 0 : typeof error.code === 'number' ? error.code : 1;
        resolve({ status, said: `${stdout}${stderr}`.trim() });
      },
    );
  });
}

/** The sandbox as a process of its own. Its books are on disk, and everything else is compared with them. */
export type Service = {
  readonly url: string;
  kill(): Promise<void>;
  /** Starts it again at the same address, with the books of the dead process. */
  restart(): Promise<void>;
  books(): Promise<BookRow[]>;
};

/** Longer than the first poll takes to arrive, even on a busy machine, so that some polls come too early. */
const BATCH_DELAY_MS = 300;

/** @param dataDir without it, the books are in memory and die with the process */
export async function startService(
  program: Program,
  dataDir: string | undefined,
  accounts: readonly string[],
): Promise<Service> {
  const wordsFor = (port: number) => [
    'sandbox',
    '--port',
    String(port),
    ...(dataDir === undefined ? [] : ['--data', dataDir]),
    '--batch-delay',
    String(BATCH_DELAY_MS),
    // A row that comes twice is charged twice, so nothing hides a double send.
    '--no-card-duplicates',
    '--accounts',
    accounts.map((name) => `${agentCodeOf(name)}:${PASSWORD}`).join(','),
  ];
  const first = await beginOnFreePort(program, wordsFor);
  const { port } = first;
  let { child } = first;
  const words = wordsFor(port);
  const url = `http://127.0.0.1:${port}`;
  const kill = async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const gone = once(child, 'exit');
    child.kill('SIGKILL');
    await gone;
  };
  return {
    url,
    kill,
    restart: async () => {
      await kill();
      child = await begin(program, words);
    },
    books: async () => {
      const answer = await fetch(`${url}/sandbox/books`);
      const lines = (await answer.text()).split('\n').filter((line) => line !== '');
      return lines.map((line) => JSON.parse(line) as BookRow);
    },
  };
}

/** Another process may take a free port before the sandbox listens on it; then another one is tried. */
async function beginOnFreePort(
  program: Program,
  wordsFor: (port: number) => string[],
): Promise<{ port: number; child: ChildProcess }> {
  for (let tries = 1; ; tries += 1) {
    const port = await findFreePort();
    try {
      return { port, child: await begin(program, wordsFor(port)) };
    } catch (error) {
      if (tries === MOST_TRIES || !reasonOf(error).includes('EADDRINUSE')) throw error;
    }
  }
}

const MOST_TRIES = 10;

async function begin(program: Program, words: string[]): Promise<ChildProcess> {
  // The armer makes it die with its runner, like the daemon; it never gets an order to die.
  const child = spawn(process.execPath, ['--import', program.moduleOf(ARMER), program.main, ...words], {
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  });
  let said = '';
  for await (const text of child.stderr!.setEncoding('utf8').iterator({ destroyOnReturn: false })) {
    said += String(text);
    if (!said.includes('listens on')) continue;
    child.stderr!.resume();
    return child;
  }
  throw new Error(`the sandbox did not start: ${said}`);
}
