import { readdirSync, readFileSync } from 'node:fs';

/**
 * Returns the peak resident memory of a process in MB; null when it is gone or the system does not report it. Node's
 * `maxRSS` would be wrong: on Linux it is inherited from the parent process.
 */
export function peakMemoryOf(pid: number | 'self'): number | null {
  const status = readProc(pid, 'status');
  const kib = /^VmHWM:\s+(\d+) kB$/m.exec(status ?? '')?.[1];
  return kib === undefined ? null : (Number(kib) * 1_024) / 1e6;
}

type MemoryWatch = { stop(): number | null };

/**
 * Adds up the peaks of a process and its descendants, without PostgreSQL, ten times a second. Peaks need not coincide,
 * so the sum is an upper bound.
 */
export function watchMemory(pid: number): MemoryWatch {
  let most: number | null = null;
  const look = () => {
    const peaks = familyOf(pid).map(peakMemoryOf);
    const sum = peaks.reduce<number>((total, peak) => total + (peak ?? 0), 0);
    if (sum > 0) most = Math.max(most ?? 0, sum);
  };
  const timer = setInterval(look, 100);
  return {
    stop: () => {
      look();
      clearInterval(timer);
      return most;
    },
  };
}

function familyOf(pid: number): number[] {
  const name = readProc(pid, 'comm')?.trim();
  if (name === undefined || name === 'postgres' || name === 'pg_ctl') return [];
  return [pid, ...childrenOf(pid).flatMap(familyOf)];
}

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

/** Returns the peak memory of this process, from Node where the system does not report it. */
export function peakBytes(): number {
  const peakMb = peakMemoryOf('self');
  return peakMb === null ? process.resourceUsage().maxRSS * 1024 : peakMb * 1e6;
}
