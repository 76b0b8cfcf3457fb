import { chmod, chown, cp, mkdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { isRoot, openWorld, sayWhatNeedsRoot, type World } from './support/world.ts';

let world: World;
beforeEach(async () => {
  world = await openWorld();
});
afterEach(() => world.close());

/** Makes a home look like that of an initialized cluster. */
async function fakeData(home: string): Promise<void> {
  await mkdir(join(home, 'data'), { recursive: true });
  await writeFile(join(home, 'data', 'PG_VERSION'), '18\n');
}

describe('findCluster', () => {
  it('puts the cluster into the data folder, which it makes, and finds it again', async () => {
    const place = await world.place();
    expect(place).toMatchObject({ dataDir: world.dataDir, home: join(world.dataDir, 'postgres') });
    expect((await stat(place.home)).mode & 0o777).toBe(0o700);
    expect(await world.place()).toEqual(place);
  });
});

describe.runIf(isRoot)(sayWhatNeedsRoot('findCluster as root'), () => {
  const closedParent = () => join(world.root, 'closed');
  const dataDir = () => join(closedParent(), 'data');

  beforeEach(() => mkdir(closedParent(), { mode: 0o700 }));

  it('runs the server as another user, who owns the home folder', async () => {
    const { home, user } = await world.place();
    expect(user?.uid).toBeGreaterThan(0);
    expect(await stat(home)).toMatchObject({ uid: user?.uid, gid: user?.gid });
  });

  it('runs an existing cluster as its owner', async () => {
    await fakeData(join(world.dataDir, 'postgres'));
    await chown(join(world.dataDir, 'postgres'), 4711, 4712);
    expect(await world.place()).toMatchObject({ user: { uid: 4711, gid: 4712 } });
  });

  it('lets the user pass through a data folder that is closed itself, and no further', async () => {
    await mkdir(world.dataDir, { mode: 0o700 });
    const { home, user } = await world.place();
    expect(home).toBe(join(world.dataDir, 'postgres'));
    const { mode, uid, gid } = await stat(world.dataDir);
    expect([mode & 0o777, uid, gid]).toEqual([0o710, 0, user?.gid]);
  });

  it('goes elsewhere below a closed folder, says so, and stays there when the folder is opened', async () => {
    const place = await world.place(dataDir());
    expect(dirname(place.home)).toBe(join(world.sharedFolder, 'clusters'));
    expect(await stat(place.home)).toMatchObject({ uid: place.user?.uid });
    const note = await readFile(join(dataDir(), 'WHERE.txt'), 'utf8');
    expect(note.split('\n')).toContain(place.home);
    expect(note).toContain(`runs as user "${place.user?.name}"`);
    expect((await stat(closedParent())).mode & 0o777).toBe(0o700);

    await chmod(closedParent(), 0o755);
    expect(await world.place(dataDir())).toEqual(place);
  });

  it('does not open a data folder whose group has rights', async () => {
    await mkdir(world.dataDir);
    await chmod(world.dataDir, 0o750);
    expect((await world.place()).home).toContain(world.sharedFolder);
    expect((await stat(world.dataDir)).mode & 0o777).toBe(0o750);
  });

  it('stays in the data folder when a folder above is closed later', async () => {
    const place = await world.place();
    await fakeData(place.home);
    await chmod(world.root, 0o700);
    expect(await world.place()).toEqual(place);
  });

  it.each([
    ['the data elsewhere are gone', (home: string) => rm(home, { recursive: true }), /data are missing from/],
    ['the note is gone', () => rm(join(dataDir(), 'WHERE.txt')), /data of an earlier folder of this name/],
    ['the note was emptied', () => writeFile(join(dataDir(), 'WHERE.txt'), ''), /names the PostgreSQL data of another/],
  ])('stops instead of beginning with an empty ledger when %s', async (_case, lose, reason) => {
    const { home } = await world.place(dataDir());
    await fakeData(home);
    await lose(home);
    await expect(world.place(dataDir())).rejects.toMatchObject({
      code: 'LEDGER_START_FAILED',
      message: expect.stringMatching(reason),
    });
  });

  it('stops in a moved folder and in a copy, which would share the ledger of the first', async () => {
    await world.place(dataDir());
    await cp(dataDir(), `${dataDir()}-copy`, { recursive: true });
    await expect(world.place(`${dataDir()}-copy`)).rejects.toThrow(/If the folder was moved, rename those data/);
    await rename(dataDir(), `${dataDir()}-moved`);
    await expect(world.place(`${dataDir()}-moved`)).rejects.toThrow(/if it is a copy, remove WHERE\.txt/);
  });
});
