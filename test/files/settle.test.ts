import { execFileSync } from 'node:child_process';
import { mkdir, symlink, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { isQuiet, noteSighting, type Sighting } from '../../src/files/completeness.ts';
import { type ControlFault, type ControlTotals, readSidecar } from '../../src/files/sidecar.ts';
import { freshFolder } from './support/fresh-folder.ts';
import { settleDrops, steppedScanner } from './support/claims.ts';

const RULE = { quietMs: 10_000, probes: 3 };

function look(looks: [shape: string, nowMs: number][]): boolean {
  let sighting: Sighting | undefined;
  let lastMs = 0;
  for (const [shape, nowMs] of looks) {
    sighting = noteSighting(sighting, shape, nowMs);
    lastMs = nowMs;
  }
  return sighting !== undefined && isQuiet(sighting, RULE, lastMs);
}

describe('isQuiet', () => {
  it.each<[string, [string, number][], boolean]>([
    [
      'three looks over ten seconds',
      [
        ['a', 0],
        ['a', 5_000],
        ['a', 10_000],
      ],
      true,
    ],
    [
      'three looks over less',
      [
        ['a', 0],
        ['a', 5_000],
        ['a', 9_999],
      ],
      false,
    ],
    [
      'two looks over any time',
      [
        ['a', 0],
        ['a', 99_000],
      ],
      false,
    ],
    [
      'many looks at once',
      [
        ['a', 0],
        ['a', 1],
        ['a', 2],
        ['a', 3],
        ['a', 4],
      ],
      false,
    ],
    [
      'a change at the last look',
      [
        ['a', 0],
        ['a', 5_000],
        ['b', 10_000],
      ],
      false,
    ],
    [
      'three looks since a change',
      [
        ['a', 0],
        ['b', 5_000],
        ['b', 10_000],
        ['b', 15_000],
      ],
      true,
    ],
    [
      'a change and back',
      [
        ['a', 0],
        ['b', 5_000],
        ['a', 10_000],
        ['a', 15_000],
      ],
      false,
    ],
    [
      'a clock set back',
      [
        ['a', 50_000],
        ['a', 55_000],
        ['a', 1_000],
        ['a', 6_000],
      ],
      false,
    ],
    [
      'ten seconds after a clock was set back',
      [
        ['a', 50_000],
        ['a', 1_000],
        ['a', 6_000],
        ['a', 11_000],
      ],
      true,
    ],
  ])('judges %s', (_case, looks, quiet) => {
    expect(look(looks)).toBe(quiet);
  });
});

describe('noteSighting', () => {
  it('remembers since when the shape is the same', () => {
    const first = noteSighting(undefined, 'a', 1_000);
    expect(noteSighting(first, 'a', 2_000)).toEqual({ shape: 'a', sinceMs: 1_000, probes: 2 });
    expect(noteSighting(first, 'b', 2_000)).toEqual({ shape: 'b', sinceMs: 2_000, probes: 1 });
  });
});

const HASH = 'ab'.repeat(32);

async function read(content: string | Buffer): Promise<ControlTotals | ControlFault> {
  const path = join(await freshFolder(), 'a.csv.ctl');
  await writeFile(path, content);
  return await readSidecar(path);
}

describe('readSidecar', () => {
  it.each<[string, string, ControlTotals]>([
    ['equals signs', `rows=3\ntotal=75.00\nsha256=${HASH}\n`, { rows: 3, totalCents: 7_500, sha256: HASH }],
    ['colons', `rows: 3\ntotal: 75.00\nsha256: ${HASH}`, { rows: 3, totalCents: 7_500, sha256: HASH }],
    ['commas and Windows line ends', 'rows,3\r\ntotal,75.00\r\n', { rows: 3, totalCents: 7_500 }],
    ['old Macintosh line ends', 'rows=3\rtotal=75', { rows: 3, totalCents: 7_500 }],
    ['spaces, capitals and blank lines', '\n  ROWS = 3 \n\n Total = -0.05\n', { rows: 3, totalCents: -5 }],
    ['a byte order mark', '\ufeffrows=3\n', { rows: 3 }],
    ['a hash in capitals', `SHA256=${HASH.toUpperCase()}`, { sha256: HASH }],
    ['a total larger than any payment', 'total=9999999999.00', { totalCents: 999_999_999_900 }],
    ['no rows at all', 'rows=0', { rows: 0 }],
  ])('reads %s', async (_what, text, totals) => {
    expect(await read(text)).toEqual(totals);
  });

  it.each<[string, string | Buffer, string]>([
    ['nothing', '', 'no rows, total or sha256'],
    ['blank lines only', '\n \n', 'no rows, total or sha256'],
    ['an unknown name', 'rows=3\ncount=3', 'line 2 is not rows, total or sha256'],
    ['a card number', '4222222222222220', 'line 1 is not rows, total or sha256'],
    ['a comment', '# three rows', 'line 1 is not'],
    ['a name twice', 'rows=3\nROWS=4', 'line 2 repeats'],
    ['rows that are not whole', 'rows=3.5', 'line 1 gives rows'],
    ['rows below zero', 'rows=-3', 'line 1 gives rows'],
    ['no value', 'rows=', 'line 1 gives rows'],
    ['a grouped total', 'total=1,075.00', 'line 1 gives a total'],
    ['a total with a currency', 'total=$75.00', 'line 1 gives a total'],
    ['a total beyond all payments', 'total=999999999999999.00', 'line 1 gives a total'],
    ['half a hash', `sha256=${HASH.slice(1)}`, 'line 1 gives a sha256'],
    ['bytes that are no text', Buffer.from([0x72, 0xff]), 'not UTF-8'],
    ['UTF-16', Buffer.from('\ufeffrows=3', 'utf16le'), 'not UTF-8'],
    ['more than 4 KiB', `rows=3${' '.repeat(4_091)}`, 'larger than 4 KiB'],
  ])('finds fault with %s without quoting it', async (_what, content, reason) => {
    const result = await read(content);
    expect(result).toEqual({ fault: 'CONTROL_FILE', reason: expect.stringContaining(reason) });
    expect(JSON.stringify(result)).not.toContain('4222');
  });

  it('reads exactly 4 KiB', async () => {
    expect(await read(`rows=3${' '.repeat(4_090)}`)).toEqual({ rows: 3 });
  });

  it.each<[string, (path: string) => unknown]>([
    ['nothing', () => undefined],
    ['a link', (path) => symlink('/etc/hostname', path)],
    ['a folder', (path) => mkdir(path)],
    ['a pipe', (path) => execFileSync('mkfifo', [path])],
  ])('finds fault with %s in its place, unopened', async (_what, make) => {
    const path = join(await freshFolder(), 'a.csv.ctl');
    await make(path);
    expect(await readSidecar(path)).toMatchObject({ fault: 'CONTROL_FILE' });
  });
});

function names(list: { name: string }[]): string[] {
  return list.map(({ name }) => name).sort();
}

describe('createFolderScanner, a marker in a folder that waits for quiet', () => {
  /** Writes files whose last change is so many seconds after the same moment. */
  async function folderWith(files: Record<string, readonly [text: string, seconds: number]>): Promise<string> {
    const folder = await freshFolder();
    for (const [name, [text, seconds]] of Object.entries(files)) {
      await writeFile(join(folder, name), text);
      await utimes(join(folder, name), 1_750_000_000 + seconds, 1_750_000_000 + seconds);
    }
    return folder;
  }

  it('ends the wait at once, and goes with the drop', async () => {
    const folder = await folderWith({ 'a.csv': ['rows', 0], 'a.csv.ctl': ['rows=1', 0], 'a.csv.done': ['', 0] });
    expect(await steppedScanner(folder).look()).toMatchObject({
      settled: [{ name: 'a.csv', sidecar: {}, marker: { path: Buffer.from(join(folder, 'a.csv.done')) } }],
      settling: [],
    });
  });

  it.each(['a.csv', 'a.csv.ctl'])('does not count when %s has changed after it', async (later) => {
    const folder = await folderWith({ 'a.csv': ['rows', 0], 'a.csv.ctl': ['rows=1', 0], 'a.csv.done': ['', 1] });
    await utimes(join(folder, later), 1_750_000_002, 1_750_000_002);
    const scanner = steppedScanner(folder);
    expect(await scanner.looks(2)).toMatchObject({ settled: [], settling: [{ name: 'a.csv' }] });
    scanner.clock.advance(5_000);
    // It must not stay behind: it would end the wait of the next file of that name.
    expect((await scanner.look()).settled).toMatchObject([{ name: 'a.csv', completeness: 'sidecar', marker: {} }]);
  });

  it('says of a file that it was inferred to be whole when its marker is older', async () => {
    const folder = await folderWith({ 'a.csv.done': ['', 0], 'a.csv': ['rows', 1] });
    expect((await settleDrops(folder)).settled).toMatchObject([{ completeness: 'quiet', marker: {} }]);
  });

  it.each([
    ['has content', { 'a.csv.done': ['rows', 1] }],
    ['belongs to no file', { 'b.csv.done': ['', 1] }],
  ] as const)('ends no wait when it %s, and is no payment file', async (_why, more) => {
    const folder = await folderWith({ 'a.csv': ['rows', 0], ...more });
    const scanner = steppedScanner(folder);
    expect(names((await scanner.look()).settling)).toEqual(['a.csv']);
    const { settled } = await scanner.looks(3);
    expect(settled).toMatchObject([{ name: 'a.csv', completeness: 'quiet' }]);
    // With its payment file it would be deleted, and what is in it may be payments.
    expect(settled[0]).not.toHaveProperty('marker');
  });

  it('is no link', async () => {
    const folder = await folderWith({ 'a.csv': ['rows', 0] });
    await symlink('/dev/null', join(folder, 'a.csv.done'));
    expect(await settleDrops(folder)).toMatchObject({ settled: [{ name: 'a.csv' }], odd: [{ name: 'a.csv.done' }] });
  });
});
