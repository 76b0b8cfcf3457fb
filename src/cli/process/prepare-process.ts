import { setFlagsFromString } from 'node:v8';
import type { Writable } from 'node:stream';
import { systemCode } from '../../kernel/errors.ts';

/**
 * Lets a reader of our output leave early, as `head` does. The work is still finished, so that the exit status is true
 * and the database is left in order; otherwise the process would die midway.
 */
export function outliveReaders(streams: readonly Writable[]): void {
  for (const stream of streams) {
    stream.on('error', (error) => {
      if (systemCode(error) !== 'EPIPE') throw error;
    });
  }
}

/**
 * Makes V8 run a function eight times longer, and for many more instructions, before it optimizes it. The service runs
 * much code for a few milliseconds per file. With the default, V8 spent half the processor time of a file of 10,000
 * rows compiling code that was hardly used again. That took cores from the database. Large files lose nothing: their
 * row code passes the limit at once.
 * This process-wide flag also covers threads, and counts from the moment it is set. V8 11 of Node 20 counts instructions,
 * later versions count calls by the length of the function. V8 would print an error for a flag that it does not know.
 */
export function compileLater(): void {
  const countsCalls = Number.parseInt(process.versions.v8, 10) >= 12;
  setFlagsFromString(countsCalls ? '--invocation-count-for-turbofan=24000' : '--interrupt-budget=540000');
}

/**
 * Keeps the heap small, for a process that runs for a long time beside others.
 * The young generation keeps its initial size. By default it grows to 48 MB, or twice that on newer versions of Node,
 * and never shrinks. It holds only short-lived objects of single files and calls; rows of large files are bytes, not
 * objects. The old generation is collected when it has grown by two fifths, not threefold.
 * These are process flags, because a running process has no setting for these sizes. V8 reads both flags before
 * growing, so they count from the moment they are set.
 */
export function keepHeapSmall(): void {
  setFlagsFromString('--semi-space-growth-factor=1');
  setFlagsFromString('--heap-growing-percent=40');
}
