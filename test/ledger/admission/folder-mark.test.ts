import { execFileSync } from 'node:child_process';
import { appendFile, mkdir, mkdtemp, readFile, rename, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { findPutBack, openFolderMark, renewFolderMark, sayPutBack } from '../../../src/ledger/admission/folder-mark.ts';
import { systemClock } from '../../../src/kernel/clock.ts';

// The mark of the data folder: what changes it, and what does not. Real files, and the tools that people copy with.

let root: string;
let data: string;
let journal: string;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'paydrop-mark-'));
  onTestFinished(() => rm(root, { recursive: true, force: true }));
  data = join(root, 'data');
  journal = join(data, 'journal', 'sends.jsonl');
  await mkdir(join(data, 'journal'), { recursive: true });
});

const open = () => openFolderMark(journal, systemClock);
const send = () => appendFile(journal, '\n{"call":"1"}');
const run = (command: string, ...args: string[]) => execFileSync(command, args, { cwd: root, stdio: 'pipe' });

/** Opens a folder, takes a copy, sends, and sweeps: what a copy does not know. */
async function copiedBeforeSends(copy: () => void): Promise<string> {
  const { generation } = await open();
  await send();
  await renewFolderMark(journal, systemClock);
  copy();
  await send();
  await renewFolderMark(journal, systemClock);
  return generation;
}

describe('openFolderMark', () => {
  it('keeps the generation of a folder that is opened again, moved or renamed', async () => {
    const first = await open();
    await send();
    expect(await open()).toMatchObject({ generation: first.generation, isPutBackNow: false });
    await rename(data, join(root, 'elsewhere'));
    await rename(join(root, 'elsewhere'), data);
    await utimes(journal, new Date(), new Date());
    run('chmod', '-R', 'go-rwx', 'data');
    expect(await open()).toMatchObject({ generation: first.generation, isPutBackNow: false });
    expect(await findPutBack(journal, systemClock)).toBeUndefined();
  });

  it.each([
    ['cp -a', () => run('cp', '-a', 'data', 'copy'), () => run('cp', '-a', 'copy', 'data')],
    ['tar', () => run('tar', 'cf', 'copy', 'data'), () => run('tar', 'xf', 'copy')],
    ['cp -a, then mv', () => run('cp', '-a', 'data', 'copy'), () => run('mv', 'copy', 'data')],
  ])('notices a copy by %s that is put back, and a new generation stays', async (_, copy, putBack) => {
    const generation = await copiedBeforeSends(copy);
    await rm(data, { recursive: true });
    putBack();
    const noticed = await open();
    expect(noticed.isPutBackNow).toBe(true);
    expect(noticed.generation).not.toBe(generation);
    expect(await open()).toMatchObject({ generation: noticed.generation, isPutBackNow: false });
    expect(sayPutBack((await findPutBack(journal, systemClock))!)).toContain('was put back or copied after ');
  });

  it('notices a copy that is written over the files in place', async () => {
    await copiedBeforeSends(() => run('cp', '-a', 'data', 'copy'));
    run('cp', '-a', 'copy/.', 'data');
    expect((await open()).isPutBackNow).toBe(true);
  });

  it('takes a folder that sent something and has no mark, or a broken one, for one that was put back', async () => {
    await send();
    expect((await open()).isPutBackNow).toBe(true);
    await writeFile(join(data, 'journal', 'folder-mark.json'), '{"gen');
    expect((await open()).isPutBackNow).toBe(true);
  });

  it('begins a new generation with another start of the machine, which is no fault', async () => {
    const { generation } = await open();
    const path = join(data, 'journal', 'folder-mark.json');
    const written = await readFile(path, 'utf8');
    // Written over in place, it stays the same file.
    await writeFile(path, written.replace(/"boot":"[^"]*"/, '"boot":"another"'));
    const again = await open();
    expect(again.isPutBackNow).toBe(false);
    expect(again.generation).not.toBe(generation);
  });

  it('shows for 30 days that a folder was put back', async () => {
    await send();
    await open();
    const after = (days: number) => ({ now: () => new Date(Date.now() + days * 86_400_000) });
    expect(await findPutBack(journal, after(29))).toBeDefined();
    expect(await findPutBack(journal, after(31))).toBeUndefined();
  });
});
