import { execFileSync } from 'node:child_process';
import { stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { noteClaim, NOTES, readNotes, writeNotes } from '../../../src/files/claims/finish-claim.ts';
import { FOLDER } from '../support/make-claim.ts';
import { freshFolder } from '../support/fresh-folder.ts';

const FILE_ID = '0123456789abcdef';
const CANDIDATE = {
  name: 'monday.csv',
  path: Buffer.from('/drop/monday.csv'),
  bytes: 5,
  mtimeMs: 1_750_000_000_000,
  inode: 7n,
  completeness: 'sidecar' as const,
  sidecar: { path: Buffer.from('/drop/\xff.ctl', 'latin1'), bytes: 6, mtimeMs: 1 },
};
const CLAIM_NOTES = noteClaim(CANDIDATE, FOLDER, FILE_ID, new Date('2026-06-15T12:00:00Z'));

describe('noteClaim', () => {
  it('notes what a later process must know, the bytes of paths included', () => {
    expect(CLAIM_NOTES).toEqual({
      fileId: FILE_ID,
      folder: 'cards',
      account: 'main',
      operation: 'card-charge',
      name: 'monday.csv',
      completeness: 'sidecar',
      bytes: 5,
      mtimeMs: 1_750_000_000_000,
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
