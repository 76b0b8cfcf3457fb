import { execFileSync } from 'node:child_process';
import { appendFile, link, mkdir, readFile, readdir, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { ERRORS, type QuarantineCode } from '../../../schemas/errors.ts';
import type { App } from '../../../src/app.ts';
import { handClock } from '../../../src/kernel/clock.ts';
import type { Settings } from '../../../src/config/config.ts';
import { startHealth } from '../../../src/kernel/health.ts';
import { startWatcher, type Watcher } from '../../../workers/watch/watch.ts';
import type { LogLine } from '../../queue/support/queue-world.ts';
import { achRow, lines, upTo } from '../../support/payment-rows.ts';
import { stepWorld } from '../support/step-world.ts';
import { query } from '../support/story.ts';

const NEVER_MS = 3_600_000;

const world = stepWorld({ accounts: 24 });

/** What the watchers of one test see: its own account, work folder and quarantine. */
let app: App;
let account: string;
let ach: string;
const watchers: Watcher[] = [];
afterEach(async () => {
  for (const watcher of watchers.splice(0)) await watcher.stop();
});

/** Starts a watcher that scans only on request, unless the settings say otherwise. */
async function watch(settings: Partial<Settings> = {}, change: (app: App) => App = (same) => same): Promise<Watcher> {
  account = world.freshAccount();
  ach = `${account}/ach-charge`;
  const root = join(world.root, 'of', account);
  const folders = world.settings.folders
    .filter((folder) => folder.account === account)
    .map((folder) => ({ ...folder, work: join(root, 'work') }));
  const paths = { ...world.settings.paths, quarantine: join(root, 'quarantine') };
  for (const dir of ['work', 'quarantine']) await mkdir(join(root, dir), { recursive: true });
  const own: Settings = { ...world.settings, watch: 'poll', rescanMs: NEVER_MS, folders, paths, ...settings };
  app = change({ ...world.app, settings: own });
  return watchAlso();
}

async function watchAlso(): Promise<Watcher> {
  const watcher = await startWatcher(app);
  watchers.push(watcher);
  return watcher;
}

let files = 0;

async function drop(name: string, folder = ach): Promise<void> {
  files += 1;
  await world.drop(folder, name, lines([achRow(files)]));
}

function pathIn(folder: string, name = ''): string {
  return join(world.root, 'drop', folder, name);
}

async function namesTaken(): Promise<string[]> {
  const rows = await query<{ name: string }>(app, 'SELECT name FROM file WHERE account = $1 ORDER BY name', [account]);
  return rows.map((row) => row.name);
}

/** Returns the log lines of this level about the test's folders. */
function troubles(level: string): LogLine[] {
  return world.logged.filter((line) => line.level === level && String(line['folder']).startsWith(`drop/${account}/`));
}

/** Stops the clock, except where the test moves it. */
function byHand(): { clock: ReturnType<typeof handClock>; change: (app: App) => App } {
  const clock = handClock('2026-06-15T12:00:00Z');
  return { clock, change: (same) => ({ ...same, clock }) };
}

describe('startWatcher', () => {
  it('claims without any event: the listing alone finds everything, within one interval', async () => {
    await watch({ rescanMs: 60 });
    for (const folder of ['card', 'ach-charge', 'ach-refund']) await drop(`${folder}.csv`, `${account}/${folder}`);
    await expect.poll(namesTaken, { interval: 20 }).toEqual(['ach-charge.csv', 'ach-refund.csv', 'card.csv']);
  });

  it('claims what lay there before it started, also what a dead process of ours left with two names', async () => {
    await watch({ rescanMs: 60 });
    await watchers.pop()!.stop();
    for (const name of ['again.csv', 'early.csv']) await drop(name);
    await link(pathIn(ach, 'again.csv'), pathIn(ach, '.again.csv.0123456789abcdef.tmp'));
    await watchAlso();
    await expect.poll(namesTaken, { interval: 20 }).toEqual(['again.csv', 'early.csv']);
  });

  it('hears of a drop long before the next listing is due', async () => {
    await watch({ watch: 'events' });
    await drop('heard.csv');
    await expect.poll(namesTaken, { interval: 20 }).toEqual(['heard.csv']);
  });

  it('notes when each folder was listed, and not one that cannot be', async () => {
    const begun = handClock('2026-06-15T10:00:00.000Z');
    const health = startHealth(begun);
    const watcher = await watch({}, (app) => ({ ...app, health }));
    const ids = app.settings.folders.map(({ id }) => id);
    expect([...health.listedAt.keys()].toSorted()).toEqual(ids.toSorted());
    const gone = app.settings.folders[0]!;
    begun.advance(60_000);
    await rename(gone.path, `${gone.path}.away`);
    await watcher.look();
    await rename(`${gone.path}.away`, gone.path);
    const late = ids.filter((id) => health.listedAt.get(id)?.getTime() !== begun.now().getTime());
    expect(late).toEqual([gone.id]);
  });

  it('takes no drop after it was stopped', async () => {
    const watcher = await watch({ watch: 'events', rescanMs: 20 });
    await watcher.stop();
    await drop('late.csv');
    expect(await watcher.look()).toBe(0);
    expect(await watcher.look()).toBe(0);
    expect(await namesTaken()).toEqual([]);
  });
});

describe('look', () => {
  it('tells how many drops are still settling, and takes each when it was quiet for long enough', async () => {
    const { clock, change } = byHand();
    const watcher = await watch({}, change);
    await drop('one.csv');
    await drop('two.csv');
    expect(await watcher.look()).toBe(2);
    clock.advance(49);
    expect(await watcher.look()).toBe(2);
    clock.advance(1);
    expect(await watcher.look()).toBe(0);
    expect(await namesTaken()).toEqual(['one.csv', 'two.csv']);
    expect(await readdir(pathIn(ach))).toEqual([]);
  });

  it('does not take a drop that is still written', async () => {
    const { clock, change } = byHand();
    const watcher = await watch({}, change);
    await drop('growing.csv');
    for (let round = 0; round < 3; round += 1) {
      expect(await watcher.look()).toBe(1);
      clock.advance(60);
      await appendFile(pathIn(ach, 'growing.csv'), lines([achRow(500 + round)]));
    }
    expect(await watcher.look()).toBe(1);
    clock.advance(60);
    expect(await watcher.look()).toBe(0);
    expect(await namesTaken()).toEqual(['growing.csv']);
  });

  it('asked by many at once lists once more, not many times', async () => {
    const watcher = await watch();
    const looks = Array.from({ length: 10 }, () => watcher.look());
    expect(new Set(looks).size).toBe(2);
    await Promise.all(looks);
  });

  it('asked while a listing runs, gives the one after it: the first may be past the folder already', async () => {
    let release = () => {};
    const held = new Promise<void>((resolve) => (release = resolve));
    let isHeld = false;
    const { clock, change } = byHand();
    const watcher = await watch({}, (same) => ({
      ...change(same),
      queue: {
        ...same.queue,
        ring: async (...call: Parameters<App['queue']['ring']>) => {
          isHeld = true;
          await held;
          return same.queue.ring(...call);
        },
      },
    }));
    await drop('first.csv');
    await watcher.look();
    clock.advance(100);
    const first = watcher.look();
    await expect.poll(() => isHeld, { interval: 5 }).toBe(true);
    await drop('second.csv');
    const second = watcher.look();
    release();
    expect([await first, await second]).toEqual([0, 1]);
  });

  it('two watchers at once claim each file once', async () => {
    await watch({ rescanMs: 50 });
    await watchAlso();
    const names = upTo(30).map((n) => `file-${String(n).padStart(2, '0')}.csv`);
    for (const name of names) await drop(name);
    await expect.poll(namesTaken, { interval: 50 }).toEqual(names);
    for (const watcher of watchers) await watcher.look();
    expect(await namesTaken()).toEqual(names);
    const work = await readdir(app.settings.folders[0]!.work);
    expect(work).toHaveLength(30);
  });
});

describe('trouble with one folder', () => {
  it('does not stop the others, is logged, and ends when the folder is back', async () => {
    const { clock, change } = byHand();
    const watcher = await watch({}, change);
    const card = pathIn(`${account}/card`).replace(/\/$/, '');
    await rename(card, `${card}-gone`);
    await drop('fine.csv');
    await watcher.look();
    clock.advance(100);
    await watcher.look();
    expect(await namesTaken()).toEqual(['fine.csv']);
    expect(troubles('error')).toContainEqual(
      expect.objectContaining({ code: 'FOLDER_MISSING', folder: `drop/${account}/card` }),
    );

    await rename(`${card}-gone`, card);
    await drop('back.csv', `${account}/card`);
    await watcher.look();
    clock.advance(100);
    await watcher.look();
    expect(await namesTaken()).toEqual(['back.csv', 'fine.csv']);
  });

  it('a drop that cannot be claimed does not stop the next, and is taken when it can be', async () => {
    const { clock, change } = byHand();
    const watcher = await watch({}, change);
    const { work } = app.settings.folders[0]!;
    await rename(work, `${work}-away`);
    await writeFile(work, 'a file where the folder should be');
    await drop('one.csv');
    await drop('two.csv');
    await watcher.look();
    clock.advance(100);
    await watcher.look();
    expect(await readdir(pathIn(ach))).toEqual(['one.csv', 'two.csv']);
    expect(troubles('error')).toHaveLength(2);

    await rm(work);
    await rename(`${work}-away`, work);
    await watcher.look();
    expect(await namesTaken()).toEqual(['one.csv', 'two.csv']);
  });
});

describe('what is no plain file', () => {
  const ODD: [string, QuarantineCode, (path: string) => Promise<unknown>][] = [
    ['a symbolic link', 'DROP_SYMLINK', (path) => symlink('/etc/passwd', path)],
    ['a folder', 'DROP_DIRECTORY', (path) => mkdir(path)],
    ['a pipe', 'DROP_SPECIAL', async (path) => execFileSync('mkfifo', [path])],
    [
      'a file with a second name',
      'DROP_HARD_LINK',
      async (path) => {
        await writeFile(join(world.root, `second-name-of-${account}`), lines([achRow(1)]));
        await link(join(world.root, `second-name-of-${account}`), path);
      },
    ],
  ];

  it.each(ODD)('%s is set aside unopened, and the file beside it is taken', async (_what, code, make) => {
    const { clock, change } = byHand();
    const watcher = await watch({}, change);
    await make(pathIn(ach, 'odd.csv'));
    await drop('fine.csv');
    expect(await watcher.look()).toBe(2);
    clock.advance(100);
    expect(await watcher.look()).toBe(0);
    expect(await namesTaken()).toEqual(['fine.csv']);
    expect(await readdir(pathIn(ach))).toEqual([]);
    const [dir] = await readdir(app.settings.paths.quarantine);
    const reason = JSON.parse(
      await readFile(join(app.settings.paths.quarantine, dir!, 'reason.json'), 'utf8'),
    ) as object;
    expect(reason).toMatchObject({ code, remedy: ERRORS[code].remedy, name: 'odd.csv', from: `drop/${ach}` });
    expect(troubles('warn')).toMatchObject([{ code, folder: `drop/${ach}` }]);
  });

  it('one that cannot be set aside stops neither the next nor the claims', async () => {
    const { clock, change } = byHand();
    const watcher = await watch({}, change);
    for (const name of ['a', 'b']) await symlink('/etc/passwd', pathIn(ach, name));
    await rm(app.settings.paths.quarantine, { recursive: true });
    await drop('fine.csv');
    await watcher.look();
    clock.advance(100);
    await watcher.look();
    expect(await namesTaken()).toEqual(['fine.csv']);
    const failing = () => query(app, 'SELECT FROM failing_work WHERE subject LIKE $1', [`drop/${ach}, "_"`]);
    expect([troubles('error').length > 1, await failing()]).toMatchObject([true, [{}, {}]]);
    await mkdir(app.settings.paths.quarantine);
    await watcher.look();
    expect(await readdir(app.settings.paths.quarantine)).toHaveLength(2);
    expect(await failing()).toHaveLength(0);
  });
});
