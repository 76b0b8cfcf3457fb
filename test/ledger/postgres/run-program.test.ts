import { chmod, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { canReach, runProgram } from '../../../src/ledger/postgres/run-program.ts';
import { isRoot, openWorld, sayWhatNeedsRoot, type World } from './support/world.ts';

const NOBODY = { name: 'nobody', uid: 65534, gid: 65534 };

let world: World;
beforeAll(async () => {
  world = await openWorld();
});
afterAll(() => world.close());

function runShell(script: string, options: { input?: string; user?: typeof NOBODY } = {}) {
  const { user, ...rest } = options;
  return runProgram('/bin/sh', ['-c', script], { user, folder: world.root, ...rest });
}

describe('runProgram', () => {
  it('gives the exit status and both outputs', async () => {
    expect(await runShell('echo out; echo err >&2; exit 3')).toEqual({ status: 3, output: 'out\nerr\n' });
  });

  it('hands over the input, also to a program that does not read it', async () => {
    expect(await runShell('cat', { input: 'text' })).toEqual({ status: 0, output: 'text' });
    expect((await runShell('exit 0', { input: 'x'.repeat(1_000_000) })).status).toBe(0);
  });

  it('runs inside the folder with an environment of three variables', async () => {
    const { output } = await runShell('pwd; env');
    const names = output.split('\n').flatMap((line) => /^(\w+)=/.exec(line)?.[1] ?? []);
    expect(output.startsWith(`${world.root}\n`)).toBe(true);
    expect(names.filter((name) => !['PWD', 'SHLVL', '_', 'OLDPWD'].includes(name)).sort()).toEqual([
      'LC_ALL',
      'PATH',
      'TZ',
    ]);
  });

  it('keeps the end of a long output', async () => {
    const { output } = await runShell('i=0; while [ $i -lt 4000 ]; do echo line-$i; i=$((i+1)); done');
    expect(output.length).toBe(16_000);
    expect(output.endsWith('line-3999\n')).toBe(true);
  });

  it('says why a program could not be run or was killed', async () => {
    expect(await runProgram(join(world.root, 'missing'), [], { user: undefined, folder: '/' })).toEqual({
      status: null,
      output: expect.stringContaining('ENOENT'),
    });
    expect(await runShell('kill -9 $$')).toEqual({ status: null, output: expect.stringContaining('SIGKILL') });
  });
});

describe.runIf(isRoot)(sayWhatNeedsRoot('programs of another user'), () => {
  it('runs as that user with no other group', async () => {
    expect((await runShell('id -u; id -G', { user: NOBODY })).output).toBe('65534\n65534\n');
  });

  it('canReach tells open folders from closed ones, above as well as below', async () => {
    const closed = join(world.root, 'closed');
    await mkdir(join(closed, 'open'), { recursive: true });
    expect(await canReach(NOBODY, join(closed, 'open'))).toBe(true);
    await chmod(closed, 0o700);
    expect(await canReach(NOBODY, closed)).toBe(false);
    expect(await canReach(NOBODY, join(closed, 'open'))).toBe(false);
    expect(await canReach(NOBODY, join(world.root, 'missing'))).toBe(false);
  });
});
