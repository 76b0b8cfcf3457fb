import { chmod, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { serverOf } from '../support/embedded-server.ts';
import { shortenWaits, stepsOf } from '../support/next-steps.ts';
import { runPaydrop, startChild } from '../support/run-child.ts';
import { runHere } from '../support/run-here.ts';

let root = '';
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'paydrop init-'));
  // The embedded PostgreSQL may run as another user, who needs access through this folder.
  await chmod(root, 0o711);
  vi.stubEnv('DATABASE_URL', '');
  vi.stubEnv('PAYDROP_MASTER_KEY', '');
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await rm(root, { recursive: true });
});

it('init prints next steps that work from an empty folder; other commands share the database of start', async () => {
  const { out } = await runPaydrop(['init', root]);
  const [sandbox, copy, once, start] = stepsOf(out).map(asCommand);
  await shortenWaits(root, await startSandbox(sandbox!));
  expect(await startChild('sh', ['-c', copy!]).ended).toMatchObject({ status: 0 });

  const ran = startChild('sh', ['-c', `${once} --timeout 60`]);
  expect(await ran.ended).toMatchObject({ status: 0 });
  expect(ran.out()).toMatch(/^card\.csv +main +card +completed +24 /m);
  expect((await readdir(join(root, 'out'))).filter((name) => name.endsWith('.result.csv'))).toHaveLength(1);

  const daemon = startChild('sh', ['-c', start!]);
  await daemon.says('paydrop is running');
  const server = await serverOf(root);
  const beside = ['--dir', root];
  expect(await runHere([...beside, 'status', '--check'])).toMatchObject({ status: 0 });
  expect(await runHere([...beside, 'show', 'card.csv'])).toMatchObject({ status: 0 });
  expect((await runHere([...beside, 'find', '--invoice', 'C-1002'])).out).toContain('APPROVED');
  expect(await serverOf(root)).toMatchObject({ pid: server.pid });
  expect(await server.isAlive()).toBe(true);

  daemon.process.kill('SIGTERM');
  expect(await daemon.ended).toEqual({ status: 0, signal: null });
  expect(await server.isAlive()).toBe(false);
});

/** Avoids a shell around the process, which would swallow signals. */
function asCommand(line: string): string {
  return `exec ${line}`;
}

/** Starts the sandbox on a free port, because the usual one may be in use. @returns its address */
async function startSandbox(line: string): Promise<string> {
  const sandbox = startChild('sh', ['-c', `${line} --port 0`]);
  await sandbox.says('Ctrl-C ends it.');
  return /listens on (\S+)/.exec(sandbox.err())?.[1] ?? '';
}
