import { readdirSync, renameSync } from 'node:fs';
import { mkdir, readdir, utimes, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, describe, expect, it, onTestFinished } from 'vitest';
import type { App } from '../../../src/app.ts';
import { removeEmptyClaim } from '../../../src/files/claims/release-claim.ts';
import { createFolderScanner } from '../../../src/files/scan-folder.ts';
import { handClock } from '../../../src/kernel/clock.ts';
import type { Folder } from '../../../src/config/config.ts';
import { armCrashPoints, type CrashPointName } from '../../../src/kernel/crash-point.ts';
import { INTAKE } from '../../../workers/intake/intake.ts';
import { sweep } from '../../../workers/upkeep/sweep.ts';
import { lookAtFolder, type OnScan, startWatcher, type Watcher } from '../../../workers/watch/watch.ts';
import { achRow, lines, upTo } from '../../support/payment-rows.ts';
import { dueOf } from '../support/stage-steps.ts';
import { stepWorld } from '../support/step-world.ts';
import { query } from '../support/story.ts';
import { startHealth } from '../../../src/kernel/health.ts';

const world = stepWorld({ accounts: 12 });
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

describe('lookAtFolder, with more drops than a time slice takes', () => {
  it.each([
    ['when its time is over', { sliceMs: 0 }],
    ['when it is stopped', { stop: AbortSignal.abort() }],
  ])('%s, leaves the rest in its folder, counts it, and takes it next time in its order', async (_when, options) => {
    const { app, folder, clock } = await openFolder();
    const scanner = createFolderScanner(folder, clock);
    const dropped = ['b.csv', 'a.csv', 'c.csv'];
    for (const [place, name] of dropped.entries()) {
      await world.drop(folder.id.replace('drop/', ''), name, lines([achRow(place)]));
      await utimes(join(folder.path, name), 1_700_000_000, 1_700_000_000 + place);
    }
    await lookAtFolder(app, folder, scanner);
    clock.advance(100);
    expect(await lookAtFolder(app, folder, scanner, options)).toBe(3);
    expect(await readdir(folder.path)).toEqual([...dropped].sort());
    expect(await lookAtFolder(app, folder, scanner)).toBe(0);
    const taken = await query(app, 'SELECT name FROM file WHERE account = $1 ORDER BY file_no', [folder.account]);
    expect(taken).toEqual(dropped.map((name) => ({ name })));
  });

  it('ends in the middle of the settled drops, without losing one', async () => {
    const { app, folder, clock } = await openFolder();
    const scanner = createFolderScanner(folder, clock);
    for (const n of upTo(30)) await world.drop(folder.id.replace('drop/', ''), `${n}.csv`, lines([achRow(n)]));
    await lookAtFolder(app, folder, scanner);
    clock.advance(100);
    const stopping = new AbortController();
    armCrashPoints((name) => name === 'claim.sealed' && stopping.abort());
    const left = await lookAtFolder(app, folder, scanner, { stop: stopping.signal });
    armCrashPoints(undefined);
    const count = 'SELECT count(*)::int AS files FROM file WHERE account = $1';
    const [taken] = await query<{ files: number }>(app, count, [folder.account]);
    expect(taken!.files).toBeGreaterThan(0);
    expect(left).toBe(30 - taken!.files);
    expect(await readdir(folder.path)).toHaveLength(left);
    expect(await lookAtFolder(app, folder, scanner)).toBe(0);
    expect(await query(app, count, [folder.account])).toEqual([{ files: 30 }]);
  });
});

describe('lookAtFolder, with the events of a folder', () => {
  it('follows it while few files lie there, and not while it cannot be listed', async () => {
    const { app, folder, clock } = await openFolder();
    const scanner = createFolderScanner(folder, clock);
    const said: boolean[] = [];
    const events = { follow: (_path: string, isWatched: boolean) => void said.push(isWatched), close: async () => {} };
    const look = async (options = {}) => {
      said.length = 0;
      await lookAtFolder(app, folder, scanner, { events, ...options });
      return [...said];
    };
    for (const n of upTo(100)) await world.drop(folder.id.replace('drop/', ''), `${n}.csv`, lines([achRow(n)]));
    expect(await look()).toEqual([true, true]);
    await world.drop(folder.id.replace('drop/', ''), '101.csv', lines([achRow(101)]));
    expect(await look()).toEqual([false, false]);
    clock.advance(100);
    // Its time is over before one is taken.
    expect(await look({ sliceMs: 0 })).toEqual([false, false]);
    // All but the latest are taken.
    expect(await look()).toEqual([false, true]);
    await rename(folder.path, `${folder.path}-away`);
    expect(await look()).toEqual([false]);
  });
});

describe('lookAtFolder, while the queue does not answer', () => {
  it('has taken the drop all the same: nobody takes it again, so nobody would end what was noted of it', async () => {
    const { app, folder, clock } = await openFolder();
    const ring = () => Promise.reject(new Error('no answer within 5000 ms'));
    const cut = { ...app, queue: { ...app.queue, ring } };
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

const eventWorld = stepWorld({ accounts: 1, settings: { watch: 'events', rescanMs: 3_600_000 } });

it('startWatcher hears of what comes while it takes many drops', async () => {
  const account = eventWorld.freshAccount();
  const drop = (n: number) => eventWorld.drop(`${account}/ach-charge`, `${n}.csv`, lines([achRow(n)]));
  const taken = async () => (await eventWorld.query('SELECT 1 FROM file WHERE account = $1', [account])).length;
  const watcher = await startWatcher(eventWorld.app);
  try {
    for (const n of upTo(40)) await drop(n);
    await expect.poll(taken, { interval: 5 }).toBeGreaterThan(0);
    await drop(41);
    await expect.poll(taken, { interval: 20 }).toBe(41);
  } finally {
    await watcher.stop();
  }
});

const pollingWorld = stepWorld({ accounts: 2, settings: { watch: 'poll', rescanMs: 60 } });

it('startWatcher takes many drops into the ledger in the order in which they came, some at a time', async () => {
  const account = pollingWorld.freshAccount();
  const folder = `${account}/ach-charge`;
  const names = Array.from({ length: 14 }, (_, place) => `${'ljhgfedcbakimn'[place]}.csv`);
  for (const [place, name] of names.entries()) {
    // Of different lengths, which would let them overtake each other.
    await pollingWorld.drop(
      folder,
      name,
      lines(Array.from({ length: 1 + (place % 4) * 300 }, (_, row) => achRow(row))),
    );
    await utimes(join(pollingWorld.root, 'drop', folder, name), 1_700_000_000, 1_700_000_000 + place);
  }
  const taken = async () => {
    const rows = await pollingWorld.query<{ name: string }>(
      'SELECT name FROM file WHERE account = $1 ORDER BY file_no',
      [account],
    );
    return rows.map(({ name }) => name);
  };
  const watcher = await startWatcher(pollingWorld.app);
  try {
    await expect.poll(taken, { interval: 20 }).toEqual(names);
  } finally {
    await watcher.stop();
  }
});

it('lookAtFolder rings for the intake at the first of many drops, and after the last', async () => {
  const { app, folder, clock } = await openFolder();
  const scanner = createFolderScanner(folder, clock);
  for (const n of upTo(45)) await world.drop(folder.id.replace('drop/', ''), `${n}.csv`, lines([achRow(n)]));
  const claimedAt: number[] = [];
  const ring: App['queue']['ring'] = async (name) => {
    if (name === 'intake') claimedAt.push((await dueOf(app, INTAKE)).length);
  };
  const ringing = { ...app, queue: { ...app.queue, ring } };
  const before = (await dueOf(app, INTAKE)).length;
  await lookAtFolder(ringing, folder, scanner);
  expect(claimedAt).toEqual([]);
  clock.advance(100);
  await lookAtFolder(ringing, folder, scanner);
  expect(claimedAt.length).toBeGreaterThan(1);
  expect(claimedAt[0]! - before).toBeLessThan(45);
  expect(claimedAt.at(-1)! - before).toBe(45);
});

/** Watches a folder of a schedule, whose drops settle at once. */
async function watch(onScan?: OnScan): Promise<{ app: App; id: string; watcher: Watcher }> {
  const id = `drop/${world.freshAccount()}/ach-charge`;
  const found = world.settings.folders.find((one) => one.id === id)!;
  const complete = { by: 'quiet', quietMs: 0, probes: 1 } as const;
  const folder = { ...found, complete, schedule: 'nightly', work: join(world.root, 'of', found.account) };
  const settings = { ...world.settings, watch: 'poll', rescanMs: 3_600_000, folders: [folder] } as const;
  const app: App = { ...world.app, settings, health: startHealth(world.app.clock) };
  const watcher = await startWatcher(app, onScan);
  onTestFinished(() => watcher.stop());
  return { app, id, watcher };
}

it.each([
  ['for a screen', true],
  ['without one', false],
])('startWatcher %s takes nothing from the folder of a schedule', async (_where, isShown) => {
  const seen: string[] = [];
  const onScan: OnScan = (folder, { settled, settling }) =>
    seen.push(...[...settled, ...settling].map(({ name }) => `${folder.id} ${name}`));
  const { app, id, watcher } = await watch(isShown ? onScan : undefined);
  await world.drop(id.replace('drop/', ''), 'june.csv', lines([achRow(1)]));
  for (let looks = 0; looks < 3; looks += 1) await watcher.look();
  expect([...new Set(seen)]).toEqual(isShown ? [`${id} june.csv`] : []);
  expect([...app.health.watched]).toEqual([]);
  expect(await query(app, 'SELECT name FROM file WHERE folder = $1', [id])).toEqual([]);
});
