import { childrenOf, readProc } from './proc.ts';

/**
 * Largest resident memory that a process ever had, in MB; null when it is gone or the system does not tell.
 *
 * Not `maxRSS` of Node: Linux hands that on from the process that started this one.
 */
export function peakMemoryOf(pid: number | 'self'): number | null {
  const status = readProc(pid, 'status');
  const kib = /^VmHWM:\s+(\d+) kB$/m.exec(status ?? '')?.[1];
  return kib === undefined ? null : (Number(kib) * 1_024) / 1e6;
}

export type MemoryWatch = { stop(): number | null };

/**
 * Adds up the peaks of a process and all that it starts, PostgreSQL's own processes apart, ten times a second. Peaks of
 * two processes need not fall together, so the sum is a bound from above.
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
