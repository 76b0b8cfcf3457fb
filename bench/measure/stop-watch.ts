import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { processorMsOf } from './processor-time.ts';

/** Processor time in ms between two moments: of paydrop's own process, and of the installation's PostgreSQL. */
export type ProcessorTime = { processorMs: number; databaseMs: number };

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
