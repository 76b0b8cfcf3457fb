import { readdirSync, renameSync } from 'node:fs';
import { mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import type { App } from '../../../src/app.ts';
import { removeEmptyClaim } from '../../../src/files/claims/release-claim.ts';
import { createFolderScanner } from '../../../src/files/scan-folder.ts';
import { handClock } from '../../../src/kernel/clock.ts';
import type { Folder } from '../../../src/config/config.ts';
import { armCrashPoints, type CrashPointName } from '../../../src/kernel/crash-point.ts';
import { sweep } from '../../../workers/upkeep/sweep.ts';
import { lookAtFolder } from '../../../workers/watch/watch.ts';
import { achRow, lines } from '../../support/payment-rows.ts';
import { stepWorld } from '../support/step-world.ts';
import { query } from '../support/story.ts';

const world = stepWorld({ accounts: 5 });
afterEach(() => armCrashPoints(undefined));

/** Opens a folder for this test alone, in a world whose clock stands still. */
async function openFolder(): Promise<{ app: App; folder: Folder; clock: ReturnType<typeof handClock> }> {
  const id = `drop/${world.freshAccount()}/ach-charge`;
  const found = world.settings.folders.find((folder) => folder.id === id)!;
  const folder = { ...found, work: join(world.root, 'of', found.account) };
  await mkdir(folder.work, { recursive: true });
  const clock = handClock('2026-06-15T12:00:00Z');
  return { app: { ...world.app, clock, settings: { ...world.settings, folders: [folder] } }, folder, clock };
}

/** Renames the work folder of a claim, as a sweep does first when its process seems dead. */
function setAsideAt(point: CrashPointName, work: string): void {
  armCrashPoints((name) => {
    if (name !== point) return;
    armCrashPoints(undefined);
    for (const dir of readdirSync(work)) renameSync(join(work, dir), join(work, `${dir}.empty`));
  });
}

async function finishSweep(work: string): Promise<void> {
  for (const dir of await readdir(work)) if (dir.endsWith('.empty')) await removeEmptyClaim(join(work, dir));
}

describe('lookAtFolder, while a sweep takes the work folder for that of a dead process', () => {
  it.each<[CrashPointName, string]>([
    ['claim.notes-written', 'still in its folder'],
    ['claim.renamed', 'about to come back with the work folder'],
  ])('counts the drop as settling at %s, for it is %s', async (point) => {
    const { app, folder, clock } = await openFolder();
    const scanner = createFolderScanner(folder, clock);
    await world.drop(folder.id.replace('drop/', ''), 'one.csv', lines([achRow(1)]));
    expect(await lookAtFolder(app, folder, scanner)).toBe(1);
    clock.advance(100);
    setAsideAt(point, folder.work);
    expect(await lookAtFolder(app, folder, scanner)).toBe(1);
    await finishSweep(folder.work);
    expect(await lookAtFolder(app, folder, scanner)).toBe(0);
    await sweep(app);
    const taken = await query(app, 'SELECT name, state FROM file WHERE account = $1', [folder.account]);
    expect(taken).toEqual([{ name: 'one.csv', state: 'claimed' }]);
  });

  it('reads its control file when it is back, and not that it is missing', async () => {
    const { app, folder, clock } = await openFolder();
    const scanner = createFolderScanner(folder, clock);
    await world.drop(folder.id.replace('drop/', ''), 'one.csv.ctl', 'rows=1\n');
    await world.drop(folder.id.replace('drop/', ''), 'one.csv', lines([achRow(1)]));
    await lookAtFolder(app, folder, scanner);
    clock.advance(100);
    setAsideAt('claim.sealed', folder.work);
    await lookAtFolder(app, folder, scanner);
    expect(await query(app, 'SELECT name FROM file WHERE account = $1', [folder.account])).toEqual([]);
    await finishSweep(folder.work);
    await sweep(app);
    const taken = await query(app, 'SELECT name, control FROM file WHERE account = $1', [folder.account]);
    expect(taken).toEqual([{ name: 'one.csv', control: { rows: 1 } }]);
  });

  it('counts no drop that another process has taken', async () => {
    const { app, folder, clock } = await openFolder();
    const [one, other] = [createFolderScanner(folder, clock), createFolderScanner(folder, clock)];
    await world.drop(folder.id.replace('drop/', ''), 'one.csv', lines([achRow(1)]));
    await Promise.all([lookAtFolder(app, folder, one), lookAtFolder(app, folder, other)]);
    clock.advance(100);
    expect(await Promise.all([lookAtFolder(app, folder, one), lookAtFolder(app, folder, other)])).toEqual([0, 0]);
  });
});

describe('lookAtFolder, while the queue does not answer', () => {
  it('has taken the drop all the same: nobody takes it again, so nobody would end what was noted of it', async () => {
    const { app, folder, clock } = await openFolder();
    const add = () => Promise.reject(new Error('no answer within 5000 ms'));
    const cut = { ...app, queue: { ...app.queue, add } };
    const scanner = createFolderScanner(folder, clock);
    await world.drop(folder.id.replace('drop/', ''), 'one.csv', lines([achRow(1)]));
    expect(await lookAtFolder(cut, folder, scanner)).toBe(1);
    clock.advance(100);
    expect(await lookAtFolder(cut, folder, scanner)).toBe(0);
    const taken = await query(app, 'SELECT name, state FROM file WHERE account = $1', [folder.account]);
    expect(taken).toEqual([{ name: 'one.csv', state: 'claimed' }]);
    expect(await query(app, 'SELECT subject FROM failing_work WHERE account = $1', [folder.account])).toEqual([]);
  });
});
