import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { findClaims } from '../../../src/files/claims/find-claims.ts';
import { releaseClaim, removeEmptyClaim } from '../../../src/files/claims/release-claim.ts';
import { freshFolder, freshFolders } from '../support/fresh-folder.ts';
import { claimOnly } from '../support/make-claim.ts';

describe('releaseClaim', () => {
  it('removes the bytes, the sidecar and the notes, and may be repeated', async () => {
    const { drop, work } = await freshFolders();
    await writeFile(join(drop, 'a.csv'), 'rows');
    await writeFile(join(drop, 'a.csv.ctl'), 'rows=1');
    const { workDir } = await claimOnly(drop, work);
    await releaseClaim(workDir);
    expect(await readdir(work)).toEqual([]);
    await releaseClaim(workDir);
  });

  it('goes on where a killed release stopped', async () => {
    const { drop, work } = await freshFolders();
    await writeFile(join(drop, 'a.csv'), 'rows');
    const { workDir, path } = await claimOnly(drop, work);
    await rm(path);
    expect((await findClaims(work)).empty).toEqual([workDir]);
    await releaseClaim(workDir);
    expect(await readdir(work)).toEqual([]);
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
    const { drop, work } = await freshFolders();
    await writeFile(join(drop, 'a.csv'), 'rows');
    const claim = await claimOnly(drop, work);
    expect(await removeEmptyClaim(claim.workDir)).toBe(false);
    expect(await findClaims(work)).toEqual({ claims: [claim], empty: [], strange: [] });
  });

  it.each([true, false])('finishes a removal that was cut short (with a drop moved in: %s)', async (moved) => {
    const { drop, work } = await freshFolders();
    await writeFile(join(drop, 'a.csv'), 'rows');
    const claim = await claimOnly(drop, work);
    if (!moved) await rename(claim.path, join(drop, 'a.csv'));
    await rename(claim.workDir, `${claim.workDir}.empty`);
    const { claims, empty, strange } = await findClaims(work);
    expect({ claims, strange }).toEqual({ claims: moved ? [claim] : [], strange: [] });
    for (const workDir of empty) expect(await removeEmptyClaim(workDir)).toBe(true);
    expect(await readdir(work)).toEqual(moved ? [claim.fileId] : []);
    expect(await readdir(drop)).toEqual(moved ? [] : ['a.csv']);
  });
});
