import { expect, it } from 'vitest';
import { startWatcher } from '../../../workers/watch/watch.ts';
import { achRow, lines, upTo } from '../../support/payment-rows.ts';
import { stepWorld } from '../support/step-world.ts';
import { query } from '../support/story.ts';

const world = stepWorld({ accounts: 1, settings: { watch: 'events', rescanMs: 3_600_000 } });

it('startWatcher hears of what comes while it takes many drops', async () => {
  const account = world.freshAccount();
  const drop = (n: number) => world.drop(`${account}/ach-charge`, `${n}.csv`, lines([achRow(n)]));
  const taken = async () => (await query(world.app, 'SELECT 1 FROM file WHERE account = $1', [account])).length;
  const watcher = await startWatcher(world.app);
  try {
    for (const n of upTo(40)) await drop(n);
    await expect.poll(taken, { interval: 5 }).toBeGreaterThan(0);
    await drop(41);
    await expect.poll(taken, { interval: 20 }).toBe(41);
  } finally {
    await watcher.stop();
  }
});
