import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach } from 'vitest';
import { type Sandbox, type SandboxOptions, startSandbox } from '../../../src/sandbox/start-sandbox.ts';

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
