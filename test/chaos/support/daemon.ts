import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { systemCode } from '../../../src/kernel/errors.ts';
import { ARMER, type Program } from '../../support/build-program.ts';
import { type Daemon, startDaemon } from '../../support/daemon.ts';
import type { Order } from './acts.ts';

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
