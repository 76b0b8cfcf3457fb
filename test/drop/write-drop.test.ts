import { mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { handClock } from '../../src/kernel/clock.ts';
import { removeStaleTemporaries } from '../../src/drop/remove-stale-temporaries.ts';
import { createFolderScanner } from '../../src/drop/scan-folder.ts';
import { followUpName, writeDrop } from '../../src/drop/write-drop.ts';
import { freshFolder } from './support/fresh-folder.ts';

const QUIET = { by: 'quiet', quietMs: 0, probes: 1 } as const;
const MARKER = { by: 'marker', suffix: '.done' } as const;

async function* content(...lines: string[]): AsyncGenerator<string> {
  yield* lines;
}

describe('writeDrop', () => {
  it.each([
    ['quiet', QUIET, ['a.csv']],
    ['marker', MARKER, ['a.csv', 'a.csv.done']],
  ] as const)('shows the file to a watcher (%s) only when it is published, whole', async (_how, complete, names) => {
    const path = await freshFolder();
    const scanner = createFolderScanner({ path, complete }, handClock('2026-06-15T10:00:00Z'));
    const drop = await writeDrop({ path, complete }, 'a.csv', content('1,2\r\n', '3,4\r\n'));
    expect((await scanner.scan()).settled).toEqual([]);
    await drop.publish();
    await drop.discard();
    expect((await readdir(path)).toSorted()).toEqual(names);
    expect(await readFile(join(path, 'a.csv'), 'utf8')).toBe('1,2\r\n3,4\r\n');
    expect((await stat(join(path, 'a.csv'))).mode & 0o777).toBe(0o600);
    expect((await scanner.scan()).settled.map((found) => found.name)).toEqual(['a.csv']);
  });

  it('leaves nothing when it is discarded, or when its content breaks off', async () => {
    const path = await freshFolder();
    const drop = await writeDrop({ path, complete: QUIET }, 'a.csv', content('1'));
    await drop.discard();
    async function* broken(): AsyncGenerator<string> {
      yield '1';
      throw new Error('no more');
    }
    await expect(writeDrop({ path, complete: QUIET }, 'b.csv', broken())).rejects.toThrow('no more');
    expect(await readdir(path)).toEqual([]);
  });

  it('never replaces a file, whenever that came', async () => {
    const path = await freshFolder();
    const drop = await writeDrop({ path, complete: QUIET }, 'a.csv', content('mine'));
    await writeFile(join(path, 'a.csv'), 'theirs');
    await expect(drop.publish()).rejects.toMatchObject({ code: 'OUTPUT_EXISTS' });
    await drop.discard();
    await expect(writeDrop({ path, complete: QUIET }, 'a.csv', content('mine'))).rejects.toMatchObject({
      code: 'OUTPUT_EXISTS',
    });
    expect(await readFile(join(path, 'a.csv'), 'utf8')).toBe('theirs');
  });

  it('says when the folder is not there, without its path', async () => {
    const path = join(await freshFolder(), 'gone');
    await expect(writeDrop({ path, complete: QUIET }, 'a.csv', content('1'))).rejects.toMatchObject({
      code: 'FOLDER_MISSING',
      message: expect.not.stringContaining(path),
    });
    await mkdir(path);
    const drop = await writeDrop({ path, complete: QUIET }, 'a.csv', content('1'));
    await rm(path, { recursive: true });
    await expect(drop.publish()).rejects.toMatchObject({ code: 'FOLDER_MISSING' });
  });

  it('gives its unfinished file a name that the sweep removes when it is old', async () => {
    const path = await freshFolder();
    await writeDrop({ path, complete: QUIET }, 'a.csv', content('1'));
    const clock = handClock(new Date(Date.now() + 7_200_000));
    expect(await removeStaleTemporaries(path, { olderThanMs: 3_600_000, clock })).toBe(1);
    expect(await readdir(path)).toEqual([]);
  });
});

describe('followUpName', () => {
  it.each([
    ['june.csv', 'june__1a2b3c4d-again-1.csv'],
    ['June.CSV', 'June__1a2b3c4d-again-1.csv'],
    ['.hidden', '_hidden__1a2b3c4d-again-1.csv'],
    ['~$lock.csv', '_$lock__1a2b3c4d-again-1.csv'],
    ['a/b:c.csv', 'a_b_c__1a2b3c4d-again-1.csv'],
    ['', 'file__1a2b3c4d-again-1.csv'],
    ['x'.repeat(300), `${'x'.repeat(40)}__1a2b3c4d-again-1.csv`],
  ])('of %j is %s', (name, expected) => {
    expect(followUpName(name, '1a2b3c4d', 1)).toBe(expected);
  });
});
