import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import type { App } from '../../../src/app.ts';
import { startHealth } from '../../../src/kernel/health.ts';
import { type OnScan, startWatcher, type Watcher } from '../../../workers/watch/watch.ts';
import { achRow, lines } from '../../support/payment-rows.ts';
import { stepWorld } from '../support/step-world.ts';
import { query } from '../support/story.ts';

const world = stepWorld({ accounts: 2 });

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
