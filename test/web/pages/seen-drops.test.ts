import { mkdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import type { ChangedParts } from '../../../src/web/live/changed-parts.ts';
import { startWatcher } from '../../../workers/watch/watch.ts';
import { achRow, CARD, lines } from '../../support/payment-rows.ts';
import { handClock } from '../../../src/kernel/clock.ts';
import { dashboardForTests, type TestBrowser } from '../support/dashboard-world.ts';
import { wordsOf } from '../support/page-words.ts';

const NAMES = { quiet: 'main', marked: 'main', nightly: 'main', second: 'second' };
const QUIET = { by: 'quiet', quietMs: 10_000, probes: 2 };
const clock = handClock('2026-06-15T12:00:00Z');

const world = dashboardForTests({
  clock,
  account: { timeZone: 'America/Toronto' },
  accounts: { second: { server: 'NA', country: 'US', currency: 'USD', agentCode: 'TEST89', password: 'TEST88' } },
  settings: {
    watch: 'poll',
    rescanMs: 3_600_000,
    schedules: { nightly: { does: 'take', at: '22:00', timeZone: 'America/Toronto' } },
    folders: Object.entries(NAMES).map(([name, account]) => ({
      path: `drop/${name}`,
      account,
      operation: 'ach-charge',
      complete: name === 'marked' ? { by: 'marker' } : QUIET,
      ...(name === 'nightly' && { schedule: 'nightly' }),
    })),
  },
});

/** Returns what an open page shows of drops that are not taken yet. */
async function seen(browser: TestBrowser, path: string): Promise<string> {
  const { status, text } = await browser.get(path, { 'x-live': '1', 'x-parts': '' });
  expect(status).toBe(200);
  const { parts } = JSON.parse(text) as ChangedParts;
  return wordsOf(parts.find(({ name }) => name === 'drops')!.html);
}

async function watch() {
  const watcher = await startWatcher(world.app);
  onTestFinished(() => watcher.stop());
  return watcher;
}

beforeEach(async () => {
  for (const { work } of world.settings.folders) await mkdir(work, { recursive: true });
  for (const folder of Object.keys(NAMES)) {
    await rm(join(world.root, 'drop', folder), { recursive: true });
    await mkdir(join(world.root, 'drop', folder));
  }
});

describe.each(['/', '/files'])('%s', (path) => {
  it('shows what waits, for what and how long, until it is taken', async () => {
    const viewer = await world.as('viewer');
    const watcher = await watch();
    expect(await seen(viewer, path)).toBe('');
    for (const folder of ['quiet', 'marked', 'nightly']) await world.drop(folder, 'june.csv', lines([achRow(1)]));
    await watcher.look();
    clock.advance(2_500);
    const words = await seen(viewer, path);
    expect(words).toContain('june.csv main drop/quiet waiting 8 s for quiet; write june.csv.done to skip');
    expect(words).toContain('june.csv main drop/marked waiting for june.csv.done');
    // In the zone of the page, which is not that of the schedule.
    expect(words).toMatch(
      /june\.csv main drop\/nightly waiting for the schedule "nightly", next at Tue 16 Jun 2026, 02:00:00/,
    );
    expect((await viewer.get(path)).text).toMatch(/<span data-until="2026-06-15T12:\d\d:\d\d\.\d{3}Z">waiting 8 s/);
    clock.advance(7_500);
    await watcher.look();
    expect(await seen(viewer, path)).not.toContain('drop/quiet');
    expect(await seen(viewer, path)).toContain('drop/marked');
    for (const folder of ['marked', 'nightly']) await rm(join(world.root, 'drop', folder, 'june.csv'));
    await watcher.look();
    expect(await seen(viewer, path)).toBe('');
  });

  it('shows nothing to a reader who is not logged in', async () => {
    const watcher = await watch();
    await world.drop('quiet', 'secret.csv', lines([achRow(2)]));
    await watcher.look();
    const { status, text } = await world.stranger().get(path);
    expect(status).toBe(302);
    expect(text).not.toContain('secret');
  });

  it('masks long numbers in names', async () => {
    const watcher = await watch();
    await world.drop('quiet', `june ${CARD}.csv`, lines([achRow(2)]));
    await watcher.look();
    const { text } = await (await world.as('viewer')).get(path);
    expect(text).toMatch(/june \*+2220\.csv/);
    expect(text).not.toContain(CARD);
  });
});

describe('the lists', () => {
  it.each([
    ['', ['quiet', 'second']],
    ['?account=main', ['quiet']],
    ['?account=second', ['second']],
    ['?folder=drop/quiet', ['quiet']],
    ['?operation=card', []],
    ['?state=processing', ['quiet', 'second']],
    ['?state=completed', []],
    ['?from=2026-06-15', []],
  ])('/files%s shows those of %j', async (query, folders) => {
    const watcher = await watch();
    for (const folder of ['quiet', 'second']) await world.drop(folder, 'june.csv', lines([achRow(3)]));
    await watcher.look();
    const words = await seen(await world.as('viewer'), `/files${query}`);
    expect([...words.matchAll(/drop\/(\w+) waiting/g)].map(([, folder]) => folder)).toEqual(folders);
  });

  it('say which drops are more than they show', async () => {
    const watcher = await watch();
    for (let file = 0; file < 23; file += 1) await world.drop('marked', `${file}.csv`, 'x');
    await watcher.look();
    expect(await seen(await world.as('viewer'), '/files')).toContain('3 more files in the drop folders.');
    await rm(join(world.root, 'drop', 'marked'), { recursive: true });
    await watcher.look();
    // Nobody can tell what a missing folder holds.
    expect(await seen(await world.as('viewer'), '/files')).toBe('');
    await mkdir(join(world.root, 'drop', 'marked'));
  });

  it('say why nothing is taken from a folder whose account is not settled', async () => {
    const watcher = await watch();
    const { bound } = world.app.ledger;
    const main = bound.get('main')!;
    onTestFinished(() => void bound.set('main', main));
    bound.delete('main');
    await world.drop('quiet', 'june.csv', lines([achRow(4)]));
    await watcher.look();
    expect(await seen(await world.as('viewer'), '/files')).toContain(
      'nothing is taken from this folder: it is not settled whom the account means',
    );
  });
});

describe('an open page', () => {
  it('hears at once of a drop and of its end', async () => {
    const watcher = await watch();
    const { cookie } = await world.as('viewer');
    const stop = new AbortController();
    const answer = await fetch(`${world.url}/live`, { headers: { cookie }, signal: stop.signal });
    let text = '';
    const reading = (async () => {
      for await (const chunk of answer.body!) text += Buffer.from(chunk).toString();
    })().catch(() => {});
    const drops = () => text.match(/event: change\ndata: drops\n\n/g)?.length ?? 0;
    await world.drop('marked', 'june.csv', lines([achRow(5)]));
    await watcher.look();
    await expect.poll(drops).toBe(1);
    // The same again is no news.
    await watcher.look();
    await rename(join(world.root, 'drop', 'marked', 'june.csv'), join(world.root, 'june.csv'));
    await watcher.look();
    await expect.poll(drops).toBe(2);
    stop.abort();
    await reading;
  });
});
