import { utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { startWatcher } from '../../../workers/watch/watch.ts';
import { achRow, lines } from '../../support/payment-rows.ts';
import { stepWorld } from '../support/step-world.ts';
import { query } from '../support/story.ts';

const world = stepWorld({ accounts: 2, settings: { watch: 'poll', rescanMs: 60 } });

it('startWatcher takes many drops into the ledger in the order in which they came, some at a time', async () => {
  const account = world.freshAccount();
  const folder = `${account}/ach-charge`;
  const names = Array.from({ length: 14 }, (_, place) => `${'ljhgfedcbakimn'[place]}.csv`);
  for (const [place, name] of names.entries()) {
    // Of different lengths, which would let them overtake each other.
    await world.drop(folder, name, lines(Array.from({ length: 1 + (place % 4) * 300 }, (_, row) => achRow(row))));
    await utimes(join(world.root, 'drop', folder, name), 1_700_000_000, 1_700_000_000 + place);
  }
  const taken = async () => {
    const rows = await query<{ name: string }>(world.app, 'SELECT name FROM file WHERE account = $1 ORDER BY file_no', [
      account,
    ]);
    return rows.map(({ name }) => name);
  };
  const watcher = await startWatcher(world.app);
  try {
    await expect.poll(taken, { interval: 20 }).toEqual(names);
  } finally {
    await watcher.stop();
  }
});
