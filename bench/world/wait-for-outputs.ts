import { readdir } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';

/** The output that a file gets last (workers/deliver/deliver.ts). */
const LAST_OUTPUT = '.summary.txt';
const LOOK_MS = 5;
/** Share of a processor that scans may use, because paydrop needs it too. Large folders are scanned less often. */
const MOST_LOOKING = 0.05;

/**
 * Waits until this many files have all their outputs.
 * @throws Error when nothing new appears for `patienceMs`, or when a file was not accepted
 */
export async function waitForOutputs(out: string, files: number, patienceMs = 300_000): Promise<void> {
  let seen = -1;
  let since = performance.now();
  for (;;) {
    const before = process.cpuUsage();
    const names = await readdir(out).catch(() => []);
    const stray = names.find((name) => name.endsWith('.nak.csv') || name.endsWith('.held.csv'));
    if (stray !== undefined) throw new Error(`a file that should have been sent was not: ${stray}`);
    if (names.filter((name) => name.endsWith(LAST_OUTPUT)).length >= files) return;
    if (names.length !== seen) since = performance.now();
    seen = names.length;
    if (performance.now() - since > patienceMs) throw new Error(`only ${seen} outputs came in time`);
    // Processor time, not elapsed time: a scan that waits 6 ms for a processor would delay the next one by 120 ms.
    const { user, system } = process.cpuUsage(before);
    await sleep(Math.max(LOOK_MS, (user + system) / 1_000 / MOST_LOOKING));
  }
}
