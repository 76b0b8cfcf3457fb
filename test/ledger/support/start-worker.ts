import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { onTestFinished } from 'vitest';
import { buildProgram } from '../../support/build-program.ts';
import type { Order } from './worker.ts';

/** Starts `support/worker.ts` as a separate process and kills it when the test ends. */
export async function startWorker(url: string, order: Partial<Order> = {}) {
  const { fileOf } = await buildProgram();
  const words = JSON.stringify({ prepare: [], send: [], ...order, url });
  const child = spawn(process.execPath, [fileOf('test/ledger/support/worker.ts'), words], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = once(child, 'exit');
  const kill = async () => {
    child.kill('SIGKILL');
    await ended;
  };
  onTestFinished(kill);
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return {
    /** Resolves with its instance id once it holds everything it was told to take. */
    ready: async (): Promise<string> => {
      const { value, done } = await lines.next();
      if (done) throw new Error('the worker ended without a word');
      return value;
    },
    kill,
  };
}
