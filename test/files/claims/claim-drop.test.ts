import { renameSync } from 'node:fs';
import { mkdir, readdir, readFile, readlink, rm, stat, symlink, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { armCrashPoints, type CrashPointName } from '../../../src/kernel/crash-point.ts';
import { newFileId } from '../../../src/kernel/ids.ts';
import { explainRefusal } from '../../../src/files/claims/claim-drop.ts';
import { findClaims } from '../../../src/files/claims/find-claims.ts';
import {
  claimedDrop,
  claimOnly,
  claimTogether,
  FOLDER,
  killWhileClaiming,
  onlyCandidate,
  settledDrop,
  settleDrops,
  tryClaim,
} from '../support/claims.ts';
import { bytePath, freshFolder, freshFolderElsewhere, freshFolders } from '../support/fresh-folder.ts';
import { noteClaim, NOTES, readNotes, writeNotes } from '../../../src/files/claims/finish-claim.ts';

/** watch-folders.soak.test.ts has more files and more kills. */
describe('claimDrop', () => {
  it('moves the drop into a folder of its own, with notes', async () => {
    const { drop, work } = await freshFolders();
    await writeFile(join(drop, 'monday.csv'), 'rows\n');
    const candidate = await onlyCandidate(drop);
    const fileId = newFileId();
    const outcome = await tryClaim(candidate, work, fileId);
    const notes = {
      fileId,
      folder: 'cards',
      account: 'main',
      operation: 'card',
      name: 'monday.csv',
      completeness: 'quiet',
      bytes: 5,
      mtimeMs: candidate.mtimeMs,
      sinceMs: candidate.sinceMs,
      claimedAt: '2026-06-15T12:00:00.000Z',
    };
    const workDir = join(work, fileId);
    expect(outcome).toEqual({
      is: 'claimed',
      claim: { fileId, workDir, path: join(workDir, 'original'), changed: false, notes },
    });
    expect(await readFile(join(workDir, 'original'), 'utf8')).toBe('rows\n');
    expect(JSON.parse(await readFile(join(workDir, 'claim.json'), 'utf8'))).toEqual(notes);
    expect((await stat(workDir)).mode & 0o777).toBe(0o700);
    expect(await readdir(drop)).toEqual([]);
  });

  it('takes the sidecar along and removes the marker', async () => {
    const { drop, claim } = await claimedDrop(
      { 'a.csv.ctl': 'rows=1', 'a.csv.done': '' },
      { by: 'marker', suffix: '.done' },
    );
    expect(claim.sidecar).toBe(join(claim.workDir, 'original.ctl'));
    expect(await readFile(join(claim.workDir, 'original.ctl'), 'utf8')).toBe('rows=1');
    expect(await readdir(drop)).toEqual([]);
  });

  it('lets the second claimant go empty-handed and leaves nothing behind', async () => {
    const { work, candidate } = await settledDrop();
    const outcomes = await Promise.all(Array.from({ length: 5 }, () => tryClaim(candidate, work)));
    expect(outcomes.map(({ is }) => is).sort()).toEqual(['claimed', 'gone', 'gone', 'gone', 'gone']);
    expect(await readdir(work)).toHaveLength(1);
  });

  it.each<[CrashPointName, string[]]>([
    ['claim.notes-written', ['a.csv']],
    ['claim.renamed', []],
  ])('tells that nobody has the drop when a sweep takes the work folder away at %s', async (point, left) => {
    const { drop, work, candidate } = await settledDrop();
    const fileId = newFileId();
    armCrashPoints((name) => {
      if (name === point) renameSync(join(work, fileId), join(work, `${fileId}.empty`));
    });
    const outcome = await tryClaim(candidate, work, fileId).finally(() => armCrashPoints(undefined));
    expect(outcome).toEqual({ is: 'disturbed' });
    expect(await readdir(drop)).toEqual(left);
  });

  it.each<[string, (path: string) => Promise<unknown>]>([
    ['grew', (path) => writeFile(path, 'rows and rows')],
    ['was written again', (path) => utimes(path, 1_750_000_000, 1_750_000_000)],
  ])('says so when a drop %s after it had settled', async (_what, change) => {
    const { drop, work, candidate } = await settledDrop();
    await change(join(drop, 'a.csv'));
    expect(await tryClaim(candidate, work)).toMatchObject({ is: 'claimed', claim: { changed: true } });
  });

  it.each<[string, string, (path: string) => Promise<unknown>]>([
    ['a link', 'DROP_SYMLINK', (path) => symlink('/etc/hostname', path)],
    ['a folder', 'DROP_DIRECTORY', (path) => mkdir(path)],
  ])('finds out when the drop was exchanged for %s at the last moment', async (_what, code, make) => {
    const { drop, work, candidate } = await settledDrop();
    const path = join(drop, 'a.csv');
    await rm(path);
    await make(path);
    const fileId = newFileId();
    expect(await tryClaim(candidate, work, fileId)).toEqual({
      is: 'odd',
      drop: { name: 'a.csv', path: Buffer.from(join(work, fileId)), code },
    });
    expect(await findClaims(work)).toMatchObject({ claims: [], empty: [], strange: [{ code }] });
  });

  it('does not follow the link it was given', async () => {
    const { drop, work, candidate } = await settledDrop();
    await rm(join(drop, 'a.csv'));
    await symlink('/etc/hostname', join(drop, 'a.csv'));
    const fileId = newFileId();
    await tryClaim(candidate, work, fileId);
    expect(await readlink(join(work, fileId, 'original'))).toBe('/etc/hostname');
  });

  it('claims files whatever bytes their names are made of', async () => {
    const { drop, work } = await freshFolders();
    const names = [Buffer.from('caf\xe9.csv', 'latin1'), 'two\nlines.csv', '💶.csv', '..\\evil.csv'];
    for (const [index, name] of names.entries()) await writeFile(bytePath(drop, name), `rows ${index}`);
    const { settled } = await settleDrops(drop);
    const outcomes = await Promise.all(settled.map((candidate) => tryClaim(candidate, work)));
    const contents = await Promise.all(
      outcomes.map((outcome) => readFile(outcome.is === 'claimed' ? outcome.claim.path : outcome.is, 'utf8')),
    );
    expect(contents.sort()).toEqual(['rows 0', 'rows 1', 'rows 2', 'rows 3']);
    expect(await readdir(drop)).toEqual([]);
  });

  it('leaves a drop on another file system where it is, and does not name it', async () => {
    const { work } = await freshFolders();
    const drop = await freshFolderElsewhere();
    await writeFile(join(drop, '4222222222222220.csv'), 'rows');
    const error: unknown = await tryClaim(await onlyCandidate(drop), work).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: 'FOLDER_OTHER_DISK' });
    expect(String(error)).not.toContain('4222');
    expect(await readdir(drop)).toEqual(['4222222222222220.csv']);
    expect(await readdir(work)).toEqual([]);
  });

  it('refuses a work folder that is not there', async () => {
    const { drop, work, candidate } = await settledDrop();
    await expect(tryClaim(candidate, join(work, 'none'))).rejects.toMatchObject({ code: 'FOLDER_MISSING' });
    expect(await readdir(drop)).toEqual(['a.csv']);
  });

  it('touches neither drop nor claim when the file id was used before', async () => {
    const { drop, work } = await freshFolders();
    await writeFile(join(drop, 'a.csv'), 'first');
    const { fileId, path } = await claimOnly(drop, work);
    await writeFile(join(drop, 'a.csv'), 'second');
    const candidate = await onlyCandidate(drop);
    await expect(tryClaim(candidate, work, fileId)).rejects.toMatchObject({ code: 'INTERNAL' });
    expect(await readFile(path, 'utf8')).toBe('first');
    expect(await readdir(drop)).toEqual(['a.csv']);
  });

  it('gives every file to exactly one of several processes', async () => {
    await claimTogether({ files: 120, processes: 3 });
  });

  it('loses no file and no sidecar when a process is killed while claiming', async () => {
    await killWhileClaiming({ files: 80, claims: 20 });
  });
});

const FILE_ID = '0123456789abcdef';
const CANDIDATE = {
  name: 'monday.csv',
  path: Buffer.from('/drop/monday.csv'),
  bytes: 5,
  mtimeMs: 1_750_000_000_000,
  sinceMs: 1_750_000_001_000,
  inode: 7n,
  completeness: 'sidecar' as const,
  sidecar: { path: Buffer.from('/drop/\xff.ctl', 'latin1'), bytes: 6, mtimeMs: 1 },
};
const CLAIM_NOTES = noteClaim(CANDIDATE, { folder: FOLDER, fileId: FILE_ID }, new Date('2026-06-15T12:00:00Z'));

describe('noteClaim', () => {
  it('notes what a later process must know, the bytes of paths included', () => {
    expect(CLAIM_NOTES).toEqual({
      fileId: FILE_ID,
      folder: 'cards',
      account: 'main',
      operation: 'card',
      name: 'monday.csv',
      completeness: 'sidecar',
      bytes: 5,
      mtimeMs: 1_750_000_000_000,
      sinceMs: 1_750_000_001_000,
      claimedAt: '2026-06-15T12:00:00.000Z',
      sidecar: { path: Buffer.from('/drop/\xff.ctl', 'latin1').toString('base64'), bytes: 6, mtimeMs: 1 },
    });
  });
});

describe('readNotes', () => {
  it('reads what writeNotes wrote for our user only', async () => {
    const workDir = await freshFolder();
    await writeNotes(workDir, CLAIM_NOTES);
    expect(await readNotes(workDir)).toEqual(CLAIM_NOTES);
    expect((await stat(join(workDir, NOTES))).mode & 0o777).toBe(0o600);
  });

  it.each<[string, string]>([
    ['no JSON', '{"fileId":'],
    ['no object', '"notes"'],
    ['nothing', 'null'],
    ['no name', JSON.stringify({ ...CLAIM_NOTES, name: undefined })],
    ['no size', JSON.stringify({ ...CLAIM_NOTES, bytes: '5' })],
    ['no time of its first sighting', JSON.stringify({ ...CLAIM_NOTES, sinceMs: undefined })],
    ['an unknown completeness', JSON.stringify({ ...CLAIM_NOTES, completeness: 'hope' })],
    ['a sidecar without a path', JSON.stringify({ ...CLAIM_NOTES, sidecar: { bytes: 1, mtimeMs: 1 } })],
    ['too much', JSON.stringify({ ...CLAIM_NOTES, more: 'x'.repeat(70_000) })],
  ])('does not take for notes what holds %s', async (_what, text) => {
    const workDir = await freshFolder();
    await writeFile(join(workDir, NOTES), text);
    expect(await readNotes(workDir)).toBeUndefined();
  });

  it('finds none in an empty folder, and does not wait at a pipe', async () => {
    const workDir = await freshFolder();
    expect(await readNotes(workDir)).toBeUndefined();
    execFileSync('mkfifo', [join(workDir, NOTES)]);
    expect(await readNotes(workDir)).toBeUndefined();
  });
});

describe('explainRefusal', () => {
  const refused = (code: string) => Object.assign(new Error('rename'), { code });
  it.each([
    ['EACCES', true, 'DROP_LOCKED'],
    ['EACCES', false, 'FOLDER_NOT_WRITABLE'],
    ['EPERM', true, 'FOLDER_NOT_WRITABLE'],
    ['EBUSY', false, 'DROP_LOCKED'],
  ])('makes of %s in folders that are writable (%s): %s', (code, isWritable, error) => {
    expect(explainRefusal(refused(code), 'claim a drop', isWritable)).toMatchObject({ code: error });
  });
});
