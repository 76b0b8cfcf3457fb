import { mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { App } from '../../../src/app.ts';
import type { Folder } from '../../../src/config/config.ts';
import { createFolderScanner, type FolderScanner } from '../../../src/files/scan-folder.ts';
import { handClock } from '../../../src/kernel/clock.ts';
import { retireVersion } from '../../../src/ledger/profile/move-profile.ts';
import { lookAtFolder } from '../../../workers/watch/watch.ts';
import { putConfirmed, putDraft } from '../../ledger/support/put-version.ts';
import { achRow, lines } from '../../support/payment-rows.ts';
import { stepWorld } from '../support/step-world.ts';
import { query } from '../support/story.ts';

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
    const warned = world.logged.filter((line) => line['folder'] === folder.id && line.level === 40);
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
