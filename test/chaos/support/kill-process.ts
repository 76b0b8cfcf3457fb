import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { systemCode } from '../../../src/kernel/errors.ts';

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
