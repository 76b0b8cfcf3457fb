import { execFileSync } from 'node:child_process';
import { chmod, mkdir, open, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { hashFile, hashOpened, openPlainFile, readPlainFile } from '../../src/files/open-plain-file.ts';
import { freshFolder } from './support/fresh-folder.ts';
import { writeDurably } from '../../src/files/write-durably.ts';
import { remainingLines, startChild } from './support/claims.ts';

describe('openPlainFile', () => {
  it('opens a plain file for reading', async () => {
    const path = join(await freshFolder(), 'file');
    await writeFile(path, 'text');
    const handle = await openPlainFile(path);
    expect(await handle?.readFile('utf8')).toBe('text');
    await handle?.close();
  });

  it.each<[string, (path: string) => unknown]>([
    ['nothing', () => undefined],
    ['a link to a file', (path) => symlink('/etc/hostname', path)],
    ['a folder', (path) => mkdir(path)],
    ['a pipe without a writer', (path) => execFileSync('mkfifo', [path])],
  ])('does not open %s', async (_what, make) => {
    const path = join(await freshFolder(), 'file');
    await make(path);
    expect(await openPlainFile(path)).toBeUndefined();
  });
});

describe('readPlainFile', () => {
  it.each([
    [0, true],
    [99, true],
    [100, true],
    [101, false],
    [100_000, false],
  ])('reads of %i bytes with a limit of 100: %s', async (size, taken) => {
    const path = join(await freshFolder(), 'file');
    await writeFile(path, 'x'.repeat(size));
    expect((await readPlainFile(path, 100))?.length).toBe(taken ? size : undefined);
  });
});

describe('hashFile', () => {
  it.each([0, 5, 300_000])('hashes a file of %i bytes', async (size) => {
    const path = join(await freshFolder(), 'file');
    await writeFile(path, 'x'.repeat(size));
    expect(await hashFile(path)).toBe(createHash('sha256').update('x'.repeat(size)).digest('hex'));
  });

  it.each([
    [0, 3_000],
    [10, 3_000],
    [100_000, 300_000],
    [900_000, 300_000],
  ])('reads an open file to its end, also one taken for %i bytes that has %i', async (size, bytes) => {
    const path = join(await freshFolder(), 'file');
    await writeFile(path, 'x'.repeat(bytes));
    const handle = await open(path);
    expect(await hashOpened(handle.fd, size)).toBe(await hashFile(path));
    await handle.close();
  });

  it('shows the pieces on the way', async () => {
    const path = join(await freshFolder(), 'file');
    await writeFile(path, 'x'.repeat(300_000));
    let seen = 0;
    const handle = await open(path);
    const hash = await hashOpened(handle.fd, 300_000, async (pieces) => {
      for await (const piece of pieces) seen += piece.length;
    });
    await handle.close();
    expect(seen).toBe(300_000);
    expect(hash).toBe(await hashFile(path));
  });

  it.each<[string, (path: string) => unknown]>([
    ['nothing', () => undefined],
    ['a link', (path) => symlink('/etc/hostname', path)],
    ['a pipe', (path) => execFileSync('mkfifo', [path])],
  ])('has no hash for %s', async (_what, make) => {
    const path = join(await freshFolder(), 'file');
    await make(path);
    expect(await hashFile(path)).toBeUndefined();
  });
});

describe('writeDurably', () => {
  it('writes a file for our user only and leaves no temporary one', async () => {
    const folder = await freshFolder();
    await writeDurably(join(folder, 'notes.json'), 'text');
    expect(await readdir(folder)).toEqual(['notes.json']);
    expect(await readFile(join(folder, 'notes.json'), 'utf8')).toBe('text');
    expect((await stat(join(folder, 'notes.json'))).mode & 0o777).toBe(0o600);
  });

  it('is not troubled by what a killed process left', async () => {
    const folder = await freshFolder();
    await writeFile(join(folder, 'notes.json.tmp'), 'a longer text, cut of');
    await writeDurably(join(folder, 'notes.json'), 'text');
    expect(await readdir(folder)).toEqual(['notes.json']);
    expect(await readFile(join(folder, 'notes.json'), 'utf8')).toBe('text');
  });
});

/** Tests all missing rights in one process without them; the superuser, who may run the tests, has them all. */
describe('without the rights', () => {
  it('everything is refused by name, and nothing is lost', async () => {
    const root = await freshFolder();
    await chmod(root, 0o777);
    const child = await startChild('test/files/support/act-without-rights.ts', [root]);
    const lines = await remainingLines(child);
    expect(await child.ended).toEqual({ code: 0, signal: null, errors: '' });
    const seen: unknown = JSON.parse(lines.join('\n'));
    const refused = { code: 'FOLDER_NOT_WRITABLE', message: expect.not.stringContaining('4222') };
    const untouched = { left: ['4222222222222220.csv'], work: [] };
    expect(seen).toEqual({
      uid: process.getuid?.() === 0 ? 65_534 : process.getuid?.(),
      claimFromClosed: { ...refused, ...untouched },
      claimIntoClosed: { ...refused, ...untouched },
      settled: ['open.csv'],
      odd: [{ name: 'shut.csv', code: 'DROP_UNREADABLE' }],
      sidecar: { fault: 'CONTROL_FILE', reason: expect.stringContaining('not readable') },
      listHidden: refused,
      output: refused,
      check: refused,
      found: {
        claims: 0,
        strange: [{ code: 'DROP_DIRECTORY', reason: 'paydrop is not allowed to read the work folder' }],
      },
    });
  });
});
