import { mkdir, readdir, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Config } from '../../../schemas/config.ts';
import { type Folder, resolveSettings, type Settings } from '../../../src/config/config.ts';
import { checkFolders, checkKeys } from '../../../workers/watch/check-folders.ts';
import { freshFolder } from '../../files/support/fresh-folder.ts';
import type { App } from '../../../src/app.ts';
import { PipelineError } from '../../../src/kernel/errors.ts';
import { createFolderScanner, type FolderScanner } from '../../../src/files/scan-folder.ts';
import { handClock } from '../../../src/kernel/clock.ts';
import { retireVersion } from '../../../src/ledger/profile/move-profile.ts';
import { lookAtFolder } from '../../../workers/watch/watch.ts';
import { putConfirmed, putDraft } from '../../ledger/support/put-version.ts';
import { achRow, lines } from '../../support/payment-rows.ts';
import { stepWorld } from '../support/step-world.ts';
import { query } from '../support/story.ts';

async function settingsIn(root: string): Promise<Settings> {
  const account = { server: 'NA', country: 'US', currency: 'USD', agentCode: 'TEST88', password: 'TEST88' };
  const folder = { path: 'drop/card', account: 'main', operation: 'card' };
  return resolveSettings(Config.parse({ accounts: { main: account }, folders: [folder] }), root, {});
}

describe('checkFolders', () => {
  it('makes our own folders, for the owner only, and may be done again', async () => {
    const root = await freshFolder();
    const settings = await settingsIn(root);
    await mkdir(settings.folders[0]!.path, { recursive: true });
    await checkFolders(settings);
    await checkFolders(settings);
    const { data, archive, out, quarantine } = settings.paths;
    for (const dir of [data, archive, out, quarantine, settings.folders[0]!.work]) {
      expect((await stat(dir)).mode & 0o777, dir).toBe(0o700);
    }
  });

  it('does not make a drop folder: a mistyped path would be watched for ever', async () => {
    const settings = await settingsIn(await freshFolder());
    await expect(checkFolders(settings)).rejects.toMatchObject({ code: 'FOLDER_MISSING' });
  });

  it.each([
    ['the outputs', 'out'],
    ['what is put aside', 'quarantine'],
    ['the keys', 'data'],
  ])('refuses a drop folder that a link makes the folder of %s', async (_what, name) => {
    const root = await freshFolder();
    const settings = await settingsIn(root);
    await mkdir(join(root, name), { recursive: true });
    await mkdir(join(root, 'drop'));
    await symlink(join(root, name), settings.folders[0]!.path);
    await expect(checkFolders(settings)).rejects.toMatchObject({
      code: 'CONFIG_INVALID',
      message: expect.stringContaining(`it and "${join(root, name)}" are the same folder, or one contains the other`),
    });
  });

  it('refuses outputs that a link leads into a drop folder', async () => {
    const root = await freshFolder();
    const settings = await settingsIn(root);
    await mkdir(join(settings.folders[0]!.path, 'deep'), { recursive: true });
    await symlink(join(settings.folders[0]!.path, 'deep'), settings.paths.out);
    await expect(checkFolders(settings)).rejects.toMatchObject({ code: 'CONFIG_INVALID' });
  });

  it.each(['data/archive', 'data/work', 'data'])('refuses outputs that a link leads into %s', async (place) => {
    const root = await freshFolder();
    const settings = await settingsIn(root);
    await mkdir(settings.folders[0]!.path, { recursive: true });
    await mkdir(join(root, place), { recursive: true });
    await symlink(join(root, place), join(root, 'out'));
    await expect(checkFolders(settings)).rejects.toMatchObject({
      code: 'CONFIG_INVALID',
      message: expect.stringContaining('after following links'),
    });
  });

  it.each(['data', 'out', 'quarantine'])('says that %s cannot be made where a file lies in its way', async (name) => {
    const root = await freshFolder();
    const settings = await settingsIn(root);
    await mkdir(settings.folders[0]!.path, { recursive: true });
    await writeFile(join(root, name), '');
    await expect(checkFolders(settings)).rejects.toThrow(
      `Cannot make the folder "${join(root, name)}": a file has its name. Move the file away.`,
    );
  });

  it('says of a link to itself and of a path that is too long what they are, not that they do not exist', async () => {
    const root = await freshFolder();
    const settings = await settingsIn(root);
    await symlink('loop', join(root, 'loop'));
    const [drop] = settings.folders;
    for (const [path, reason] of [
      [join(root, 'loop'), 'the links in its path form a circle'],
      [join(root, 'a'.repeat(300)), 'its path is longer than the system allows'],
    ] as const) {
      const out = { ...settings, paths: { ...settings.paths, out: path } };
      await expect(checkFolders(out)).rejects.toThrow(`Cannot make the folder "${path}": ${reason}. `);
      const drops = { ...settings, folders: [{ ...drop!, path }] };
      await expect(checkFolders(drops)).rejects.toThrow(`Cannot write into the folder "${path}": ${reason}. `);
    }
  });
});

const FOLDERS = [
  { account: 'here', site: 'main' },
  { account: 'here', site: 'main' },
  { account: 'elsewhere', site: 'berlin' },
];

function appWith(openPgpKeys: App['openPgpKeys']): App {
  return { settings: { folders: FOLDERS, site: 'main' }, openPgpKeys } as unknown as App;
}

describe('checkKeys', () => {
  it('opens the keys of each account whose folders lie here', async () => {
    const asked: string[] = [];
    await checkKeys(appWith((account) => void asked.push(account)));
    expect(asked).toEqual(['here']);
  });

  it('fails for a key that cannot be used', async () => {
    const trouble = new PipelineError('PGP_KEY', 'use it');
    await expect(checkKeys(appWith(() => Promise.reject(trouble)))).rejects.toBe(trouble);
  });
});

const world = stepWorld({ accounts: 3 });

const START_MS = Date.parse('2026-06-15T12:00:00Z');

type Watched = { app: App; folder: Folder; scanner: FolderScanner; clock: ReturnType<typeof handClock> };

/** Opens a folder with this profile for one test, in a world whose clock stands still. */
async function openFolder(profile: string): Promise<Watched> {
  const id = `drop/${world.freshAccount()}/ach-charge`;
  const found = world.settings.folders.find((one) => one.id === id)!;
  const folder = { ...found, work: join(world.root, 'of', found.account), profile };
  await mkdir(folder.work, { recursive: true });
  const clock = handClock(new Date(START_MS).toISOString());
  const settings = { ...world.settings, folders: [folder] };
  const app: App = { ...world.app, clock, settings, folder: (wanted) => (wanted === id ? folder : undefined) };
  return { app, folder, clock, scanner: createFolderScanner(folder, clock) };
}

let rows = 0;

async function drop({ folder }: Watched, name: string): Promise<void> {
  rows += 1;
  await world.drop(folder.id.replace('drop/', ''), name, lines([achRow(rows)]));
}

/** Looks as often as a drop needs to settle. */
async function look({ app, folder, scanner, clock }: Watched): Promise<number> {
  await lookAtFolder(app, folder, scanner);
  clock.advance(100);
  return lookAtFolder(app, folder, scanner);
}

type Taken = { name: string; profile_version: number; seen_at: Date };

function taken({ app, folder }: Watched): Promise<Taken[]> {
  return query<Taken>(app, 'SELECT name, profile_version, seen_at FROM file WHERE folder = $1 ORDER BY file_no', [
    folder.id,
  ]);
}

describe('lookAtFolder, in a folder with a profile', () => {
  it('takes nothing while no version is confirmed; the drops stay, and it keeps no one waiting', async () => {
    const watched = await openFolder('dues');
    const { app, folder } = watched;
    await drop(watched, 'june.csv');
    expect(await look(watched)).toBe(0);
    await putDraft(app.ledger, 'dues');
    expect(await look(watched)).toBe(0);
    expect(await readdir(folder.path)).toEqual(['june.csv']);
    expect(await readdir(folder.work)).toEqual([]);
    expect(app.health.listedAt.has(folder.id)).toBe(true);
    const warned = world.logged.filter((line) => line['folder'] === folder.id && line.level === 'warn');
    expect(warned.at(-1)).toMatchObject({ code: 'PROFILE_UNCONFIRMED', profile: 'dues', drops: 1 });
  });

  it('takes them with the version that is confirmed then, and knows since when they lay there', async () => {
    const watched = await openFolder('gifts');
    await drop(watched, 'june.csv');
    await look(watched);
    watched.clock.advance(3_600_000);
    const version = await putConfirmed(watched.app.ledger, 'gifts');
    await look(watched);
    const [file] = await taken(watched);
    expect(file).toMatchObject({ name: 'june.csv', profile_version: version.profile_no });
    expect(file!.seen_at.getTime()).toBeLessThanOrEqual(START_MS);
  });

  it('takes nothing more once the version is retired', async () => {
    const watched = await openFolder('rent');
    const { app, folder } = watched;
    const { profile_no: no } = await putConfirmed(app.ledger, 'rent');
    await drop(watched, 'june.csv');
    await look(watched);
    await retireVersion(app.ledger, no, { actor: 'operator:ada', reason: 'wrong column' });
    await drop(watched, 'july.csv');
    await look(watched);
    expect((await taken(watched)).map(({ name }) => name)).toEqual(['june.csv']);
    expect(await readdir(folder.path)).toEqual(['july.csv']);
  });
});
