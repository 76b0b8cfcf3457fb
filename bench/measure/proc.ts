import { readdirSync, readFileSync } from 'node:fs';

/** Reads a file of `/proc` for a process; undefined when the process is gone or the system is not Linux. */
export function readProc(pid: number | 'self', name: string): string | undefined {
  try {
    return readFileSync(`/proc/${pid}/${name}`, 'latin1');
  } catch {
    return undefined;
  }
}

/** Returns the child processes. Linux lists them under the thread that started them. */
export function childrenOf(pid: number): number[] {
  return listTasks(pid).flatMap((task) => {
    const words = readProc(pid, `task/${task}/children`)?.trim() ?? '';
    return words === '' ? [] : words.split(' ').map(Number);
  });
}

function listTasks(pid: number): string[] {
  try {
    return readdirSync(`/proc/${pid}/task`);
  } catch {
    return [];
  }
}
