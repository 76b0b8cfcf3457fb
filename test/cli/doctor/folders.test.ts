import { chmod, rename, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  diskSpace,
  fileSystems,
  folders,
  judgeRoom,
  ownFolders,
  permissions,
} from '../../../src/cli/doctor/folders.ts';
import { openPatientWorld, WELL } from './support/patient-world.ts';
import { openedForTests } from '../../support/opened-for-tests.ts';

const world = openedForTests(openPatientWorld);

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
    expect(await world.look(folders, { settings })).toMatchObject([
      { level: 'bad', found: `"${out}" is not a folder` },
    ]);
  });
});

it.each([
  ['a link to itself', 'loop', 'the links in its path form a circle'],
  ['a path that is too long', 'a'.repeat(300), 'its path is longer than the system allows'],
])('folders says what it is that no right would open: %s', async (_what, name, reason) => {
  const out = join(world.root, name);
  if (name === 'loop') await symlink(name, out);
  const settings = { ...world.settings, paths: { ...world.settings.paths, out } };
  expect(await world.look(folders, { settings })).toMatchObject([
    { level: 'bad', found: `"${out}" cannot be used: ${reason}` },
  ]);
});

it('ownFolders names each once', () => {
  const own = ownFolders(world.settings);
  expect(new Set(own).size).toBe(own.length);
  expect(own).toContain(world.settings.paths.archive);
});

describe('fileSystems', () => {
  it('is well when drop and work folder lie together', async () => {
    expect(await world.look(fileSystems)).toEqual(WELL);
  });

  it('names a drop folder whose work folder lies elsewhere', async () => {
    const [folder] = world.settings.folders;
    // `/proc` is on no disk.
    const settings = { ...world.settings, folders: [{ ...folder!, work: '/proc' }] };
    expect(await world.look(fileSystems, { settings })).toMatchObject([
      {
        level: 'bad',
        found: expect.stringContaining('"drop/card" and its work folder are on different file systems:'),
      },
    ]);
  });

  it('leaves folders that are missing to the other check', async () => {
    const [folder] = world.settings.folders;
    const settings = { ...world.settings, folders: [{ ...folder!, work: '/nowhere' }] };
    expect(await world.look(fileSystems, { settings })).toEqual(WELL);
  });
});

describe('permissions', () => {
  it('is well when nobody else has rights that matter', async () => {
    expect(await world.look(permissions)).toEqual(WELL);
  });

  it.each([
    ['paydrop.yaml', 0o620, 0o600, 'go-w'],
    ['data', 0o744, 0o711, 'go-rw'],
    ['data/master.key', 0o640, 0o600, '600'],
    ['data/journal/sends.jsonl', 0o620, 0o600, 'go-w'],
    ['data/archive', 0o750, 0o700, '700'],
    ['data/work', 0o701, 0o700, '700'],
    ['out', 0o705, 0o770, 'o-rwx'],
    ['quarantine', 0o701, 0o700, 'o-rwx'],
    ['drop/card', 0o777, 0o775, 'o-w'],
  ])('finds that %s has mode %o, and takes %o', async (name, loose, tight, mode) => {
    const path = join(world.root, name);
    await chmod(path, loose);
    expect(await world.look(permissions)).toMatchObject([
      {
        level: 'bad',
        found: expect.stringContaining(`"${path}" has mode 0${loose.toString(8)}: `),
        mend: `chmod ${mode} ${path}`,
      },
    ]);
    await chmod(path, tight);
    expect(await world.look(permissions)).toEqual(WELL);
  });
});

describe('diskSpace', () => {
  it('says how much is free where least is', async () => {
    const [finding] = await world.look(diskSpace);
    expect(finding!.found).toMatch(/^at least \d+ MiB are free everywhere$|MiB are free in/);
  });

  it('looks at an archive on a disk of its own', async () => {
    // `/proc` has no free space at all.
    const settings = { ...world.settings, paths: { ...world.settings.paths, archive: '/proc' } };
    expect(await world.look(diskSpace, { settings })).toContainEqual(
      expect.objectContaining({ level: 'bad', found: '0 MiB are free in "/proc"' }),
    );
  });
});

describe('judgeRoom', () => {
  it.each([
    [99, 'bad'],
    [100, 'warn'],
    [1_023, 'warn'],
    [1_024, undefined],
  ])('%i MiB: %s', (free, level) => {
    expect(judgeRoom([{ path: '/srv', disk: '1', free }])?.level).toBe(level);
  });

  it('says once what several folders of a disk share', () => {
    const rooms = ['/srv/drop', '/srv/out', '/srv/data'].map((path) => ({ path, disk: '1', free: 7 }));
    expect(judgeRoom(rooms)?.found).toBe('7 MiB are free in "/srv/drop", and on its disk for 2 other folders');
  });
});
