import { systemCode } from '../../kernel/errors.ts';

/** Whether a process of this number exists, whoever it belongs to. Without a number there is none. */
export function isAlive(pid: number): boolean {
  // Zero and negative numbers would ask about whole groups of processes.
  if (!Number.isSafeInteger(pid) || pid <= 0) return false;
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return systemCode(error) === 'EPERM';
  }
}
