import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ClusterPlace } from '../../../src/ledger/postgres/cluster.ts';
import { findBinaries, prepareBinaries } from '../../../src/ledger/postgres/prepare-binaries.ts';
import { runProgram } from '../../../src/ledger/postgres/run-program.ts';
import { copyBrokenBinaries } from './support/broken-binaries.ts';
import { isRoot, openWorld, sayWhatNeedsRoot, type World } from './support/world.ts';

let world: World;
let place: ClusterPlace;
beforeEach(async () => {
  world = await openWorld();
  place = { dataDir: world.dataDir, home: join(world.dataDir, 'postgres'), user: undefined };
  await mkdir(world.dataDir);
});
afterEach(() => world.close());

async function versionOf(programs: string, user: ClusterPlace['user']): Promise<string> {
  return (await runProgram(join(programs, 'pg_ctl'), ['--version'], { user, folder: '/' })).output;
}

describe('prepareBinaries', () => {
  it('restores links and execute bits in place', async () => {
    const binaries = await copyBrokenBinaries(join(world.root, 'native'));
    const programs = await prepareBinaries(binaries, place, world.sharedFolder);
    expect(programs).toBe(join(binaries.folder, 'bin'));
    expect(await versionOf(programs, undefined)).toContain('pg_ctl (PostgreSQL) 18');
  });

  it('copies them beside the data for an ordinary user who cannot run them where they are, once', async () => {
    const binaries = await copyBrokenBinaries(join(world.root, 'a $HOME of its own', 'native'));
    const programs = await prepareBinaries(binaries, place, world.sharedFolder);
    expect(programs).toBe(join(world.dataDir, `postgres-${binaries.version}`, 'bin'));
    await writeFile(join(programs, 'mark'), '');
    expect(await prepareBinaries(binaries, place, world.sharedFolder)).toBe(programs);
    expect(await versionOf(programs, undefined)).toContain('pg_ctl (PostgreSQL) 18');
  });

  it('says what is wrong with programs that do not run anywhere', async () => {
    const folder = join(world.root, 'native');
    await mkdir(join(folder, 'bin'), { recursive: true });
    await writeFile(join(folder, 'bin', 'initdb'), '#!/bin/sh\necho wrong kind of machine\nexit 1\n');
    await expect(prepareBinaries({ folder, version: '1' }, place, world.sharedFolder)).rejects.toMatchObject({
      code: 'LEDGER_START_FAILED',
      message: expect.stringMatching(/do not run here: wrong kind of machine\. Set DATABASE_URL/),
    });
  });
});

describe.runIf(isRoot)(sayWhatNeedsRoot('prepareBinaries for another user'), () => {
  it('takes the installed programs as they are, or copies those of a closed folder to the shared one', async () => {
    const other = { ...place, user: { name: 'nobody', uid: 65534, gid: 65534 } };
    const closed = join(world.root, 'closed');
    await mkdir(closed, { mode: 0o700 });
    const binaries = await copyBrokenBinaries(join(closed, 'native'));
    const both = [
      prepareBinaries(binaries, other, world.sharedFolder),
      prepareBinaries(binaries, other, world.sharedFolder),
    ];
    const programs = join(world.sharedFolder, `postgres-${binaries.version}`, 'bin');
    expect(await Promise.all(both)).toEqual([programs, programs]);
    expect(await versionOf(programs, other.user)).toContain('pg_ctl (PostgreSQL) 18');
  });

  it('leaves programs alone that the user can run', async () => {
    const binaries = await findBinaries();
    const programs = await prepareBinaries(binaries, place, world.sharedFolder);
    expect(programs).toBe(join(binaries.folder, 'bin'));
  });
});
