import { execFile } from 'node:child_process';
import { appendFile, chmod, rename, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import type { CompleteBy } from '../../src/files/completeness.ts';
import { createFolderScanner } from '../../src/files/scan-folder.ts';
import { handClock } from '../../src/kernel/clock.ts';
import { freshFolder } from './support/fresh-folder.ts';

const run = promisify(execFile);
const MOVED_IN: CompleteBy = { by: 'quiet', quietMs: 60_000, probes: 3, movedInMs: 2_000 };
const { movedInMs: _off, ...OFF } = MOVED_IN;

/** A drop folder with the path of a drop, and a file elsewhere that was written three seconds ago. */
async function open(complete: CompleteBy = MOVED_IN) {
  const [folder, outbox] = [await freshFolder(), await freshFolder()];
  const [source, path] = [join(outbox, 'june.csv'), join(folder, 'june.csv')];
  await writeFile(source, 'a,b\n');
  await age(source);
  const clock = handClock('2026-06-15T12:00:00Z');
  const scanner = createFolderScanner({ path: folder, complete }, clock);
  /** Returns what a look after so many ms finds. */
  const lookAfter = async (ms: number) => {
    clock.advance(ms);
    const { settled, settling } = await scanner.scan();
    return settled.length > 0 ? 'taken' : settling.length > 0 ? 'settling' : 'nothing';
  };
  return { source, path, lookAfter };
}

/** Puts the last change of the content three seconds back, as if so much time had passed. */
async function age(path: string): Promise<void> {
  const { atimeMs, mtimeMs } = await stat(path);
  await utimes(path, atimeMs / 1_000, mtimeMs / 1_000 - 3);
}

async function moveEmpty(source: string, path: string): Promise<void> {
  await writeFile(source, '');
  await age(source);
  await rename(source, path);
}

/** What puts a drop there, how it looks after the shorter wait, and the same with the setting left out. */
describe('a drop that is put there by', () => {
  it.each<[string, (source: string, path: string) => Promise<unknown>, string]>([
    ['mv', (source, path) => run('mv', [source, path]), 'taken'],
    ['cp -p', (source, path) => run('cp', ['-p', source, path]), 'taken'],
    ['cp', (source, path) => run('cp', [source, path]), 'settling'],
    ['a program that writes it', (_source, path) => writeFile(path, 'a,b\n'), 'settling'],
    ['mv of an empty file', moveEmpty, 'settling'],
  ])('%s', async (_by, put, verdict) => {
    const { source, path, lookAfter } = await open();
    await put(source, path);
    expect(await lookAfter(0)).toBe('settling');
    expect(await lookAfter(1_999)).toBe('settling');
    expect(await lookAfter(1)).toBe(verdict);
    const off = await open(OFF);
    await put(off.source, off.path);
    expect([await off.lookAfter(0), await off.lookAfter(2_000)]).toEqual(['settling', 'settling']);
  });
});

describe('a writer', () => {
  it('that writes now and then is never cut short', async () => {
    const { path, lookAfter } = await open();
    for (let line = 0; line < 20; line += 1) {
      await appendFile(path, 'a,b\n');
      expect(await lookAfter(300)).toBe('settling');
    }
  });

  it('that stalls for longer than the shorter wait keeps the ordinary one', async () => {
    const { path, lookAfter } = await open();
    await appendFile(path, 'a,b\n');
    await lookAfter(0);
    for (const ms of [2_500, 30_000, 27_000]) expect(await lookAfter(ms)).toBe('settling');
    await appendFile(path, 'c,d\n');
    expect(await lookAfter(2_500)).toBe('settling');
  });

  it('that changes the mode in the middle and then stalls is cut short: the risk that the setting names', async () => {
    const { path, lookAfter } = await open();
    await writeFile(path, 'half');
    await lookAfter(0);
    await age(path);
    await chmod(path, 0o600);
    // The first look at the new times begins the wait anew.
    expect(await lookAfter(2_500)).toBe('settling');
    await chmod(path, 0o640);
    expect(await lookAfter(2_500)).toBe('settling');
    expect(await lookAfter(2_000)).toBe('taken');
  });

  it('that goes on after a change of mode waits as any other', async () => {
    const { path, lookAfter } = await open();
    await writeFile(path, 'half');
    await age(path);
    await chmod(path, 0o600);
    await lookAfter(0);
    await appendFile(path, 'rest');
    for (const ms of [2_500, 2_500]) expect(await lookAfter(ms)).toBe('settling');
  });
});
