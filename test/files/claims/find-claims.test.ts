import {
  link,
  lstat,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rename,
  rm,
  symlink,
  utimes,
  writeFile,
} from 'node:fs/promises';
import { join } from 'node:path';
import { tmpdir } from 'node:os';
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { countClaims, findClaims, readClaim } from '../../../src/files/claims/find-claims.ts';
import { removeEmptyClaim } from '../../../src/files/claims/release-claim.ts';
import { freshFolder, freshFolders } from '../support/fresh-folder.ts';
import { claimedDrop, claimOnly, onlyCandidate } from '../support/claims.ts';
import { newFileId } from '../../../src/kernel/ids.ts';
import { oddCodeOf } from '../../../src/files/claims/odd-drop.ts';

const FILE_ID = '0123456789abcdef';

describe('findClaims', () => {
  it('finds nothing in an empty work folder and refuses a missing one', async () => {
    const { work } = await freshFolders();
    expect(await findClaims(work)).toEqual({ claims: [], empty: [], strange: [] });
    await expect(findClaims(join(work, 'none'))).rejects.toMatchObject({ code: 'FOLDER_MISSING' });
  });

  it('finds claims as claimDrop returned them', async () => {
    const { work, claim } = await claimedDrop({ 'a.csv.ctl': 'rows=1' });
    expect(await findClaims(work)).toEqual({ claims: [claim], empty: [], strange: [] });
  });

  it('sees a change of the bytes since they settled', async () => {
    const {
      work,
      claim: { path },
    } = await claimedDrop();
    await utimes(path, 1_750_000_000, 1_750_000_000);
    expect((await findClaims(work)).claims).toMatchObject([{ changed: true }]);
  });

  it.each<[string, (workDir: string) => Promise<unknown>]>([
    ['before the notes', (workDir) => rm(join(workDir, 'claim.json'))],
    ['while writing the notes', (workDir) => rename(join(workDir, 'claim.json'), join(workDir, 'claim.json.tmp'))],
    ['before the rename', () => Promise.resolve()],
  ])('calls empty what a process killed %s left, and the drop can be claimed again', async (_when, undo) => {
    const {
      drop,
      work,
      claim: { workDir, path },
    } = await claimedDrop();
    await rename(path, join(drop, 'a.csv'));
    await undo(workDir);
    expect(await findClaims(work)).toEqual({ claims: [], empty: [workDir], strange: [] });
    await removeEmptyClaim(workDir);
    expect(await readdir(work)).toEqual([]);
    expect(await readFile((await claimOnly(drop, work)).path, 'utf8')).toBe('rows');
  });

  it('fetches the sidecar when the process was killed after the rename', async () => {
    const { drop, work, claim } = await claimedDrop({ 'a.csv.ctl': 'rows=1' });
    await rename(join(claim.workDir, 'original.ctl'), join(drop, 'a.csv.ctl'));
    expect((await findClaims(work)).claims).toEqual([claim]);
    expect(await readFile(claim.sidecar ?? '', 'utf8')).toBe('rows=1');
    expect(await readdir(drop)).toEqual([]);
  });

  it.each<[string, string, string, (workDir: string) => Promise<unknown>]>([
    ['has no notes', 'DROP_DIRECTORY', 'notes', (workDir) => rm(join(workDir, 'claim.json'))],
    ['has unreadable notes', 'DROP_DIRECTORY', 'notes', (workDir) => writeFile(join(workDir, 'claim.json'), '{')],
    [
      'holds something else beside its notes',
      'DROP_DIRECTORY',
      'no claimed file',
      (workDir) => rename(join(workDir, 'original'), join(workDir, 'other')),
    ],
    [
      'has another name than its notes',
      'DROP_DIRECTORY',
      'notes',
      (workDir) => rename(workDir, join(workDir, '..', FILE_ID)),
    ],
    [
      'is not named like a claim',
      'DROP_DIRECTORY',
      'not a claim',
      (workDir) => rename(workDir, join(workDir, '..', 'lost')),
    ],
  ])('calls strange a folder that %s', async (_what, code, reason, change) => {
    const {
      work,
      claim: { workDir },
    } = await claimedDrop();
    await change(workDir);
    expect(await findClaims(work)).toMatchObject({
      claims: [],
      empty: [],
      strange: [{ code, reason: expect.stringContaining(reason) }],
    });
  });

  it.each<[string, string, (path: string) => Promise<unknown>]>([
    ['a link', 'DROP_SYMLINK', (path) => symlink('/etc/hostname', path)],
    ['a folder', 'DROP_DIRECTORY', (path) => mkdir(path)],
  ])('calls strange a claim whose bytes are %s', async (_what, code, make) => {
    const {
      work,
      claim: { workDir, path },
    } = await claimedDrop();
    await rm(path);
    await make(path);
    expect((await findClaims(work)).strange).toEqual([{ name: 'a.csv', path: Buffer.from(workDir), code }]);
  });

  it('is not stopped by one strange folder, and passes over plain files', async () => {
    const { drop, work } = await freshFolders();
    await mkdir(join(work, 'strange'));
    await writeFile(join(work, '.paydrop-1.tmp'), '');
    await writeFile(join(drop, 'a.csv'), 'rows');
    const claim = await claimOnly(drop, work);
    const { claims, strange } = await findClaims(work);
    expect(claims).toEqual([claim]);
    expect(strange.map(({ name }) => name)).toEqual(['strange']);
  });

  it('takes a live process that is about to move its drop for an empty claim, which removing does not harm', async () => {
    const { drop, work, claim } = await claimedDrop();
    await rename(claim.path, join(drop, 'a.csv'));
    const { empty } = await findClaims(work);
    await rename(join(drop, 'a.csv'), claim.path);
    expect(await removeEmptyClaim(empty[0] ?? '')).toBe(false);
    expect((await findClaims(work)).claims).toEqual([claim]);
    await rename(claim.path, join(drop, 'a.csv'));
    expect(await removeEmptyClaim(claim.workDir)).toBe(true);
    await expect(rename(join(drop, 'a.csv'), claim.path)).rejects.toMatchObject({ code: 'ENOENT' });
    expect((await onlyCandidate(drop)).name).toBe('a.csv');
  });
});

describe('readClaim', () => {
  it('reads the claim of one file', async () => {
    const { work, claim } = await claimedDrop();
    expect(await readClaim(work, claim.fileId)).toEqual(claim);
  });

  it.each<[string, (path: string) => Promise<unknown>]>([
    ['was written to', (path) => writeFile(path, 'rows and rows')],
    ['was exchanged for a link', (path) => rm(path).then(() => symlink('/etc/hostname', path))],
    ['has got a second name', (path) => link(path, `${path}2`)],
  ])('says so when the claimed file %s', async (_what, change) => {
    const { work, claim } = await claimedDrop();
    await change(claim.path);
    expect(await readClaim(work, claim.fileId)).toEqual({ ...claim, changed: true });
  });

  it('reads it while a sweep has moved its folder aside', async () => {
    const {
      work,
      claim: { fileId, workDir, path },
    } = await claimedDrop();
    await writeFile(path, 'rows and rows');
    await rename(workDir, `${workDir}.empty`);
    expect(await readClaim(work, fileId)).toMatchObject({ fileId, changed: true });
  });

  it('finds none where none is, or was released', async () => {
    const { drop, work } = await freshFolders();
    expect(await readClaim(work, FILE_ID)).toBeUndefined();
    await writeFile(join(drop, 'a.csv'), 'rows');
    const { path, fileId } = await claimOnly(drop, work);
    await rm(path);
    expect(await readClaim(work, fileId)).toBeUndefined();
  });
});

describe('countClaims', () => {
  let root: string;
  beforeAll(async () => {
    root = await mkdtemp(join(tmpdir(), 'paydrop-claims-'));
    for (const work of ['one', 'two']) await mkdir(join(root, work));
  });
  afterAll(() => rm(root, { recursive: true, force: true }));

  it('counts the claims of all work folders, each folder once', async () => {
    const works = ['one', 'two', 'one'].map((name) => join(root, name));
    expect(await countClaims(works)).toBe(0);
    const fileId = newFileId();
    await mkdir(join(root, 'one', fileId));
    await mkdir(join(root, 'two', newFileId()));
    expect(await countClaims(works)).toBe(2);
    expect(await countClaims(works, [fileId])).toBe(1);
  });

  it('counts nothing that is no claim', async () => {
    const work = join(root, 'three');
    await mkdir(join(work, 'notes'), { recursive: true });
    await mkdir(join(work, `${newFileId()}.empty`));
    await writeFile(join(work, newFileId()), 'a file');
    expect(await countClaims([work])).toBe(0);
  });

  it('says which folder is missing', async () => {
    await expect(countClaims([join(root, 'gone')])).rejects.toMatchObject({ code: 'FOLDER_MISSING' });
  });
});

async function listenAt(path: string): Promise<void> {
  const server = createServer().listen(path);
  onTestFinished(() => void server.close());
  await once(server, 'listening');
}

describe('oddCodeOf', () => {
  it.each<[string, string | undefined, (path: string) => unknown]>([
    ['a plain file', undefined, (path) => writeFile(path, 'rows')],
    ['an empty file', undefined, (path) => writeFile(path, '')],
    ['a link to a file', 'DROP_SYMLINK', (path) => symlink('/etc/hostname', path)],
    ['a link to nothing', 'DROP_SYMLINK', (path) => symlink('/nowhere', path)],
    ['a folder', 'DROP_DIRECTORY', (path) => mkdir(path)],
    ['a pipe', 'DROP_SPECIAL', (path) => execFileSync('mkfifo', [path])],
    ['a socket', 'DROP_SPECIAL', listenAt],
    ['a file with a second name', 'DROP_HARD_LINK', (path) => writeFile(path, '').then(() => link(path, `${path}2`))],
  ])('calls %s %s', async (_kind, code, make) => {
    const path = join(await freshFolder(), 'drop');
    await make(path);
    expect(oddCodeOf(await lstat(path, { bigint: true }))).toBe(code);
  });

  it('calls a device DROP_SPECIAL', async () => {
    expect(oddCodeOf(await lstat('/dev/null', { bigint: true }))).toBe('DROP_SPECIAL');
  });
});
