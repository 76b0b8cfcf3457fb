import { peakBytes } from '../../../bench/measure/peak-memory.ts';

/** Runs the command line in this process, and prints its peak memory to standard error when it ends. */
process.on('exit', () => console.error(`peak ${Math.round(peakBytes() / 1024 / 1024)} MB`));
await import('../../../src/main.ts');
