import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';
import type { Order } from './worker.ts';

/** Starts support/worker.ts as a process of its own. It is killed when the test ends before it does. */
export function startWorker(url: string, order: Partial<Order> = {}) {
  const program = fileURLToPath(new URL('./worker.ts', import.meta.url));
  const words = JSON.stringify({ prepare: [], send: [], ...order, url });
  const child = spawn(process.execPath, ['--import', import.meta.resolve('tsx'), program, words], {
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
    /** Its instance id, once it holds everything that it was told to take. */
    ready: async (): Promise<string> => {
      const { value, done } = await lines.next();
      if (done) throw new Error('the worker ended without a word');
      return value;
    },
    kill,
  };
}
