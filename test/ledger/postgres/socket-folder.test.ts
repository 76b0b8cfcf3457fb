import { lstat, mkdir, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ClusterPlace } from '../../../src/ledger/postgres/cluster.ts';
import { openWorld, type World } from './support/world.ts';
import { chooseSocketFolder } from '../../../src/ledger/postgres/start-server.ts';

let world: World;
beforeEach(async () => {
  world = await openWorld();
});
afterEach(() => world.close());

async function placeOfLength(length: number): Promise<ClusterPlace> {
  const home = join(world.root, 'h'.repeat(length - world.root.length - 1));
  await mkdir(home);
  return { dataDir: world.root, home, user: undefined };
}

// The socket is `<home>/run/.s.PGSQL.5432`. A path may have 107 bytes on Linux and 103 on other systems.
const LONGEST_HOME = (process.platform === 'linux' ? 107 : 103) - '/run/.s.PGSQL.5432'.length;

describe('chooseSocketFolder', () => {
  it('uses the home folder up to the last byte that fits', async () => {
    const place = await placeOfLength(LONGEST_HOME);
    expect(await chooseSocketFolder(place)).toBe(join(place.home, 'run'));
  });

  it('uses the same private temporary folder each time for a path one byte longer', async () => {
    const place = await placeOfLength(LONGEST_HOME + 1);
    const folder = await chooseSocketFolder(place);
    try {
      expect(dirname(folder)).toBe(tmpdir());
      expect(await chooseSocketFolder(place)).toBe(folder);
      const { mode, uid } = await lstat(folder);
      expect([mode & 0o777, uid]).toEqual([0o700, process.getuid?.()]);
      expect(await chooseSocketFolder({ ...place, home: `${place.home}-2` })).not.toBe(folder);
    } finally {
      await rm(folder, { recursive: true });
      await rm(await chooseSocketFolder({ ...place, home: `${place.home}-2` }), { recursive: true });
    }
  });

  it('refuses a link that somebody laid in the place of the temporary folder', async () => {
    const place = await placeOfLength(LONGEST_HOME + 1);
    const folder = await chooseSocketFolder(place);
    await rm(folder, { recursive: true });
    await symlink(world.root, folder);
    try {
      await expect(chooseSocketFolder(place)).rejects.toMatchObject({ code: 'LEDGER_START_FAILED' });
    } finally {
      await rm(folder);
    }
  });
});
