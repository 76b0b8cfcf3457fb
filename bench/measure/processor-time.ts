import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { childrenOf, readProc } from './peak-memory.ts';

/**
 * Returns the processor time in ms of a process and its descendants since its start. Null when it is gone or the system
 * does not report it. Linux counts in hundredths of a second.
 */
export function processorMsOf(pid: number): number | null {
  const own = ticksOf(pid);
  if (own === undefined) return null;
  return (own + sum(childrenOf(pid).map(livingTicksOf))) * TICK_MS;
}

/** Returns the time of a running child and its descendants; children that ended count in their parent. */
function livingTicksOf(pid: number): number {
  return (ticksOf(pid) ?? 0) + sum(childrenOf(pid).map(livingTicksOf));
}

/** Returns user and system time of the process and of its ended children. */
function ticksOf(pid: number): number | undefined {
  const stat = readProc(pid, 'stat');
  // The name is the second field, in brackets, and may contain anything.
  const fields = stat?.slice(stat.lastIndexOf(')') + 2).split(' ');
  return fields && sum(fields.slice(FIRST_TIME, FIRST_TIME + 4).map(Number));
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

/** Index of utime among the fields after the name; stime, cutime and cstime follow. */
const FIRST_TIME = 11;

const TICK_MS = 10;

/** Processor time in ms between two moments: of paydrop's own process, and of the installation's PostgreSQL. */
type ProcessorTime = { processorMs: number; databaseMs: number };

/**
 * Starts counting.
 * @param pid of the paydrop process
 * @param root of the installation, whose PostgreSQL is running
 */
export function startStopWatch(pid: number, root: string): () => ProcessorTime {
  const [postmaster = ''] = readFileSync(join(root, 'data', 'postgres', 'data', 'postmaster.pid'), 'latin1').split(
    '\n',
  );
  const look = () => [processorMsOf(pid), processorMsOf(Number(postmaster))] as const;
  const before = look();
  return () => {
    const [processorMs, databaseMs] = look().map((ms, index) => (ms ?? Number.NaN) - (before[index] ?? Number.NaN));
    return { processorMs: processorMs!, databaseMs: databaseMs! };
  };
}
