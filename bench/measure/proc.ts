import { readdirSync, readFileSync } from 'node:fs';

/** What Linux tells of a process; undefined when it is gone, or the system is another one. */
export function readProc(pid: number | 'self', name: string): string | undefined {
  try {
    return readFileSync(`/proc/${pid}/${name}`, 'latin1');
  } catch {
    return undefined;
  }
}

/** Children stand with the thread that started them. */
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
