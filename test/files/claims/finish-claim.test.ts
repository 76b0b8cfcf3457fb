import {
  appendFile,
  link,
  lstat,
  mkdir,
  readdir,
  readFile,
  rename,
  rm,
  symlink,
  utimes,
  writeFile,
} from 'node:fs/promises';
import { join } from 'node:path';
import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { finishClaim } from '../../../src/files/claims/finish-claim.ts';
import { readSidecar } from '../../../src/files/sidecar.ts';
import { bytePath, freshFolder, freshFolderElsewhere, freshFolders } from '../support/fresh-folder.ts';
import { claimedDrop, claimOnly, COMPANIONS, settledDrop, settleDrops, tryClaim } from '../support/claims.ts';
import { findClaims } from '../../../src/files/claims/find-claims.ts';
import { emptyRetired, listRetired, RETIRED, retiredPath } from '../../../src/files/claims/retire-claim.ts';
import { releaseClaim, removeEmptyClaim } from '../../../src/files/claims/release-claim.ts';
import { handClock } from '../../../src/kernel/clock.ts';
import { newFileId } from '../../../src/kernel/ids.ts';
import type { OddDrop } from '../../../src/files/claims/odd-drop.ts';
import { type Quarantined, quarantineDrop } from '../../../src/files/claims/quarantine-drop.ts';

const MARKER = { by: 'marker', suffix: '.done' } as const;

describe('finishClaim', () => {
  it('says the same again when nothing is left to do', async () => {
    const { claim } = await claimedDrop(COMPANIONS, MARKER);
    expect(await finishClaim(claim.workDir, claim.notes)).toEqual({ is: 'claimed', claim });
  });

  it('fetches the sidecar and removes the marker that a killed process left', async () => {
    const { drop, claim } = await claimedDrop(COMPANIONS, MARKER);
    await rename(join(claim.workDir, 'original.ctl'), join(drop, 'a.csv.ctl'));
    await writeFile(join(drop, 'a.csv.done'), '');
    await utimes(join(drop, 'a.csv.done'), 1_750_000_000, 1_750_000_000);
    expect(await finishClaim(claim.workDir, claim.notes)).toEqual({ is: 'claimed', claim });
    expect(await readFile(join(claim.workDir, 'original.ctl'), 'utf8')).toBe('rows=1');
    expect(await readdir(drop)).toEqual([]);
  });

  it('fetches the sidecar later when a sweep holds the work folder aside, instead of going on without it', async () => {
    const { drop, claim } = await claimedDrop(COMPANIONS, MARKER);
    await rename(join(claim.workDir, 'original.ctl'), join(drop, 'a.csv.ctl'));
    await rename(claim.workDir, `${claim.workDir}.aside`);
    await expect(finishClaim(claim.workDir, claim.notes)).rejects.toMatchObject({ code: 'ENOENT' });
    expect(await readdir(drop)).toEqual(['a.csv.ctl']);
    await rename(`${claim.workDir}.aside`, claim.workDir);
    expect(await finishClaim(claim.workDir, claim.notes)).toEqual({ is: 'claimed', claim });
    expect(await readFile(join(claim.workDir, 'original.ctl'), 'utf8')).toBe('rows=1');
  });

  it("leaves the next file's sidecar and marker alone, and reports its own as missing", async () => {
    const { drop, claim } = await claimedDrop(COMPANIONS, MARKER);
    await rm(join(claim.workDir, 'original.ctl'));
    await writeFile(join(drop, 'a.csv.ctl'), 'rows=7');
    await writeFile(join(drop, 'a.csv.done'), '');
    expect(await finishClaim(claim.workDir, claim.notes)).toMatchObject({ is: 'claimed' });
    expect((await readdir(drop)).sort()).toEqual(['a.csv.ctl', 'a.csv.done']);
    expect(await readSidecar(claim.sidecar ?? '')).toMatchObject({ fault: 'CONTROL_FILE' });
  });

  it('holds a file whose sidecar vanished between scan and claim', async () => {
    const { drop, work, candidate } = await settledDrop({ 'a.csv.ctl': 'rows=1' });
    await rm(join(drop, 'a.csv.ctl'));
    const outcome = await tryClaim(candidate, work);
    const sidecar = outcome.is === 'claimed' ? outcome.claim.sidecar : undefined;
    expect(await readSidecar(sidecar ?? 'none')).toMatchObject({ fault: 'CONTROL_FILE' });
    expect(sidecar).toBeDefined();
  });

  it('finds the claim gone once another process has released it', async () => {
    const {
      claim: { workDir, path, notes },
    } = await claimedDrop();
    await rm(path);
    expect(await finishClaim(workDir, notes)).toEqual({ is: 'gone' });
  });
});

describe('releaseClaim', () => {
  it('removes the sidecar and the notes, keeps the file where a late write is seen, and may be repeated', async () => {
    const {
      work,
      claim: { workDir, fileId },
    } = await claimedDrop({ 'a.csv.ctl': 'rows=1' });
    await releaseClaim(workDir);
    expect(await readdir(work)).toEqual([RETIRED]);
    await releaseClaim(workDir);
    expect(await listRetired(work)).toMatchObject([{ fileId, path: retiredPath(workDir), stats: { size: 4n } }]);
    expect(await findClaims(work)).toEqual({ claims: [], empty: [], strange: [] });
  });

  it('goes on where a killed release stopped', async () => {
    const {
      work,
      claim: { workDir, path },
    } = await claimedDrop();
    await rm(path);
    expect((await findClaims(work)).empty).toEqual([workDir]);
    await releaseClaim(workDir);
    expect(await listRetired(work)).toEqual([]);
    expect(await readdir(work)).toEqual([RETIRED]);
  });

  it('leaves what is not its own, for findClaims to report', async () => {
    const { drop, work } = await freshFolders();
    await writeFile(join(drop, 'a.csv'), 'rows');
    await mkdir(join(drop, 'a.csv.ctl'));
    await writeFile(join(drop, 'a.csv.ctl', 'kept.txt'), 'kept');
    const { workDir } = await claimOnly(drop, work);
    await releaseClaim(workDir);
    expect(await readFile(join(workDir, 'original.ctl', 'kept.txt'), 'utf8')).toBe('kept');
    expect(await findClaims(work)).toMatchObject({ claims: [], empty: [], strange: [{ code: 'DROP_DIRECTORY' }] });
  });
});

describe('emptyRetired', () => {
  async function retired() {
    const { claim } = await claimedDrop();
    await releaseClaim(claim.workDir);
    return { path: retiredPath(claim.workDir), sealed: claim.notes };
  }

  it('removes the content, and the file stays', async () => {
    const { path, sealed } = await retired();
    expect(emptyRetired(path, sealed)).toBe('empty');
    expect(await readFile(path, 'utf8')).toBe('');
  });

  it.each<[string, (path: string) => Promise<unknown>]>([
    ['was written on', (path) => appendFile(path, 'more')],
    ['was written again', (path) => writeFile(path, 'sowr')],
  ])('leaves a file that %s', async (_what, change) => {
    const { path, sealed } = await retired();
    await change(path);
    const text = await readFile(path, 'utf8');
    expect(emptyRetired(path, sealed)).toBe('changed');
    expect(await readFile(path, 'utf8')).toBe(text);
  });

  it('follows no link, and is content when the file is gone', async () => {
    const { path, sealed } = await retired();
    await rename(path, `${path}-aside`);
    expect(emptyRetired(path, sealed)).toBe('gone');
    await symlink(`${path}-aside`, path);
    expect(() => emptyRetired(path, sealed)).toThrow('ELOOP');
    expect(await readFile(`${path}-aside`, 'utf8')).toBe('rows');
  });
});

describe('removeEmptyClaim', () => {
  it.each([[[]], [['claim.json.tmp']], [['claim.json']]])('removes a folder that holds %j', async (names) => {
    const workDir = join(await freshFolder(), '0123456789abcdef');
    await mkdir(workDir);
    for (const name of names) await writeFile(join(workDir, name), '');
    expect(await removeEmptyClaim(workDir)).toBe(true);
    expect(await readdir(join(workDir, '..'))).toEqual([]);
  });

  it('is content when the folder is gone', async () => {
    expect(await removeEmptyClaim(join(await freshFolder(), '0123456789abcdef'))).toBe(true);
  });

  it('gives the folder back when a drop was moved in meanwhile', async () => {
    const { work, claim } = await claimedDrop();
    expect(await removeEmptyClaim(claim.workDir)).toBe(false);
    expect(await findClaims(work)).toEqual({ claims: [claim], empty: [], strange: [] });
  });

  it.each([true, false])('finishes a removal that was cut short (with a drop moved in: %s)', async (moved) => {
    const { drop, work, claim } = await claimedDrop();
    if (!moved) await rename(claim.path, join(drop, 'a.csv'));
    await rename(claim.workDir, `${claim.workDir}.empty`);
    const { claims, empty, strange } = await findClaims(work);
    expect({ claims, strange }).toEqual({ claims: moved ? [claim] : [], strange: [] });
    for (const workDir of empty) expect(await removeEmptyClaim(workDir)).toBe(true);
    expect(await readdir(work)).toEqual(moved ? [claim.fileId] : []);
    expect(await readdir(drop)).toEqual(moved ? [] : ['a.csv']);
  });
});

const FILE_ID = '0123456789abcdef';

async function moveAside(drop: OddDrop, quarantineRoot: string, fileId = FILE_ID): Promise<Quarantined> {
  return await quarantineDrop(drop, {
    quarantineRoot,
    fileId,
    from: 'cards',
    clock: handClock('2026-06-15T12:00:00Z'),
  });
}

describe('quarantineDrop', () => {
  it.each<[string, (path: string) => unknown]>([
    ['DROP_SYMLINK', (path) => symlink('/etc/hostname', path)],
    ['DROP_DIRECTORY', (path) => mkdir(path).then(() => writeFile(join(path, 'inside.csv'), 'rows'))],
    ['DROP_SPECIAL', (path) => execFileSync('mkfifo', [path])],
    ['DROP_HARD_LINK', (path) => writeFile(`${path}.tmp`, 'rows').then(() => link(`${path}.tmp`, path))],
  ])('moves a %s as it is and says why', async (code, make) => {
    const { drop, quarantine } = await freshFolders();
    await make(join(drop, 'odd.csv'));
    const before = await lstat(join(drop, 'odd.csv'));
    const [odd] = (await settleDrops(drop)).odd;
    expect(odd).toMatchObject({ name: 'odd.csv', code });
    const result = odd && (await moveAside(odd, quarantine));
    const reason = {
      code,
      reason: expect.any(String),
      remedy: expect.any(String),
      name: 'odd.csv',
      from: 'cards',
      at: '2026-06-15T12:00:00.000Z',
    };
    expect(result).toEqual({ is: 'quarantined', dir: join(quarantine, FILE_ID), reason });
    expect(JSON.parse(await readFile(join(quarantine, FILE_ID, 'reason.json'), 'utf8'))).toEqual(reason);
    const after = await lstat(join(quarantine, FILE_ID, 'drop'));
    expect([after.ino, after.mode, after.size]).toEqual([before.ino, before.mode, before.size]);
    expect((await readdir(drop)).filter((name) => !name.endsWith('.tmp'))).toEqual([]);
  });

  it('moves a strange work folder with what it holds, for the reason given', async () => {
    const { work, quarantine } = await freshFolders();
    await mkdir(join(work, 'lost'));
    await writeFile(join(work, 'lost', 'found.csv'), 'rows');
    const [strange] = (await findClaims(work)).strange;
    const result = strange && (await moveAside(strange, quarantine));
    expect(result).toMatchObject({ reason: { reason: 'the entry in the work folder is not a claim', name: 'lost' } });
    expect(await readFile(join(quarantine, FILE_ID, 'drop', 'found.csv'), 'utf8')).toBe('rows');
    expect(await readdir(work)).toEqual([]);
  });

  it('moves a drop whatever bytes its name is made of, to a name of our own', async () => {
    const { drop, quarantine } = await freshFolders();
    await mkdir(bytePath(drop, Buffer.from('\xff\n.csv', 'latin1')));
    const [odd] = (await settleDrops(drop)).odd;
    expect(odd && (await moveAside(odd, quarantine))).toMatchObject({ reason: { name: '\ufffd_.csv' } });
    expect((await readdir(join(quarantine, FILE_ID))).sort()).toEqual(['drop', 'reason.json']);
  });

  it('lets the second process go empty-handed and leaves nothing behind', async () => {
    const { drop, quarantine } = await freshFolders();
    await mkdir(join(drop, 'odd.csv'));
    const odd: OddDrop = { name: 'odd.csv', path: Buffer.from(join(drop, 'odd.csv')), code: 'DROP_DIRECTORY' };
    const results = await Promise.all([1, 2, 3].map(() => moveAside(odd, quarantine, newFileId())));
    expect(results.map(({ is }) => is).sort()).toEqual(['gone', 'gone', 'quarantined']);
    expect(await readdir(quarantine)).toHaveLength(1);
  });

  it('never replaces what lies in quarantine already', async () => {
    const { drop, quarantine } = await freshFolders();
    for (const name of ['one.csv', 'two.csv']) await symlink(`/target/${name}`, join(drop, name));
    const { odd } = await settleDrops(drop);
    const [one, two] = odd;
    if (!one || !two) throw new Error('two odd drops expected');
    await moveAside(one, quarantine);
    await expect(moveAside(two, quarantine)).rejects.toMatchObject({ code: 'INTERNAL' });
    expect(JSON.parse(await readFile(join(quarantine, FILE_ID, 'reason.json'), 'utf8'))).toMatchObject({
      name: one.name,
    });
    expect(await readdir(drop)).toEqual([two.name]);
  });

  it.each([
    ['on another file system', 'FOLDER_OTHER_DISK', () => freshFolderElsewhere()],
    ['that is not there', 'FOLDER_MISSING', () => freshFolder().then((folder) => join(folder, 'none'))],
  ])('leaves the drop where it is for a quarantine %s', async (_where, code, quarantine) => {
    const { drop } = await freshFolders();
    await symlink('/etc/hostname', join(drop, 'odd.csv'));
    const [odd] = (await settleDrops(drop)).odd;
    const root = await quarantine();
    await expect(odd && moveAside(odd, root)).rejects.toMatchObject({ code });
    expect(await readdir(drop)).toEqual(['odd.csv']);
    expect(await readdir(root).catch(() => [])).toEqual([]);
  });
});
