import { createHash } from 'node:crypto';
import { availableParallelism } from 'node:os';

/** What the work takes on an idle core of the machine on which the figures of docs/performance.md were taken. */
const USUAL_S = 0.4;

/** Environment variable in which the start of a run leaves its time for the summary. */
export const WORK_VARIABLE = 'PAYDROP_TEST_FIXED_WORK_S';

/** Returns the seconds that a fixed piece of work takes on one core now: hashes and JSON, as most tests do. */
export function timeFixedWork(): number {
  const begin = performance.now();
  const block = Buffer.alloc(1024 * 1024, 'payment');
  const hash = createHash('sha256');
  for (let round = 0; round < 320; round += 1) hash.update(block);
  hash.digest();
  const rows = Array.from({ length: 1_000 }, (_, n) => ({ invoice: `INV-${n}`, cents: n * 25, note: 'June dues' }));
  for (let round = 0; round < 500; round += 1) JSON.parse(JSON.stringify(rows));
  return (performance.now() - begin) / 1_000;
}

/** Returns the line of the summary by which a slow machine and a slow suite can be told apart. */
export function describeMachine(seconds: number): string {
  const share = (seconds / USUAL_S).toFixed(2);
  return `machine: ${seconds.toFixed(2)} s for the fixed work (${share}; 1.00 = ${USUAL_S.toFixed(2)} s), ${availableParallelism()} cores`;
}
