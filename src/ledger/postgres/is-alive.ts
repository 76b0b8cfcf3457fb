import { systemCode } from '../../kernel/errors.ts';

/** Returns whether a process with this id exists, under any user; false for an invalid id. */
export function isAlive(pid: number): boolean {
  // Zero and negative ids would address whole groups of processes.
  if (!Number.isSafeInteger(pid) || pid <= 0) return false;
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return systemCode(error) === 'EPERM';
  }
}
