import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as wait } from 'node:timers/promises';
import { afterEach, expect, onTestFinished } from 'vitest';
import { type Sandbox, type SandboxOptions, startSandbox } from '../../../src/sandbox/start-sandbox.ts';
import { buildProgram } from '../../support/build-program.ts';
import { submitBatch } from './soap-request.ts';

/** Starts sandboxes and makes folders that are removed after the test. Call it once per test file. */
export function useSandboxes() {
  const cleanups: (() => Promise<void>)[] = [];
  afterEach(async () => {
    for (const clean of cleanups.splice(0).reverse()) await clean();
  });
  return {
    start: async (options: SandboxOptions = {}): Promise<Sandbox> => {
      const sandbox = await startSandbox(options);
      cleanups.push(() => sandbox.close().catch(() => undefined));
      return sandbox;
    },
    folder: async (): Promise<string> => {
      const folder = await mkdtemp(join(tmpdir(), 'sandbox-'));
      cleanups.push(() => rm(folder, { recursive: true, force: true }));
      return folder;
    },
  };
}

export const ACCOUNT = '02100002100000000000000001';

/**
 * Kills sandboxes that share one folder, each some ms after its first batch and while it takes more. Checks that the
 * next one has all of each batch or nothing, and everything that was answered.
 */
export async function killRepeatedly(world: ReturnType<typeof useSandboxes>, delays: readonly number[]): Promise<void> {
  const dataDir = await world.folder();
  const answered: string[] = [];
  for (const [round, delayMs] of delays.entries()) {
    const { url, child } = await startChild(dataDir);
    const first = submitBatch(url, 'ProcessACHEFTChargeBatch', rowsOf(`R${round}-first`, ROWS));
    answered.push(await first);
    const others = Array.from({ length: 30 }, (_, index) =>
      submitBatch(url, 'ProcessACHEFTChargeBatch', rowsOf(`R${round}-${index}`, ROWS)).then(
        (batchId) => answered.push(batchId),
        () => 'cut off',
      ),
    );
    await wait(delayMs);
    await kill(child);
    await Promise.all(others);
  }
  const sandbox = await world.start({ dataDir });
  const booked = new Map<string, string[]>();
  for (const { batchId, invoice } of sandbox.books()) {
    booked.set(batchId, [...(booked.get(batchId) ?? []), invoice]);
  }
  for (const invoices of booked.values()) {
    const name = invoices[0]?.replace(/-\d+$/, '');
    expect(invoices).toEqual(Array.from({ length: ROWS }, (_, row) => `${name}-${row}`));
  }
  expect(new Set(answered).size).toBe(answered.length);
  expect(answered.filter((batchId) => !booked.has(batchId))).toEqual([]);
  const next = await submitBatch(sandbox.url, 'ProcessACHEFTChargeBatch', rowsOf('last', 1));
  expect(Number(next)).toBeGreaterThan(Math.max(...answered.map(Number)));
}

/** Enough rows that writing a batch takes a while. */
const ROWS = 400;

export function rowsOf(name: string, count: number): string {
  const rows = Array.from({ length: count }, (_, row) => `${name}-${row},Ada,Byron,CHECKING,${ACCOUNT},5.00,Gift`);
  return rows.join('\n');
}

export async function startChild(dataDir: string): Promise<{ url: string; child: ChildProcess }> {
  const { fileOf } = await buildProgram();
  const script = fileOf('test/sandbox/support/sandbox-child.ts');
  const child = spawn(process.execPath, [script, dataDir], { stdio: ['ignore', 'pipe', 'inherit'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  const [line] = await Promise.race([
    once(child.stdout, 'data'),
    once(child, 'exit').then(([code]) => Promise.reject(new Error(`the child ended with ${code}`))),
  ]);
  return { url: String(line).trim(), child };
}

export async function kill(child: ChildProcess): Promise<void> {
  const gone = once(child, 'exit');
  child.kill('SIGKILL');
  await gone;
}
