import { mkdir, readdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { claimDrop } from '../../../src/files/claims/claim-drop.ts';
import type { Folder } from '../../../src/config/config.ts';
import { newFileId } from '../../../src/kernel/ids.ts';
import { findFile } from '../../../src/ledger/file/search.ts';
import { listFormerWorkFolders } from '../../../src/ledger/process/work-folders.ts';
import { readObstacles } from '../../../workers/upkeep/alarms/obstacles.ts';
import { bringFormerClaims } from '../../../workers/upkeep/former-work.ts';
import { sweep } from '../../../workers/upkeep/sweep.ts';
import { achRow, lines } from '../../support/payment-rows.ts';
import { openPipelineWorld, type PipelineWorld } from '../../support/pipeline-world.ts';

/** Claims in a work folder that no drop folder has any more are taken along, or listed with what to do. */
let world: PipelineWorld;
beforeEach(async () => {
  world = await openPipelineWorld({});
});
afterEach(() => world.close());

/** Gives every folder this work folder, as a start with a changed paydrop.yaml does. */
async function workIn(name: string): Promise<string> {
  const work = join(world.root, name);
  await mkdir(work, { recursive: true });
  const { settings } = world.app;
  settings.folders = settings.folders.map((folder) => ({ ...folder, work }));
  return work;
}

const folderOf = () => world.app.settings.folders.find(({ operation }) => operation === 'ach-charge')!;

/** Claims a drop and goes no further, as a process that dies. */
async function claim(name: string, folder: Folder = folderOf()): Promise<string> {
  const path = join(folder.path, name);
  await writeFile(path, lines([achRow(1)]));
  const { size, mtimeMs } = await stat(path);
  const fileId = newFileId();
  const candidate = {
    name,
    path: Buffer.from(path),
    bytes: size,
    mtimeMs: Math.trunc(mtimeMs),
    sinceMs: 0,
    completeness: 'quiet',
  };
  const outcome = await claimDrop(candidate as never, {
    workRoot: folder.work,
    folder,
    clock: world.app.clock,
    fileId,
  });
  expect(outcome.is).toBe('claimed');
  return fileId;
}

const obstacles = async () =>
  (await readObstacles(world.app.ledger, world.app.settings)).filter(({ key }) => key.startsWith('work '));
const former = () => listFormerWorkFolders(world.app.ledger, world.app.settings.site, [folderOf().work]);

it('are moved by the next sweep, taken on and forgotten', async () => {
  const before = await workIn('work-1');
  await bringFormerClaims(world.app);
  const fileId = await claim('june.csv');
  const now = await workIn('work-2');
  expect(await former()).toEqual([before]);
  expect(await obstacles()).toMatchObject([{ why: expect.stringContaining(`1 claim in "${before}"`) }]);
  await sweep(world.app);
  expect((await findFile(world.app.ledger, 'june.csv')).file_id).toBe(fileId);
  expect(await readdir(before)).toEqual([]);
  expect(await readdir(now)).toContain(fileId);
  expect([await former(), await obstacles()]).toEqual([[], []]);
});

it('stay listed where they cannot be moved, and while their place is missing', async () => {
  const before = await workIn('work-1');
  await bringFormerClaims(world.app);
  const folder = folderOf();
  await claim('june.csv', folder);
  await workIn('work-2');
  world.app.settings.folders = world.app.settings.folders.filter(({ id }) => id !== folder.id);
  await bringFormerClaims(world.app);
  const { settings, ledger } = world.app;
  const listed = () => readObstacles(ledger, settings).then((all) => all.filter(({ key }) => key === `work ${before}`));
  expect(await listed()).toMatchObject([
    { why: expect.stringContaining('1 claim in'), next: expect.stringContaining('move the rest') },
  ]);
  await rename(before, `${before}-away`);
  await bringFormerClaims(world.app);
  expect(await listed()).toMatchObject([{ why: expect.stringContaining('missing or cannot be read') }]);
  await mkdir(before);
  await bringFormerClaims(world.app);
  expect(await listed()).toEqual([]);
  await rm(`${before}-away`, { recursive: true });
});
