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
