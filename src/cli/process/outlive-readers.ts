import type { Writable } from 'node:stream';
import { systemCode } from '../../kernel/errors.ts';

/**
 * Lets a reader of our output go away early, as `head` does. What was begun is finished all the same, so that the exit
 * status stays true and the database is left in order; without this the process would die in the middle.
 */
export function outliveReaders(streams: readonly Writable[]): void {
  for (const stream of streams) {
    stream.on('error', (error) => {
      if (systemCode(error) !== 'EPIPE') throw error;
    });
  }
}
