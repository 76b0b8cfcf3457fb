import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { runHere } from '../cli/support/run-here.ts';
import { makeInstallation } from '../support/installation.ts';

/** Settings that would let the queue run a job twice by itself are refused, not ignored. */
it.each([
  ['queue:\n  attempts: 3\n', 'queue'],
  ['concurrency:\n  submit: 8\n  maxStalledCount: 1\n', 'concurrency'],
  ['attempts: 2\n', 'attempts'],
])('a process with %j in its configuration does not start', async (setting, named) => {
  const installation = await makeInstallation({ accounts: ['dues'], serviceUrl: 'http://127.0.0.1:9' });
  onTestFinished(() => installation.remove());
  const file = join(installation.root, 'paydrop.yaml');
  await writeFile(file, (await readFile(file, 'utf8')) + setting);
  const { status, err } = await runHere(['--dir', installation.root, 'start']);
  expect(status).toBe(1);
  expect(err).toContain(named);
  expect(err).toMatch(/Unrecognized key/);
});
