import { setFlagsFromString } from 'node:v8';

/**
 * Makes V8 run a function eight times longer, and for many more instructions, before it optimizes it. The service runs
 * much code for a few milliseconds per file. With the default, V8 spent half the processor time of a file of 10,000
 * rows compiling code that was hardly used again. That took cores from the database. Large files lose nothing: their
 * row code passes the limit at once.
 * This process-wide flag also covers threads, and counts from the moment it is set.
 */
export function compileLater(): void {
  setFlagsFromString('--interrupt-budget=540000');
}
