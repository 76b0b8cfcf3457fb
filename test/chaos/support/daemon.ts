import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { systemCode } from '../../../src/kernel/errors.ts';
import { ARMER, type Program } from '../../support/build-program.ts';
import type { Order } from './acts.ts';

/** `paydrop start` as a process of its own that can be made to die. */
export type Daemon = {
  /** Fulfilled when it watches its folders, or is dead. */
  readonly ready: Promise<void>;
  /** How it ended. */
  readonly ended: Promise<{ code: number | null; signal: NodeJS.Signals | null }>;
  isAlive(): boolean;
  /** Makes it die or freeze where the order says; without an order, nowhere. */
  arm(order: Order | undefined): Promise<void>;
  /** Returns whether it is frozen in the middle of its work. */
  isFrozen(): Promise<boolean>;
  freeze(): void;
  thaw(): void;
  /** Ends it as a power cut would. */
  kill(): Promise<void>;
  /** Ends it as its user would. */
  stop(): Promise<void>;
  lastWords(): string;
};

const LAST_WORDS = 4_000;

/** Sent over the channel in place of an order. */
const NO_ORDER = 0;

export function startDaemon(
  program: Program,
  root: string,
  options: { life: number; env: Record<string, string>; order?: Order | undefined },
): Daemon {
  const order = options.order && { CHAOS_ORDER: JSON.stringify(options.order) };
  const child = spawn(process.execPath, ['--import', program.moduleOf(ARMER), program.main, '--dir', root, 'start'], {
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    env: { ...process.env, PAYDROP_LOG_LEVEL: 'debug', PAYDROP_DASHBOARD: 'off', ...options.env, ...order },
  });
  let said = '';
  const log = createWriteStream(join(root, 'logs', `daemon-${options.life}.log`));
  const ended = waitForEnd(child);
  const ready = new Promise<void>((resolve) => {
    child.stderr!.setEncoding('utf8').on('data', (text: string) => {
      log.write(text);
      // Searched before it is cut: on a busy machine one chunk may hold more than is kept.
      said += text;
      if (said.includes('paydrop is running')) resolve();
      said = said.slice(-LAST_WORDS);
    });
    child.stderr!.on('end', () => log.end());
    void ended.then(() => resolve());
  });
  const isAlive = () => child.exitCode === null && child.signalCode === null;
  const signal = async (name: NodeJS.Signals) => {
    if (isAlive()) child.kill(name);
    await ended;
  };
  return {
    ready,
    ended,
    isAlive,
    arm: async (wanted) => {
      const armed = Promise.race([once(child, 'message'), ended]);
      // A process that is dying has closed its channel already.
      if (child.connected) child.send(wanted ?? NO_ORDER, () => {});
      await armed;
    },
    isFrozen: async () => {
      const stat = await readFile(`/proc/${child.pid}/stat`, 'utf8').catch(() => '');
      return /\) T /.test(stat);
    },
    freeze: () => void child.kill('SIGSTOP'),
    thaw: () => void child.kill('SIGCONT'),
    kill: () => signal('SIGKILL'),
    stop: () => signal('SIGTERM'),
    lastWords: () => said,
  };
}

async function waitForEnd(child: ChildProcess): Promise<{ code: number | null; signal: NodeJS.Signals | null }> {
  const [code, signal] = (await once(child, 'exit')) as [number | null, NodeJS.Signals | null];
  return { code, signal };
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
