import { childrenOf, readProc } from './proc.ts';

/**
 * Processor time in ms that a process has taken since its start, with all that it has started; null when it is gone or the
 * system does not tell. To the hundredth of a second, as Linux counts.
 */
export function processorMsOf(pid: number): number | null {
  const own = ticksOf(pid);
  if (own === undefined) return null;
  return (own + sum(childrenOf(pid).map(livingTicksOf))) * TICK_MS;
}

/** Of a child that has ended its parent knows. */
function livingTicksOf(pid: number): number {
  return (ticksOf(pid) ?? 0) + sum(childrenOf(pid).map(livingTicksOf));
}

/** Of the process and of its children that have ended, as user and as system. */
function ticksOf(pid: number): number | undefined {
  const stat = readProc(pid, 'stat');
  // The name comes second, in brackets, and may hold anything.
  const fields = stat?.slice(stat.lastIndexOf(')') + 2).split(' ');
  return fields && sum(fields.slice(FIRST_TIME, FIRST_TIME + 4).map(Number));
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

/** Of the fields behind the name: utime, stime, cutime, cstime. */
const FIRST_TIME = 11;

const TICK_MS = 10;
