import { createHash } from 'node:crypto';
import { link, mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { handClock } from '../../src/kernel/clock.ts';
import { removeStaleTemporaries } from '../../src/files/outputs/output-draft.ts';
import { createFolderScanner } from '../../src/files/scan-folder.ts';
import { readSidecar } from '../../src/files/sidecar.ts';
import { finishDrop, followUpName, isNameTaken, removeSecondName, writeDrop } from '../../src/files/write-drop.ts';
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

  it('is measured, and its marker says so where that is the control file too', async () => {
    const path = await freshFolder();
    const complete = { by: 'marker', suffix: '.ctl' } as const;
    async function* bytes(): AsyncGenerator<Uint8Array> {
      yield Buffer.from('1,2');
      yield Buffer.from([0xff, 0x0a]);
    }
    const drop = await writeDrop({ path, complete }, 'a.csv', bytes());
    const sha256 = createHash('sha256')
      .update(Buffer.from([0x31, 0x2c, 0x32, 0xff, 0x0a]))
      .digest('hex');
    expect([drop.sha256, drop.bytes]).toEqual([sha256, 5]);
    await drop.publish();
    expect(await readSidecar(join(path, 'a.csv.ctl'))).toEqual({ sha256 });
    expect((await stat(join(path, 'a.csv'))).nlink).toBe(1);
  });

  it('takes no name that a control file or a marker already stands for', async () => {
    const path = await freshFolder();
    const drops = await Promise.all(
      ['a.csv', 'b.csv'].map((name) => writeDrop({ path, complete: MARKER }, name, content('1'))),
    );
    await writeFile(join(path, 'a.csv.ctl'), 'rows=1');
    await writeFile(join(path, 'b.csv.done'), '');
    for (const drop of drops) {
      await expect(drop.publish()).rejects.toMatchObject({ code: 'OUTPUT_EXISTS' });
      await drop.discard();
    }
    expect((await readdir(path)).toSorted()).toEqual(['a.csv.ctl', 'b.csv.done']);
  });

  it('gives one name to one of two that want it at once', async () => {
    const path = await freshFolder();
    const drops = await Promise.all(
      ['one', 'two'].map((text) => writeDrop({ path, complete: QUIET }, 'a.csv', content(text))),
    );
    const ends = await Promise.allSettled(drops.map((drop) => drop.publish()));
    for (const drop of drops) await drop.discard();
    expect(ends.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
    const winner = ends[0]!.status === 'fulfilled' ? 'one' : 'two';
    expect(await readFile(join(path, 'a.csv'), 'utf8')).toBe(winner);
    expect(await readdir(path)).toEqual(['a.csv']);
  });

  it('leaves nothing when its marker cannot be written', async () => {
    const path = await freshFolder();
    // The marker would lie inside `a.csv`, which is not a folder.
    const drop = await writeDrop({ path, complete: { by: 'marker', suffix: '/done' } }, 'a.csv', content('1'));
    await expect(drop.publish()).rejects.toThrow();
    await drop.discard();
    expect(await readdir(path)).toEqual([]);
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

describe('isNameTaken', () => {
  it('asks for the file and for what would go with it', async () => {
    const path = await freshFolder();
    const taken = (complete: Parameters<typeof isNameTaken>[1]) =>
      Promise.all(['a', 'b', 'c', 'd'].map((name) => isNameTaken(join(path, name), complete)));
    for (const name of ['a', 'b.ctl', 'c.done']) await writeFile(join(path, name), '');
    expect(await taken(QUIET)).toEqual([true, true, true, false]);
    expect(await taken(MARKER)).toEqual([true, true, true, false]);
  });
});

describe('finishDrop', () => {
  const sha256 = createHash('sha256').update('1,2\r\n').digest('hex');

  /** Leaves a folder as a process does that died right after the file had its name. */
  async function died(complete: Parameters<typeof writeDrop>[0]['complete']) {
    const path = await freshFolder();
    await writeDrop({ path, complete }, 'a.csv', content('1,2\r\n'));
    const [temporary] = await readdir(path);
    await link(join(path, temporary!), join(path, 'a.csv'));
    return { path, complete };
  }

  it.each([
    ['quiet', QUIET, ['a.csv']],
    ['marker', MARKER, ['a.csv', 'a.csv.done']],
  ] as const)('shows a watcher (%s) the file of a process that died before it could', async (_how, complete, names) => {
    const folder = await died(complete);
    const scanner = createFolderScanner(folder, handClock('2026-06-15T10:00:00Z'));
    expect((await scanner.scan()).settled).toEqual([]);
    expect(await finishDrop(folder, 'a.csv', sha256)).toBe(true);
    expect((await readdir(folder.path)).toSorted()).toEqual(names);
    expect((await scanner.scan()).settled.map((found) => found.name)).toEqual(['a.csv']);
    expect(await finishDrop(folder, 'a.csv', sha256)).toBe(true);
  });

  it('is half done by a scan: the second name goes, and that of a stranger stays', async () => {
    const folder = await died(QUIET);
    await link(join(folder.path, 'a.csv'), join(folder.path, 'b.csv'));
    expect(await removeSecondName(folder.path, 'b.csv')).toBe(false);
    expect(await removeSecondName(folder.path, 'a.csv')).toBe(true);
    expect((await readdir(folder.path)).toSorted()).toEqual(['a.csv', 'b.csv']);
    await writeFile(join(folder.path, '.a.csv.0123456789abcdef.tmp'), 'another');
    expect(await removeSecondName(folder.path, 'a.csv')).toBe(false);
  });

  it('touches nothing when no file is there, or one of other bytes', async () => {
    const folder = await died(MARKER);
    const before = await readdir(folder.path);
    expect(await finishDrop(folder, 'a.csv', 'other')).toBe(false);
    expect(await finishDrop(folder, 'b.csv', sha256)).toBe(false);
    expect(await readdir(folder.path)).toEqual(before);
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
