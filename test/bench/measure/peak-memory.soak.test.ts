import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { afterAll, describe, expect, it } from 'vitest';
import { peakMemoryOf, watchMemory } from '../../../bench/measure/peak-memory.ts';

const children: ReturnType<typeof spawn>[] = [];
afterAll(() => children.forEach((child) => child.kill()));

/** Starts a process that prints `up` when it is ready and runs until it is killed. */
async function start(code: string) {
  const child = spawn(process.execPath, ['-e', `${code}; setInterval(() => {}, 1000); console.log('up')`]);
  children.push(child);
  await once(child.stdout, 'data');
  return child;
}

const HOLD_100_MB = 'globalThis.held = Buffer.alloc(100e6, 1)';

describe('memory of a process', () => {
  it('tells the largest, also when it was let go', async () => {
    const child = await start(`${HOLD_100_MB}; globalThis.held = undefined; globalThis.gc?.()`);
    expect(peakMemoryOf(child.pid!)).toBeGreaterThan(100);
  });

  it('is unknown of a process that is gone', async () => {
    const child = await start('');
    child.kill('SIGKILL');
    await once(child, 'exit');
    expect(peakMemoryOf(child.pid!)).toBeNull();
  });

  it('counts what a process has started, and leaves PostgreSQL out', async () => {
    const grandchild = `require('node:child_process').spawn(process.execPath, ['-e', ${JSON.stringify(
      `${HOLD_100_MB}; process.send('up'); setInterval(() => {}, 1000)`,
    )}], { stdio: ['ignore', 'ignore', 'ignore', 'ipc'] }).on('message', () => console.log('both up'))`;
    const child = spawn(process.execPath, ['-e', grandchild]);
    children.push(child);
    await once(child.stdout, 'data');
    expect(watchMemory(child.pid!).stop()).toBeGreaterThan(100 + peakMemoryOf(child.pid!)!);
    const database = await start(`process.title = 'postgres'; ${HOLD_100_MB}`);
    expect(watchMemory(database.pid!).stop()).toBeNull();
  });
});
