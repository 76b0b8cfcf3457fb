import { writeFileSync } from 'node:fs';
import { lstat, readdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { explained, explainSystemError, inSlices, listFolder, lstatOrNothing } from '../../src/files/list-folder.ts';
import { bytePath, freshFolder, freshFolderElsewhere, freshFolders } from './support/fresh-folder.ts';
import { checkSameFileSystem } from '../../src/files/check-same-file-system.ts';
import { displayName, isIgnoredName, isMessageName, stemOf } from '../../src/files/file-names.ts';
import { PipelineError } from '../../src/kernel/errors.ts';
import { upTo } from '../support/payment-rows.ts';

describe('listFolder', () => {
  it('keeps names apart that look alike, and reaches each file by its bytes', async () => {
    const folder = await freshFolder();
    const names = [Buffer.from('caf\xe9.csv', 'latin1'), Buffer.from('caf\xe8.csv', 'latin1'), Buffer.from('café.csv')];
    for (const [index, name] of names.entries()) await writeFile(bytePath(folder, name), 'x'.repeat(index));
    const entries = await listFolder(folder);
    expect(new Set(entries.map(({ key }) => key)).size).toBe(3);
    for (const { path, stats } of entries) {
      expect((await lstat(path, { bigint: true })).ino).toBe(stats.ino);
    }
  });

  it('does not follow links', async () => {
    const folder = await freshFolder();
    await symlink('/etc', join(folder, 'link'));
    const [entry] = await listFolder(folder);
    expect(entry?.stats.isSymbolicLink()).toBe(true);
  });

  it('refuses a folder that does not exist', async () => {
    await expect(listFolder(join(await freshFolder(), 'none'))).rejects.toMatchObject({ code: 'FOLDER_MISSING' });
  });

  it('leaves out what is not wanted, by its bytes', async () => {
    const folder = await freshFolder();
    for (const name of ['caf\xe9.csv', 'monday.csv'])
      await writeFile(bytePath(folder, Buffer.from(name, 'latin1')), 'rows');
    expect((await listFolder(folder, (key) => key === 'caf\xe9.csv')).map(({ name }) => name)).toEqual([
      'caf\ufffd.csv',
    ]);
  });

  it('lists all of many, each once', async () => {
    const folder = await freshFolder();
    const names = upTo(450).map((n) => `${n}.csv`);
    for (const name of names) writeFileSync(join(folder, name), '');
    expect((await listFolder(folder)).map(({ name }) => name).sort()).toEqual(names.sort());
  });
});

describe('inSlices', () => {
  it('goes through all in order, and lets other work run before each further slice', async () => {
    const things = upTo(1_000);
    let turns = 0;
    const turn = () => {
      turns += 1;
      turning = setImmediate(turn);
    };
    let turning = setImmediate(turn);
    const seen: { slice: readonly number[]; turns: number }[] = [];
    for await (const slice of inSlices(things)) seen.push({ slice, turns });
    clearImmediate(turning);
    expect(seen.flatMap(({ slice }) => slice)).toEqual(things);
    expect(Math.max(...seen.map(({ slice }) => slice.length))).toBeLessThanOrEqual(200);
    expect(new Set(seen.map((one) => one.turns)).size).toBe(seen.length);
  });

  it('goes through nothing', async () => {
    for await (const slice of inSlices([])) expect.unreachable(`it gave ${slice.length}`);
    expect(await listFolder(await freshFolder())).toEqual([]);
  });
});

describe('lstatOrNothing', () => {
  it('finds nothing where nothing is', async () => {
    expect(await lstatOrNothing(join(await freshFolder(), 'none'))).toBeUndefined();
  });

  it('throws when it cannot tell', async () => {
    const file = join(await freshFolder(), 'file');
    await writeFile(file, '');
    await expect(lstatOrNothing(join(file, 'below'))).rejects.toMatchObject({ code: 'ENOTDIR' });
  });
});

describe('checkSameFileSystem', () => {
  it('passes where a drop can be claimed, and leaves nothing behind', async () => {
    const { drop, work } = await freshFolders();
    await checkSameFileSystem(drop, work);
    expect([...(await readdir(drop)), ...(await readdir(work))]).toEqual([]);
  });

  it('refuses a work folder on another file system, and leaves nothing behind', async () => {
    const { drop } = await freshFolders();
    const work = await freshFolderElsewhere();
    await expect(checkSameFileSystem(drop, work)).rejects.toMatchObject({ code: 'FOLDER_OTHER_DISK' });
    expect([...(await readdir(drop)), ...(await readdir(work))]).toEqual([]);
  });

  it('refuses folders that are not there', async () => {
    const { drop, work } = await freshFolders();
    await expect(checkSameFileSystem(join(drop, 'none'), work)).rejects.toMatchObject({
      code: 'FOLDER_MISSING',
      message: expect.stringContaining(
        `Cannot write into the folder "${join(drop, 'none')}": a folder does not exist.`,
      ),
    });
    await expect(checkSameFileSystem(drop, join(work, 'none'))).rejects.toMatchObject({ code: 'FOLDER_MISSING' });
    expect(await readdir(drop)).toEqual([]);
  });
});

describe('displayName', () => {
  it.each([
    ['monday.csv', 'monday.csv'],
    ['Zahlungen März.csv', 'Zahlungen März.csv'],
    ['💶.csv', '💶.csv'],
    ['two\nlines.csv', 'two_lines.csv'],
    ['tab\tnul\0.csv', 'tab_nul_.csv'],
    ['c1\u0085.csv', 'c1_.csv'],
    ['..\\evil.csv', '.._evil.csv'],
    ['a/b.csv', 'a_b.csv'],
    ['vsc\u202egnp.csv', 'vsc_gnp.csv'],
    ['line\u2028separator.csv', 'line_separator.csv'],
    [Buffer.from('caf\xe9.csv', 'latin1'), 'caf\ufffd.csv'],
    [Buffer.from('märz.csv'), 'märz.csv'],
  ])('shows %j as %j', (name, shown) => {
    expect(displayName(name)).toBe(shown);
  });
});

function systemError(code: string): Error {
  return Object.assign(new Error(`${code}: rename '/drop/4222222222222220.csv'`), { code });
}

describe('explainSystemError', () => {
  it.each([
    ['ENOENT', 'FOLDER_MISSING'],
    ['ENOTDIR', 'FOLDER_MISSING'],
    ['ELOOP', 'FOLDER_MISSING'],
    ['ENAMETOOLONG', 'FOLDER_MISSING'],
    ['EXDEV', 'FOLDER_OTHER_DISK'],
    ['EACCES', 'FOLDER_NOT_WRITABLE'],
    ['EPERM', 'FOLDER_NOT_WRITABLE'],
    ['EROFS', 'FOLDER_NOT_WRITABLE'],
    ['EBUSY', 'DROP_LOCKED'],
    ['ETXTBSY', 'DROP_LOCKED'],
    ['ENOSPC', 'DISK_FULL'],
    ['EDQUOT', 'DISK_FULL'],
    ['EIO', 'INTERNAL'],
  ])('makes %s a %s that does not name the path', (code, expected) => {
    const explained = explainSystemError(systemError(code), 'claim a drop of folder "cards"');
    expect(explained).toMatchObject({ name: 'PipelineError', code: expected });
    expect(explained.message).toContain('Cannot claim a drop of folder "cards"');
    expect(explained.message).not.toContain('4222');
    expect(explained.cause).toBeUndefined();
  });

  it('says that a file stands in the place of a folder, instead of that nothing does', () => {
    const { message } = explainSystemError(systemError('ENOTDIR'), 'list the folder "cards"');
    expect(message).toContain('a file has its name');
    expect(message).toContain('Move the file away');
    expect(message).not.toContain('does not exist');
  });

  it.each([
    ['ELOOP', 'the links in its path form a circle'],
    ['ENAMETOOLONG', 'its path is longer than the system allows'],
  ])('says what %s is, instead of that nothing exists', (code, reason) => {
    expect(explainSystemError(systemError(code), 'list the folder "cards"').message).toContain(`"cards": ${reason}. `);
  });

  it.each([
    ['a PipelineError', new PipelineError('OUTPUT_EXISTS', 'write')],
    ['a fault of the program', new TypeError('x is not a function')],
    ["an error of Node's own", systemError('ERR_STREAM_DESTROYED')],
  ])('lets %s pass as it is', (_kind, error) => {
    expect(explainSystemError(error, 'act')).toBe(error);
  });

  it('makes an error of whatever else was thrown', () => {
    expect(explainSystemError('words', 'act')).toMatchObject({ message: 'words' });
  });
});

describe('isIgnoredName', () => {
  it.each([
    '.hidden.csv',
    '..hidden.csv',
    '.a\\b.csv',
    '.sftpgo-upload.x1.monday.csv',
    'monday.csv~',
    '~$monday.xlsx',
    'monday.csv.tmp',
    'monday.csv.PART',
    'monday.partial',
    'monday.csv.FilePart',
    'monday.csv.writing',
  ])('passes over %s, which is still being written', (name) => {
    expect(isIgnoredName(name)).toBe(true);
  });

  it.each([
    '..\\evil.csv',
    '.\\monday.csv',
    'monday.csv',
    'monday',
    'part.csv',
    'tmp',
    'a~b.csv',
    '~monday.csv',
    'monday.tmp.csv',
    'monday.temp',
  ])('takes %s for a final name', (name) => {
    expect(isIgnoredName(name)).toBe(false);
  });
});

describe('isMessageName and stemOf', () => {
  it.each([
    ['monday.csv.pgp', true, 'monday'],
    ['monday.csv.GPG', true, 'monday'],
    ['monday.CSV.asc', true, 'monday'],
    ['monday.pgp', true, 'monday'],
    ['monday.csv', false, 'monday'],
    ['monday.pgp.csv', false, 'monday.pgp'],
    ['monday.pgp.txt', false, 'monday.pgp.txt'],
    ['pgp', false, 'pgp'],
    ['', false, ''],
  ])('of %j: %s, %j', (name, isMessage, stem) => {
    expect(isMessageName(name)).toBe(isMessage);
    expect(stemOf(name)).toBe(stem);
  });
});

it('explained returns what the work does, and explains its system errors', async () => {
  expect(await explained('look', () => 7)).toBe(7);
  const failing = explained('look', () =>
    Promise.reject(Object.assign(new Error('/a/4222222222222220'), { code: 'EACCES' })),
  );
  await expect(failing).rejects.toMatchObject({
    code: 'FOLDER_NOT_WRITABLE',
    message: expect.not.stringMatching(/4222/),
  });
});
