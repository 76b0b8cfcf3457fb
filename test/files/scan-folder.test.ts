import { execFileSync } from 'node:child_process';
import { appendFile, link, mkdir, rename, rm, symlink, utimes, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { CompleteBy } from '../../src/files/completeness.ts';
import { isIgnoredName } from '../../src/files/file-names.ts';
import { bytePath, freshFolder } from './support/fresh-folder.ts';
import { settleDrops, steppedScanner } from './support/claims.ts';

const MARKER: CompleteBy = { by: 'marker', suffix: '.done' };

function names(list: { name: string }[]): string[] {
  return list.map(({ name }) => name).sort();
}

describe('createFolderScanner, complete by quiet', () => {
  it('settles every file without any event, also those that lay there before the first look', async () => {
    const folder = await freshFolder();
    const scanner = steppedScanner(folder);
    await writeFile(join(folder, 'early.csv'), 'rows');
    expect(await scanner.looks(2)).toMatchObject({ settled: [], settling: [{ name: 'early.csv' }] });
    await writeFile(join(folder, 'late.csv'), 'rows');
    scanner.clock.advance(5_000);
    expect(names((await scanner.look()).settled)).toEqual(['early.csv']);
    scanner.clock.advance(10_000);
    expect(names((await scanner.look()).settled)).toEqual(['early.csv']);
    scanner.clock.advance(1);
    expect(names((await scanner.look()).settled)).toEqual(['early.csv', 'late.csv']);
  });

  it('tells what was seen', async () => {
    const folder = await freshFolder();
    const path = join(folder, 'monday.csv');
    await writeFile(path, 'rows\n');
    await utimes(path, 1_750_000_000, 1_750_000_000);
    const { settled } = await settleDrops(folder);
    expect(settled).toEqual([
      {
        name: 'monday.csv',
        path: Buffer.from(path),
        bytes: 5,
        mtimeMs: 1_750_000_000_000,
        sinceMs: expect.any(Number),
        inode: expect.any(BigInt),
        completeness: 'quiet',
      },
    ]);
  });

  it('says since when a file has been waiting, in its present shape', async () => {
    const folder = await freshFolder();
    const scanner = steppedScanner(folder);
    await writeFile(join(folder, 'a.csv'), 'rows');
    const startMs = scanner.clock.now().getTime();
    expect((await scanner.looks(2)).settling).toEqual([{ name: 'a.csv', sinceMs: startMs }]);
    await appendFile(join(folder, 'a.csv'), 'rows');
    expect((await scanner.look()).settling).toEqual([{ name: 'a.csv', sinceMs: startMs + 5_000 }]);
  });

  it('waits for a file that grows, and for an upload that pauses', async () => {
    const folder = await freshFolder();
    const scanner = steppedScanner(folder);
    for (let look = 0; look < 5; look += 1) {
      await appendFile(join(folder, 'growing.csv'), 'row\n');
      scanner.clock.advance(9_000);
      expect((await scanner.look()).settled).toEqual([]);
    }
    scanner.clock.advance(5_000);
    await scanner.look();
    scanner.clock.advance(4_999);
    expect((await scanner.look()).settled).toEqual([]);
    await appendFile(join(folder, 'growing.csv'), 'row\n');
    expect((await scanner.looks(2)).settled).toEqual([]);
    scanner.clock.advance(5_000);
    expect(names((await scanner.look()).settled)).toEqual(['growing.csv']);
  });

  it.each<[string, (path: string) => Promise<unknown>]>([
    ['rewritten with as many bytes', (path) => utimes(path, 1_750_000_001, 1_750_000_001)],
    [
      'replaced by another file of the same size and time',
      async (path) => {
        await writeFile(`${path}.tmp`, 'rows');
        await utimes(`${path}.tmp`, 1_750_000_000, 1_750_000_000);
        await rename(`${path}.tmp`, path);
      },
    ],
    ['linked', (path) => link(path, `${path}.tmp`)],
  ])('starts again when a file is %s', async (_change, change) => {
    const folder = await freshFolder();
    const path = join(folder, 'a.csv');
    await writeFile(path, 'rows');
    await utimes(path, 1_750_000_000, 1_750_000_000);
    const scanner = steppedScanner(folder);
    await scanner.looks(2);
    await change(path);
    scanner.clock.advance(5_000);
    expect(await scanner.look()).toMatchObject({ settled: [], settling: [{ name: 'a.csv' }], odd: [] });
  });

  it('is not held back by a time stamp in the future', async () => {
    const folder = await freshFolder();
    await writeFile(join(folder, 'a.csv'), 'rows');
    await utimes(join(folder, 'a.csv'), 4_000_000_000, 4_000_000_000);
    expect(names((await settleDrops(folder)).settled)).toEqual(['a.csv']);
  });

  it('forgets a file that has gone', async () => {
    const folder = await freshFolder();
    const path = join(folder, 'a.csv');
    await writeFile(path, 'rows');
    const scanner = steppedScanner(folder);
    await scanner.looks(2);
    await rename(path, `${folder}-aside`);
    onTestFinished(() => rm(`${folder}-aside`, { force: true }));
    await scanner.look();
    await rename(`${folder}-aside`, path);
    scanner.clock.advance(10_000);
    expect((await scanner.look()).settled).toEqual([]);
  });

  it('passes over unfinished names until they are renamed', async () => {
    const folder = await freshFolder();
    await writeFile(join(folder, 'a.csv.part'), 'rows');
    await mkdir(join(folder, '.snapshot'));
    const scanner = steppedScanner(folder);
    expect(await scanner.looks(3)).toMatchObject({ settled: [], settling: [], unmarked: [], odd: [] });
    await rename(join(folder, 'a.csv.part'), join(folder, 'a.csv'));
    expect((await scanner.looks(2)).settled).toEqual([]);
    scanner.clock.advance(5_000);
    expect(names((await scanner.look()).settled)).toEqual(['a.csv']);
  });

  it('lists the longest untouched first', async () => {
    const folder = await freshFolder();
    for (const [name, seconds] of [
      ['a.csv', 300],
      ['b.csv', 100],
      ['c.csv', 200],
      ['d.csv', 100],
    ] as const) {
      await writeFile(join(folder, name), '');
      await utimes(join(folder, name), seconds, seconds);
    }
    expect((await settleDrops(folder)).settled.map(({ name }) => name)).toEqual(['b.csv', 'd.csv', 'c.csv', 'a.csv']);
  });

  it('settles files whatever bytes their names are made of', async () => {
    const folder = await freshFolder();
    const odd = [Buffer.from('caf\xe9.csv', 'latin1'), 'two\nlines.csv', '💶.csv', '..\\evil.csv', '-rf.csv', ' .csv'];
    for (const name of odd) await writeFile(bytePath(folder, name), 'rows');
    expect(names((await settleDrops(folder)).settled)).toEqual(
      [' .csv', '-rf.csv', '.._evil.csv', 'caf\ufffd.csv', 'two_lines.csv', '💶.csv'].sort(),
    );
  });

  it('refuses a folder that is not there, and goes on when it is back', async () => {
    const folder = join(await freshFolder(), 'drop');
    const scanner = steppedScanner(folder);
    await expect(scanner.look()).rejects.toMatchObject({ code: 'FOLDER_MISSING' });
    await mkdir(folder);
    await writeFile(join(folder, 'a.csv'), 'rows');
    expect(names((await scanner.looks(3)).settled)).toEqual(['a.csv']);
  });
});

describe('createFolderScanner, sidecars', () => {
  it('gives a file its sidecar', async () => {
    const folder = await freshFolder();
    await writeFile(join(folder, 'a.csv'), 'rows');
    await writeFile(join(folder, 'a.csv.ctl'), 'rows=1');
    const { settled } = await settleDrops(folder);
    expect(settled).toMatchObject([
      { name: 'a.csv', completeness: 'sidecar', sidecar: { path: Buffer.from(join(folder, 'a.csv.ctl')), bytes: 6 } },
    ]);
  });

  it('waits until the sidecar has come to rest as well', async () => {
    const folder = await freshFolder();
    const scanner = steppedScanner(folder);
    await writeFile(join(folder, 'a.csv'), 'rows');
    await scanner.looks(2);
    await writeFile(join(folder, 'a.csv.ctl'), 'rows=1');
    scanner.clock.advance(5_000);
    expect((await scanner.looks(2)).settled).toEqual([]);
    scanner.clock.advance(5_000);
    expect((await scanner.look()).settled).toMatchObject([{ name: 'a.csv', completeness: 'sidecar' }]);
  });

  it('passes over a sidecar that comes first', async () => {
    const folder = await freshFolder();
    await writeFile(join(folder, 'a.csv.ctl'), 'rows=1');
    const scanner = steppedScanner(folder);
    expect(await scanner.looks(4)).toMatchObject({ settled: [], settling: [], unmarked: [], odd: [] });
    await writeFile(join(folder, 'a.csv'), 'rows');
    expect((await scanner.looks(3)).settled).toMatchObject([{ name: 'a.csv', completeness: 'sidecar' }]);
  });
});

describe('createFolderScanner, complete by marker', () => {
  it('takes a file as soon as its marker is there, and not before', async () => {
    const folder = await freshFolder();
    await writeFile(join(folder, 'a.csv'), 'rows');
    await writeFile(join(folder, 'b.csv.done'), '');
    const scanner = steppedScanner(folder, MARKER);
    expect(await scanner.looks(9)).toMatchObject({ settled: [], settling: [], unmarked: [{ name: 'a.csv' }], odd: [] });
    await writeFile(join(folder, 'a.csv.done'), '');
    expect(await scanner.look()).toMatchObject({
      settled: [
        { name: 'a.csv', completeness: 'marker', marker: { path: Buffer.from(join(folder, 'a.csv.done')), bytes: 0 } },
      ],
      unmarked: [],
    });
  });

  it('takes the sidecar that the marker speaks for', async () => {
    const folder = await freshFolder();
    for (const name of ['a.csv', 'a.csv.ctl', 'a.csv.done']) await writeFile(join(folder, name), '');
    const { settled } = await steppedScanner(folder, MARKER).look();
    expect(settled).toMatchObject([{ name: 'a.csv', completeness: 'sidecar', sidecar: {}, marker: {} }]);
  });

  it('waits until a control file that is the marker as well is written to its end', async () => {
    const folder = await freshFolder();
    const scanner = steppedScanner(folder, { by: 'marker', suffix: '.ctl' });
    await writeFile(join(folder, 'a.csv'), 'rows');
    expect(await scanner.look()).toMatchObject({ settled: [], settling: [], unmarked: [{ name: 'a.csv' }] });
    await writeFile(join(folder, 'a.csv.ctl'), '');
    expect(await scanner.look()).toMatchObject({ settled: [], settling: [{ name: 'a.csv' }] });
    scanner.clock.advance(1_000);
    await writeFile(join(folder, 'a.csv.ctl'), 'rows=1\n');
    expect(await scanner.look()).toMatchObject({ settled: [], settling: [{ name: 'a.csv' }] });
    scanner.clock.advance(1_000);
    expect(await scanner.look()).toMatchObject({ settled: [{ name: 'a.csv', completeness: 'sidecar' }] });
  });

  it('does not take a link for a marker', async () => {
    const folder = await freshFolder();
    await writeFile(join(folder, 'a.csv'), 'rows');
    await symlink('/etc/hostname', join(folder, 'a.csv.done'));
    expect(await settleDrops(folder, MARKER)).toMatchObject({
      settled: [],
      unmarked: [{ name: 'a.csv' }],
      odd: [{ name: 'a.csv.done', code: 'DROP_SYMLINK' }],
    });
  });

  it.each<[string, CompleteBy, string]>([
    ['marker', MARKER, 'a.csv.done'],
    ['control', { by: 'control' }, 'a.csv.ctl'],
  ])('does not believe a marker left over from an older file (complete by %s)', async (_by, complete, marker) => {
    const folder = await freshFolder();
    await writeFile(join(folder, marker), 'rows=1');
    await utimes(join(folder, marker), 1_750_000_000, 1_750_000_000);
    await writeFile(join(folder, 'a.csv'), 'half of the');
    const scanner = steppedScanner(folder, complete);
    expect(await scanner.looks(9)).toMatchObject({
      settled: [],
      settling: [],
      unmarked: [{ name: 'a.csv', lacks: 'newer_marker' }],
    });
    await writeFile(join(folder, 'a.csv'), 'half of the rows, and the other half');
    await writeFile(join(folder, marker), 'rows=2');
    expect(await scanner.looks(2)).toMatchObject({ settled: [{ name: 'a.csv' }], unmarked: [] });
  });

  it('accepts a marker in any case, and prefers the configured one', async () => {
    const folder = await freshFolder();
    for (const name of ['a.csv', 'b.csv', 'b.csv.Done', 'a.csv.DONE', 'b.csv.done'])
      await writeFile(join(folder, name), '');
    const { settled } = await steppedScanner(folder, MARKER).look();
    expect(settled.map(({ marker }) => marker?.path.toString())).toEqual(
      ['a.csv.DONE', 'b.csv.done'].map((name) => join(folder, name)),
    );
  });
});

describe('createFolderScanner, complete by control', () => {
  it('takes a file only with its control file, once that is written to its end', async () => {
    const folder = await freshFolder();
    await writeFile(join(folder, 'a.csv'), 'rows');
    const scanner = steppedScanner(folder, { by: 'control' });
    expect(await scanner.looks(9)).toMatchObject({ settled: [], unmarked: [{ name: 'a.csv', lacks: 'marker' }] });
    await writeFile(join(folder, 'a.csv.ctl'), 'rows=1');
    expect(await scanner.look()).toMatchObject({ settled: [], settling: [{ name: 'a.csv' }] });
    scanner.clock.advance(1_000);
    expect(await scanner.look()).toMatchObject({
      settled: [{ name: 'a.csv', completeness: 'sidecar', sidecar: { bytes: 6 } }],
    });
  });
});

describe('createFolderScanner, companions without their file', () => {
  it.each<[string, CompleteBy | undefined, Record<string, string>]>([
    ['quiet', undefined, { 'a.csv.DONE': 'marker', 'b.csv.done': 'marker', 'c.csv.Ctl': 'control' }],
    ['marker', { by: 'marker', suffix: '.ok' }, { 'a.csv.OK': 'marker', 'c.csv.ctl': 'control' }],
    ['control', { by: 'control' }, { 'c.csv.ctl': 'control' }],
  ])('reports them, and never as payment files (complete by %s)', async (_by, complete, companions) => {
    const folder = await freshFolder();
    for (const name of Object.keys(companions)) await writeFile(join(folder, name), 'rows');
    const scanner = steppedScanner(folder, complete);
    expect((await scanner.look()).lone).toMatchObject([
      { isStill: false },
      ...Object.keys(companions)
        .slice(1)
        .map(() => ({})),
    ]);
    scanner.clock.advance(5_000);
    const { lone, ...rest } = await scanner.looks(2);
    expect(rest).toEqual({ settled: [], settling: [], unmarked: [], odd: [] });
    expect(Object.fromEntries(lone.map(({ name, kind }) => [name, kind]))).toEqual(companions);
    expect(lone).toEqual(lone.map((one) => ({ ...one, of: one.name.slice(0, 5), isStill: true })));
  });
});

describe('isIgnoredName', () => {
  it.each([
    'Thumbs.db',
    'THUMBS.DB',
    'desktop.ini',
    'a.csv.crdownload',
    'a.csv.download',
    'a.csv.opdownload',
    'a.csv.part',
    'a.csv.TMP',
    'a.csv.swp',
    '.a.csv.swp',
    '~$a.xlsx',
    '.~lock.a.csv#',
    'a.csv~',
  ])('ignores %s', (name) => expect(isIgnoredName(name)).toBe(true));

  it.each(['a.csv', 'thumbs.db.csv', 'my-desktop.ini', 'part.csv', 'tmp', '..\\a.csv', 'a~b.csv'])('takes %s', (name) =>
    expect(isIgnoredName(name)).toBe(false),
  );
});

describe('createFolderScanner, odd drops', () => {
  async function makeOddDrops(folder: string): Promise<void> {
    await symlink('/etc/hostname', join(folder, 'link.csv'));
    await mkdir(join(folder, 'folder.csv'));
    execFileSync('mkfifo', [join(folder, 'pipe.csv')]);
    await writeFile(join(folder, 'twice.csv'), 'rows');
    await link(join(folder, 'twice.csv'), join(folder, 'twice-more.csv'));
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(join(folder, 'socket.csv'), resolve));
    onTestFinished(() => {
      server.close();
    });
  }

  it.each<[string, CompleteBy | undefined]>([
    ['quiet', undefined],
    ['marker', MARKER],
  ])('reports every kind unopened once it has come to rest (complete by %s)', async (_by, complete) => {
    const folder = await freshFolder();
    await makeOddDrops(folder);
    const scanner = steppedScanner(folder, complete);
    expect((await scanner.looks(2)).odd).toEqual([]);
    scanner.clock.advance(5_000);
    const { settled, settling, odd } = await scanner.look();
    expect({ settled, settling }).toEqual({ settled: [], settling: [] });
    expect(Object.fromEntries(odd.map(({ name, code }) => [name, code]))).toEqual({
      'link.csv': 'DROP_SYMLINK',
      'folder.csv': 'DROP_DIRECTORY',
      'pipe.csv': 'DROP_SPECIAL',
      'socket.csv': 'DROP_SPECIAL',
      'twice.csv': 'DROP_HARD_LINK',
      'twice-more.csv': 'DROP_HARD_LINK',
    });
  });

  it('takes a file whose second name was only an uploader publishing it', async () => {
    const folder = await freshFolder();
    await writeFile(join(folder, 'a.csv.tmp'), 'rows');
    await link(join(folder, 'a.csv.tmp'), join(folder, 'a.csv'));
    const scanner = steppedScanner(folder);
    await scanner.looks(2);
    await rm(join(folder, 'a.csv.tmp'));
    expect(await scanner.looks(3)).toMatchObject({ settled: [{ name: 'a.csv' }], odd: [] });
  });
});
