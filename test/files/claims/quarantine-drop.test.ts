import { execFileSync } from 'node:child_process';
import { link, lstat, mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { handClock } from '../../../src/kernel/clock.ts';
import { newFileId } from '../../../src/kernel/ids.ts';
import { findClaims } from '../../../src/files/claims/find-claims.ts';
import type { OddDrop } from '../../../src/files/claims/odd-drop.ts';
import { type Quarantined, quarantineDrop } from '../../../src/files/claims/quarantine-drop.ts';
import { bytePath, freshFolder, freshFolderElsewhere, freshFolders } from '../support/fresh-folder.ts';
import { settleDrops } from '../support/settle-drops.ts';

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
      mend: expect.any(String),
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
    expect(result).toMatchObject({ reason: { reason: 'the folder in the work folder is not a claim', name: 'lost' } });
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
