import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { lockFolder } from '../../../src/sandbox/books/lock-folder.ts';
import { buildProgram } from '../../support/build-program.ts';
import { useSandboxes } from '../support/sandbox-world.ts';

const world = useSandboxes();
const REFUSED = expect.objectContaining({
  code: 'CONFIG_INVALID',
  message: expect.stringContaining('another sandbox works with it'),
});

const children: ChildProcess[] = [];
afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
});

describe('lockFolder', () => {
  it('refuses a second, keeps the first, and leaves nothing behind', async () => {
    const folder = await world.folder();
    const unlock = await lockFolder(folder);
    await expect(lockFolder(folder)).rejects.toEqual(REFUSED);
    await expect(lockFolder(join(folder, '.'))).rejects.toEqual(REFUSED);
    expect(await readdir(folder)).toHaveLength(1);
    await unlock();
    expect(await readdir(folder)).toEqual([]);
    const again = await lockFolder(folder);
    await again();
  });

  it('never lets two of many have it that start together', async () => {
    const folder = await world.folder();
    const settled = await Promise.allSettled(Array.from({ length: 8 }, () => lockFolder(folder)));
    const unlocks = settled.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
    expect(unlocks.length).toBeLessThan(2);
    for (const unlock of unlocks) await unlock();
    await (await lockFolder(folder))();
  });

  it('gives other folders to others', async () => {
    const unlock = await lockFolder(await world.folder());
    await (await lockFolder(await world.folder()))();
    await unlock();
  });

  it('is held by a living process and taken over from one that was killed', async () => {
    const folder = await world.folder();
    const child = await startChild(folder);
    await expect(lockFolder(folder)).rejects.toEqual(REFUSED);
    // A stopped process is alive, and may write again at any moment.
    child.kill('SIGSTOP');
    await expect(lockFolder(folder)).rejects.toEqual(REFUSED);
    const gone = once(child, 'exit');
    child.kill('SIGKILL');
    await gone;
    expect((await readdir(folder)).filter((name) => name.endsWith('.lock'))).toHaveLength(1);
    const unlock = await lockFolder(folder);
    expect((await readdir(folder)).filter((name) => name.endsWith('.lock'))).toHaveLength(1);
    await unlock();
  });

  it('works in a folder whose name is longer than the address of a socket may be', async () => {
    const folder = join(await world.folder(), 'x'.repeat(120), 'y'.repeat(120));
    await mkdir(folder, { recursive: true });
    const unlock = await lockFolder(folder);
    await expect(lockFolder(folder)).rejects.toEqual(REFUSED);
    await unlock();
    expect(await readdir(folder)).toEqual([]);
  });

  it('says why a folder cannot be locked, and leaves files alone that are none of its locks', async () => {
    const folder = await world.folder();
    await writeFile(join(folder, 'package.lock'), '');
    await expect(lockFolder(join(folder, 'package.lock'))).rejects.toMatchObject({ code: 'CONFIG_INVALID' });
    await (await lockFolder(folder))();
    expect(await readdir(folder)).toEqual(['package.lock']);
  });
});

async function startChild(folder: string): Promise<ChildProcess> {
  const { fileOf } = await buildProgram();
  const script = fileOf('test/sandbox/support/sandbox-child.ts');
  const child = spawn(process.execPath, [script, folder], { stdio: ['ignore', 'pipe', 'inherit'] });
  children.push(child);
  await once(child.stdout, 'data');
  return child;
}
