import { readdir } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { createReadStream } from 'node:fs';
import { join } from 'node:path';

/** The output that a file of paydrop gets last (workers/deliver/deliver.ts). */
export const LAST_OUTPUT = '.summary.txt';
const LOOK_MS = 5;
/** Share of a processor that scans may use, because paydrop needs it too. Large folders are scanned less often. */
const MOST_LOOKING = 0.05;

type WaitOptions = { lastOutput?: string; patienceMs?: number };

/**
 * Waits until this many files have all their outputs.
 * @param options.lastOutput ending of the output that comes last, that of paydrop by default
 * @throws Error when nothing new appears for `patienceMs`, or when a file was not accepted
 */
export async function waitForOutputs(
  out: string,
  files: number,
  { lastOutput = LAST_OUTPUT, patienceMs = 300_000 }: WaitOptions = {},
): Promise<void> {
  let seen = -1;
  let since = performance.now();
  for (;;) {
    const before = process.cpuUsage();
    const names = await readdir(out).catch(() => []);
    const stray = names.find((name) => name.endsWith('.nak.csv') || name.endsWith('.held.csv'));
    if (stray !== undefined) throw new Error(`a file that should have been sent was not: ${stray}`);
    if (names.filter((name) => name.endsWith(lastOutput)).length >= files) return;
    if (names.length !== seen) since = performance.now();
    seen = names.length;
    if (performance.now() - since > patienceMs) throw new Error(`only ${seen} outputs came in time`);
    // Processor time, not elapsed time: a scan that waits 6 ms for a processor would delay the next one by 120 ms.
    const { user, system } = process.cpuUsage(before);
    await sleep(Math.max(LOOK_MS, (user + system) / 1_000 / MOST_LOOKING));
  }
}

/** Counts the rows of all results in an output folder, so that no contestant gains time by leaving rows out. */
export async function countResults(out: string): Promise<number> {
  let rows = 0;
  for (const name of await readdir(out)) {
    // The first line holds the titles.
    if (name.endsWith('.result.csv')) rows += (await countLines(join(out, name))) - 1;
  }
  return rows;
}

async function countLines(path: string): Promise<number> {
  let lines = 0;
  for await (const chunk of createReadStream(path) as AsyncIterable<Buffer>) {
    for (let at = chunk.indexOf(10); at >= 0; at = chunk.indexOf(10, at + 1)) lines += 1;
  }
  return lines;
}
