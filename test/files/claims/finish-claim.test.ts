import { readdir, readFile, rename, rm, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { finishClaim } from '../../../src/files/claims/finish-claim.ts';
import { readSidecar } from '../../../src/files/sidecar.ts';
import { freshFolders } from '../support/fresh-folder.ts';
import { claimOnly, onlyCandidate, tryClaim } from '../support/make-claim.ts';

const MARKER = { by: 'marker', suffix: '.done' } as const;

async function dropWithCompanions(drop: string): Promise<void> {
  for (const [name, text] of [
    ['a.csv', 'rows'],
    ['a.csv.ctl', 'rows=1'],
    ['a.csv.done', ''],
  ] as const) {
    await writeFile(join(drop, name), text);
    await utimes(join(drop, name), 1_750_000_000, 1_750_000_000);
  }
}

describe('finishClaim', () => {
  it('says the same again when nothing is left to do', async () => {
    const { drop, work } = await freshFolders();
    await dropWithCompanions(drop);
    const claim = await claimOnly(drop, work, MARKER);
    expect(await finishClaim(claim.workDir, claim.notes)).toEqual({ is: 'claimed', claim });
  });

  it('fetches the sidecar and removes the marker that a killed process left', async () => {
    const { drop, work } = await freshFolders();
    await dropWithCompanions(drop);
    const claim = await claimOnly(drop, work, MARKER);
    await rename(join(claim.workDir, 'original.ctl'), join(drop, 'a.csv.ctl'));
    await writeFile(join(drop, 'a.csv.done'), '');
    await utimes(join(drop, 'a.csv.done'), 1_750_000_000, 1_750_000_000);
    expect(await finishClaim(claim.workDir, claim.notes)).toEqual({ is: 'claimed', claim });
    expect(await readFile(join(claim.workDir, 'original.ctl'), 'utf8')).toBe('rows=1');
    expect(await readdir(drop)).toEqual([]);
  });

  it('fetches the sidecar later when a sweep holds the work folder aside, instead of going on without it', async () => {
    const { drop, work } = await freshFolders();
    await dropWithCompanions(drop);
    const claim = await claimOnly(drop, work, MARKER);
    await rename(join(claim.workDir, 'original.ctl'), join(drop, 'a.csv.ctl'));
    await rename(claim.workDir, `${claim.workDir}.aside`);
    await expect(finishClaim(claim.workDir, claim.notes)).rejects.toMatchObject({ code: 'ENOENT' });
    expect(await readdir(drop)).toEqual(['a.csv.ctl']);
    await rename(`${claim.workDir}.aside`, claim.workDir);
    expect(await finishClaim(claim.workDir, claim.notes)).toEqual({ is: 'claimed', claim });
    expect(await readFile(join(claim.workDir, 'original.ctl'), 'utf8')).toBe('rows=1');
  });

  it("leaves the next file's sidecar and marker alone, and reports its own as missing", async () => {
    const { drop, work } = await freshFolders();
    await dropWithCompanions(drop);
    const claim = await claimOnly(drop, work, MARKER);
    await rm(join(claim.workDir, 'original.ctl'));
    await writeFile(join(drop, 'a.csv.ctl'), 'rows=7');
    await writeFile(join(drop, 'a.csv.done'), '');
    expect(await finishClaim(claim.workDir, claim.notes)).toMatchObject({ is: 'claimed' });
    expect((await readdir(drop)).sort()).toEqual(['a.csv.ctl', 'a.csv.done']);
    expect(await readSidecar(claim.sidecar ?? '')).toMatchObject({ fault: 'CONTROL_FILE' });
  });

  it('holds a file whose sidecar vanished between scan and claim', async () => {
    const { drop, work } = await freshFolders();
    await writeFile(join(drop, 'a.csv'), 'rows');
    await writeFile(join(drop, 'a.csv.ctl'), 'rows=1');
    const candidate = await onlyCandidate(drop);
    await rm(join(drop, 'a.csv.ctl'));
    const outcome = await tryClaim(candidate, work);
    const sidecar = outcome.is === 'claimed' ? outcome.claim.sidecar : undefined;
    expect(await readSidecar(sidecar ?? 'none')).toMatchObject({ fault: 'CONTROL_FILE' });
    expect(sidecar).toBeDefined();
  });

  it('finds the claim gone once another process has released it', async () => {
    const { drop, work } = await freshFolders();
    await writeFile(join(drop, 'a.csv'), 'rows');
    const { workDir, path, notes } = await claimOnly(drop, work);
    await rm(path);
    expect(await finishClaim(workDir, notes)).toEqual({ is: 'gone' });
  });
});
