import { createHash } from 'node:crypto';
import { mkdir, open, readdir, readFile, stat, symlink, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable, type Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { describe, expect, it } from 'vitest';
import { handClock } from '../../../src/kernel/clock.ts';
import {
  findStaleTemporaries,
  removeStaleTemporaries,
  TEMPORARY_OUTPUT,
} from '../../../src/files/outputs/output-draft.ts';
import { writeOutput } from '../../../src/files/outputs/write-output.ts';
import { freshFolder } from '../support/fresh-folder.ts';
import { startChild } from '../support/claims.ts';

const NAME = 'monday__1a2b3c4d.result.csv';

function writing(text: string): (out: Writable) => Promise<void> {
  return async (out) => {
    await new Promise((resolve) => out.write(text, resolve));
  };
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

describe('writeOutput', () => {
  it('writes what it is given, for our user only, and tells what is on the disk', async () => {
    const dir = join(await freshFolder(), 'out', 'cards');
    const written = await writeOutput({ dir, name: NAME, write: writing('Line,Invoice\n1,März\n') });
    expect(written).toEqual({ name: NAME, path: join(dir, NAME), sha256: sha256('Line,Invoice\n1,März\n'), bytes: 21 });
    expect(await readFile(written.path, 'utf8')).toBe('Line,Invoice\n1,März\n');
    expect((await stat(written.path)).mode & 0o777).toBe(0o600);
    expect((await stat(written.path)).nlink).toBe(1);
    expect((await stat(dir)).mode & 0o777).toBe(0o700);
    expect(await readdir(dir)).toEqual([NAME]);
  });

  it.each<[string, (out: Writable) => Promise<void>]>([
    ['ends the stream itself', (out) => pipeline(Readable.from(['row 1\n', 'row 2\n']), out)],
    [
      'does not wait for its writes',
      async (out) => {
        out.write('row 1\n');
        out.write('row 2\n');
      },
    ],
    [
      'writes byte by byte',
      async (out) => {
        for (const byte of Buffer.from('row 1\nrow 2\n')) out.write(Buffer.of(byte));
      },
    ],
  ])('takes a writer that %s', async (_what, write) => {
    const dir = await freshFolder();
    expect(await writeOutput({ dir, name: NAME, write })).toMatchObject({
      sha256: sha256('row 1\nrow 2\n'),
      bytes: 12,
    });
    expect(await readFile(join(dir, NAME), 'utf8')).toBe('row 1\nrow 2\n');
  });

  it('writes an empty file and a large one', async () => {
    const dir = await freshFolder();
    expect(await writeOutput({ dir, name: 'empty.csv', write: async () => undefined })).toMatchObject({ bytes: 0 });
    const row = `${'x'.repeat(99)}\n`;
    const rows = Readable.from(Array.from({ length: 20_000 }, () => row));
    const written = await writeOutput({ dir, name: 'large.csv', write: (out) => pipeline(rows, out) });
    expect(written).toMatchObject({ sha256: sha256(row.repeat(20_000)), bytes: 2_000_000 });
  });

  it('shows nothing under the final name before it is complete', async () => {
    const dir = await freshFolder();
    let seen: string[] = [];
    await writeOutput({
      dir,
      name: NAME,
      write: async (out) => {
        await writing('half')(out);
        seen = await readdir(dir);
      },
    });
    expect(seen).toEqual([expect.stringMatching(TEMPORARY_OUTPUT)]);
  });

  it('is content with the same bytes that are there already', async () => {
    const dir = await freshFolder();
    const first = await writeOutput({ dir, name: NAME, write: writing('rows\n') });
    const { ino } = await stat(first.path);
    expect(await writeOutput({ dir, name: NAME, write: writing('rows\n') })).toEqual(first);
    expect((await stat(first.path)).ino).toBe(ino);
    expect(await readdir(dir)).toEqual([NAME]);
  });

  it.each<[string, (path: string) => Promise<unknown>]>([
    ['other bytes of the same length', (path) => writeFile(path, 'swor\n')],
    ['the beginning of the same bytes', (path) => writeFile(path, 'ro')],
    ['a folder', (path) => mkdir(path)],
    ['a link to the same bytes', (path) => writeFile(`${path}2`, 'rows\n').then(() => symlink(`${path}2`, path))],
  ])('never replaces %s', async (_what, make) => {
    const dir = await freshFolder();
    await make(join(dir, NAME));
    const before = await stat(join(dir, NAME));
    await expect(writeOutput({ dir, name: NAME, write: writing('rows\n') })).rejects.toMatchObject({
      code: 'OUTPUT_EXISTS',
    });
    expect((await stat(join(dir, NAME))).ino).toBe(before.ino);
    expect((await readdir(dir)).filter((name) => TEMPORARY_OUTPUT.test(name))).toEqual([]);
  });

  it('lets any number of writers of the same bytes succeed', async () => {
    const dir = await freshFolder();
    const all = await Promise.all(
      Array.from({ length: 8 }, () => writeOutput({ dir, name: NAME, write: writing('rows\n') })),
    );
    expect(new Set(all.map((written) => written.sha256))).toEqual(new Set([sha256('rows\n')]));
    expect(await readdir(dir)).toEqual([NAME]);
  });

  it('lets one of two writers of other bytes succeed', async () => {
    const dir = await freshFolder();
    const results = await Promise.allSettled(
      ['one\n', 'two\n'].map((text) => writeOutput({ dir, name: NAME, write: writing(text) })),
    );
    const written = results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
    const refused = results.flatMap((result) => (result.status === 'rejected' ? [result.reason as unknown] : []));
    expect(refused).toMatchObject([{ code: 'OUTPUT_EXISTS' }]);
    expect(written.map((one) => one.sha256)).toEqual([sha256(await readFile(join(dir, NAME), 'utf8'))]);
  });

  it('publishes nothing that reads back otherwise than it was written', async () => {
    const dir = await freshFolder();
    const spoil = async (out: Writable): Promise<void> => {
      await writing('25.00\n')(out);
      const [temporary = ''] = await readdir(dir);
      const handle = await open(join(dir, temporary), 'r+');
      await handle.write('9', 0);
      await handle.close();
    };
    await expect(writeOutput({ dir, name: NAME, write: spoil })).rejects.toMatchObject({ code: 'OUTPUT_MISMATCH' });
    expect(await readdir(dir)).toEqual([]);
    expect(await writeOutput({ dir, name: NAME, write: writing('25.00\n') })).toMatchObject({ bytes: 6 });
  });

  const full = Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' });

  it.each<[string, (out: Writable) => Promise<void>]>([
    ['while rows are written', () => Promise.reject(full)],
    ['in the stream', async (out) => void out.destroy(full)],
    [
      'in the stream, and the writer waits for it to drain',
      async (out) => {
        out.destroy(full);
        await new Promise((resolve) => out.once('drain', resolve));
      },
    ],
    [
      'in the stream, and the writer stumbles over it',
      async (out) => {
        out.destroy(full);
        await pipeline(Readable.from(['row\n']), out);
      },
    ],
  ])('says that the disk is full %s, and leaves nothing behind', async (_when, fail) => {
    const dir = await freshFolder();
    const write = async (out: Writable): Promise<void> => {
      await writing('half')(out);
      await fail(out);
    };
    await expect(writeOutput({ dir, name: NAME, write })).rejects.toMatchObject({ code: 'DISK_FULL' });
    expect(await readdir(dir)).toEqual([]);
  });

  it.each([
    ['in the place of its folder', 'out'],
    ['in the place of a folder above', 'out/cards'],
  ])('says that a file stands %s, and leaves that alone', async (_where, below) => {
    const root = await freshFolder();
    await writeFile(join(root, 'out'), 'somebody else');
    const written = writeOutput({ dir: join(root, below), name: NAME, write: writing('row') });
    await expect(written).rejects.toMatchObject({ code: 'FOLDER_MISSING' });
    expect(await readFile(join(root, 'out'), 'utf8')).toBe('somebody else');
  });

  it('passes on what its writer throws, and leaves nothing behind', async () => {
    const dir = await freshFolder();
    const fault = new TypeError('row is undefined');
    await expect(writeOutput({ dir, name: NAME, write: () => Promise.reject(fault) })).rejects.toBe(fault);
    expect(await readdir(dir)).toEqual([]);
  });

  it('leaves no output when its process is killed midway, and the next process writes it', async () => {
    const dir = await freshFolder();
    const child = await startChild('test/files/support/die-while-writing.ts', [dir]);
    expect(await child.ended).toMatchObject({ signal: 'SIGKILL' });
    const left = await readdir(dir);
    expect(left).toEqual([expect.stringMatching(TEMPORARY_OUTPUT)]);
    expect(await readFile(join(dir, left[0] ?? ''), 'utf8')).toBe('Line,Invoice\n');

    await writeOutput({ dir, name: NAME, write: writing('Line,Invoice\n1,INV-7\n') });
    expect(await readFile(join(dir, NAME), 'utf8')).toBe('Line,Invoice\n1,INV-7\n');
    const clock = handClock(new Date((await stat(join(dir, left[0] ?? ''))).mtimeMs + 60_001));
    expect(await removeStaleTemporaries(dir, { olderThanMs: 60_000, clock })).toBe(1);
    expect(await readdir(dir)).toEqual([NAME]);
  });
});

const OPTIONS = { olderThanMs: 3_600_000, clock: handClock(new Date(1_750_003_600_000)) };
const TEMPORARY = '.a.csv.0123456789abcdef.tmp';

describe('findStaleTemporaries', () => {
  it.each([
    ['old', 1_749_999_999, [TEMPORARY]],
    ['of just that age', 1_750_000_000, []],
  ])('finds a temporary that is %s, and leaves it', async (_what, mtimeSeconds, found) => {
    const dir = await freshFolder();
    await writeFile(join(dir, TEMPORARY), 'half');
    await utimes(join(dir, TEMPORARY), mtimeSeconds, mtimeSeconds);
    expect((await findStaleTemporaries(dir, OPTIONS)).map(({ key }) => key)).toEqual(found);
    expect(await readdir(dir)).toEqual([TEMPORARY]);
  });

  it('finds none in a folder that is not there', async () => {
    expect(await findStaleTemporaries(join(await freshFolder(), 'none'), OPTIONS)).toEqual([]);
  });
});

async function make(dir: string, name: string, mtimeSeconds: number): Promise<void> {
  await writeFile(join(dir, name), 'half');
  await utimes(join(dir, name), mtimeSeconds, mtimeSeconds);
}

describe('removeStaleTemporaries', () => {
  it.each([
    ['an old temporary', TEMPORARY, 1_749_999_999, 1],
    ['a temporary of just that age', TEMPORARY, 1_750_000_000, 0],
    ['a young temporary', TEMPORARY, 1_750_003_599, 0],
    ['an old output', 'a.csv', 1, 0],
    ["somebody else's temporary", '.a.csv.tmp', 1, 0],
    ['an old output with a like name', 'a.csv.0123456789abcdef.tmp', 1, 0],
  ])('judges %s', async (_what, name, mtimeSeconds, removed) => {
    const dir = await freshFolder();
    await make(dir, name, mtimeSeconds);
    expect(await removeStaleTemporaries(dir, OPTIONS)).toBe(removed);
    expect(await readdir(dir)).toEqual(removed ? [] : [name]);
  });

  it('leaves folders alone and finds none in a folder that is not there', async () => {
    const dir = await freshFolder();
    await mkdir(join(dir, TEMPORARY));
    await utimes(join(dir, TEMPORARY), 1, 1);
    expect(await removeStaleTemporaries(dir, OPTIONS)).toBe(0);
    expect(await removeStaleTemporaries(join(dir, 'none'), OPTIONS)).toBe(0);
    expect(await readdir(dir)).toEqual([TEMPORARY]);
  });
});
