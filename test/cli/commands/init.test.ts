import { chmod, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { quoteWord } from '../../../src/cli/paydrop-line.ts';
import { serverOf } from '../support/embedded-server.ts';
import { PAYDROP, runPaydrop, startChild } from '../support/run-child.ts';
import { runHere } from '../support/run-here.ts';

let root = '';
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'paydrop init-'));
  // The embedded PostgreSQL may run as another user, who must be able to pass through.
  await chmod(root, 0o711);
  vi.stubEnv('DATABASE_URL', '');
  vi.stubEnv('PAYDROP_MASTER_KEY', '');
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await rm(root, { recursive: true });
});

async function modes(): Promise<Record<string, string>> {
  const names = await readdir(root, { recursive: true });
  const found = await Promise.all(
    names.map(async (name) => [name, (await stat(join(root, name))).mode & 0o777] as const),
  );
  return Object.fromEntries(found.map(([name, mode]) => [name, mode.toString(8)]));
}

describe('init', () => {
  it('makes everything, for its owner only', async () => {
    const { status, out, err } = await runHere(['init', root]);
    expect({ status, err }).toEqual({ status: 0, err: '' });
    expect(out).toContain(
      `Made ${join(root, 'paydrop.yaml')}\nDrop files into: drop/card, drop/ach-charge, drop/ach-refund\n`,
    );
    expect(await modes()).toEqual({
      'paydrop.yaml': '600',
      data: '700',
      'data/master.key': '600',
      drop: '700',
      'drop/card': '700',
      'drop/ach-charge': '700',
      'drop/ach-refund': '700',
      out: '700',
      quarantine: '700',
    });
  });

  it('keeps everything when it is run again', async () => {
    await runHere(['--dir', root, 'init']);
    await writeFile(join(root, 'drop/card/waiting.csv'), 'x');
    const read = async () => Promise.all(['paydrop.yaml', 'data/master.key'].map((name) => readFile(join(root, name))));
    const [before, beforeModes] = [await read(), await modes()];
    const { status, out } = await runHere(['init', root]);
    expect(status).toBe(0);
    expect(out).toContain(`Kept ${join(root, 'paydrop.yaml')}`);
    expect(out).not.toContain('samples');
    expect(await read()).toEqual(before);
    expect(await modes()).toEqual(beforeModes);
  });

  it('makes the folders of a configuration that was there before, and says when that is broken', async () => {
    const account = { server: 'NA', country: 'US', currency: 'USD', agentCode: 'A', password: 'P' };
    const folders = [{ path: 'in', account: 'main', operation: 'card' }];
    const own = { accounts: { main: account }, folders, paths: { out: 'done', data: 'var' } };
    await writeFile(join(root, 'paydrop.yaml'), JSON.stringify(own));
    expect(await runHere(['init', root])).toMatchObject({
      status: 0,
      out: expect.stringContaining('Drop files into: in\n'),
    });
    expect(Object.keys(await modes()).sort()).toEqual([
      'done',
      'in',
      'paydrop.yaml',
      'quarantine',
      'var',
      'var/master.key',
    ]);
    await writeFile(join(root, 'paydrop.yaml'), 'accounts: [\n');
    const broken = await runHere(['init', root]);
    expect(broken).toMatchObject({ status: 1, out: '', err: expect.stringMatching(/paydrop\.yaml": line \d/) });
    expect(await readFile(join(root, 'paydrop.yaml'), 'utf8')).toBe('accounts: [\n');
  });

  it('makes no key file where the environment has the key', async () => {
    vi.stubEnv('PAYDROP_MASTER_KEY', Buffer.alloc(32, 7).toString('base64'));
    const { out } = await runHere(['init', root]);
    expect(out).toContain('Keep a copy of the key in PAYDROP_MASTER_KEY');
    expect(await modes()).not.toHaveProperty('data/master.key');
  });

  it('prints next steps that work from an empty folder; other commands share the database of start', async () => {
    const { out } = await runPaydrop(['init', root]);
    const [sandbox, copy, once, start] = stepsOf(out);
    await shortenWaits(await startSandbox(sandbox!));
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
  }, 60_000);
});

/** The lines under "Next:" as a shell takes them, with this Node in place of npm, which would swallow signals. */
function stepsOf(out: string): string[] {
  const [, block = ''] = /^Next:\n((?: {2}.*\n)+)/m.exec(out) ?? [];
  const steps = block.trimEnd().split('\n');
  expect(steps).toHaveLength(4);
  return steps.map(
    (line) => `exec ${line.replace('npm run paydrop --', PAYDROP.map(quoteWord).join(' ')).replace(/ +#.*/, '')}`,
  );
}

/** Starts the sandbox at a free port, because the usual one may be in use here. @returns its address */
async function startSandbox(line: string): Promise<string> {
  const sandbox = startChild('sh', ['-c', `${line} --port 0`]);
  await sandbox.says('Ctrl-C ends it.');
  return /listens on (\S+)/.exec(sandbox.err())?.[1] ?? '';
}

async function shortenWaits(sandboxUrl: string): Promise<void> {
  const path = join(root, 'paydrop.yaml');
  const text = (await readFile(path, 'utf8'))
    .replace('http://127.0.0.1:8899', sandboxUrl)
    .replaceAll(/^( +)(operation: .*)$/gm, '$1$2\n$1complete: { by: quiet, quietMs: 200 }');
  await writeFile(path, text);
}
