import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { rename, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { folders, ownFolders } from '../../../src/cli/doctor/folders.ts';
import { openPatientWorld, type PatientWorld, WELL } from './support/patient-world.ts';

let world: PatientWorld;
beforeAll(async () => {
  world = await openPatientWorld();
});
afterAll(() => world.close());

describe('folders', () => {
  it('finds all there', async () => {
    expect(await world.look(folders)).toEqual(WELL);
  });

  it('names a drop folder that is missing, and the command that makes it', async () => {
    const { path } = world.settings.folders[0]!;
    await rename(path, `${path}.away`);
    expect(await world.look(folders)).toEqual([
      { level: 'bad', found: `the drop folder "${path}" is missing`, mend: `mkdir -p ${path}` },
    ]);
    await rename(`${path}.away`, path);
  });

  it('expects the next start to make our own', async () => {
    const settings = { ...world.settings, paths: { ...world.settings.paths, out: join(world.root, 'new') } };
    expect(await world.look(folders, { settings })).toMatchObject([{ level: 'warn' }]);
  });

  it('names a file that stands in the place of a folder', async () => {
    const out = join(world.root, 'a-file');
    await writeFile(out, '');
    const settings = { ...world.settings, paths: { ...world.settings.paths, out } };
    expect(await world.look(folders, { settings })).toMatchObject([{ level: 'bad', found: `"${out}" is no folder` }]);
  });
});

describe('folders that no right would open', () => {
  it.each([
    ['a link to itself', 'loop', 'the links in its path lead in a circle'],
    ['a path that is too long', 'a'.repeat(300), 'its path is longer than the system takes'],
  ])('says of %s what it is', async (_what, name, reason) => {
    const out = join(world.root, name);
    if (name === 'loop') await symlink(name, out);
    const settings = { ...world.settings, paths: { ...world.settings.paths, out } };
    expect(await world.look(folders, { settings })).toMatchObject([
      { level: 'bad', found: `"${out}" cannot be used: ${reason}` },
    ]);
  });
});

describe('ownFolders', () => {
  it('names each once', () => {
    const own = ownFolders(world.settings);
    expect(new Set(own).size).toBe(own.length);
    expect(own).toContain(world.settings.paths.archive);
  });
});
