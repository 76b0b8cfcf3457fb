import { threadId } from 'node:worker_threads';
import { PipelineError } from '../../../src/kernel/errors.ts';

/** What open-thread.soak.test.ts asks the thread to do. */
export type CountingOrder = {
  upTo: number;
  atEnd?: 'tell the thread' | 'fail' | 'fail as ours' | 'exit' | 'throw outside' | 'eat memory';
  /** Filled in while it works: how many items it made, and whether the task ended. */
  seen?: SharedArrayBuffer;
};

export const COUNTING_TASK = new URL(import.meta.url);

export async function* runTask({
  upTo,
  atEnd,
  seen,
}: CountingOrder): AsyncGenerator<{ n: number; bytes: Uint8Array }, string> {
  const notes = new Int32Array(seen ?? new SharedArrayBuffer(8));
  try {
    for (let n = 1; n <= upTo; n += 1) {
      Atomics.store(notes, 0, n);
      Atomics.notify(notes, 0);
      yield { n, bytes: new Uint8Array([n]) };
    }
    if (atEnd === 'tell the thread') return `thread ${threadId}`;
    if (atEnd === 'fail') throw new Error('it broke');
    if (atEnd === 'fail as ours') throw new PipelineError('SEAL_BROKEN', 'open "it"');
    if (atEnd === 'exit') process.exit(7);
    if (atEnd === 'throw outside') {
      setImmediate(() => {
        throw new Error('nobody catches it');
      });
      await new Promise(() => {});
    }
    if (atEnd === 'eat memory') eatMemory();
    return `counted to ${upTo}`;
  } finally {
    Atomics.store(notes, 1, 1);
    Atomics.notify(notes, 1);
  }
}

function eatMemory(): never {
  const eaten: unknown[] = [];
  for (;;) eaten.push(Array.from({ length: 1_000 }, (_, index) => ({ index })));
}
