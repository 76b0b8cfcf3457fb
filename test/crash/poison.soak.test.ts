import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { achRow, upTo } from '../support/payment-rows.ts';
import { startScriptedService } from '../support/scripted-service.ts';
import { openCrashSite } from './support/crash-site.ts';
import { openedForTests } from '../support/opened-for-tests.ts';

/** How many good files lie among the worst ones that we can think of. */

const GOOD = 40;
const NUL = '\0';

/** Files of the worst kinds: whatever happens to them, they must not hold up the others. */
const WORST: Readonly<Record<string, string>> = {
  'nul-bytes.csv': NUL.repeat(100_000),
  'quotes.csv': '"'.repeat(1_000_000),
  'commas.csv': ','.repeat(1_000_000),
  'one-line.csv': 'x'.repeat(20_000_000),
  'no-utf-16.csv': `\uFEFF${'\uD800\uDC00'.repeat(10)}\u0000`,
  'line-ends.csv': '\r\n'.repeat(500_000),
};

const service = openedForTests(startScriptedService);
const site = openedForTests(() =>
  openCrashSite({
    accounts: ['dues'],
    serviceUrl: service.url,
    settings: { sweepMs: 200, rescanMs: 300, batch: { maxRows: 2 } },
  }),
);

const PRELOAD = 'test/crash/support/die-at-poison.ts';

/** Restarts the process whenever it ends by itself, as a service manager does. Returns how often it died. */
async function liveUntil(isDone: () => Promise<boolean>, mostLives: number): Promise<number> {
  for (let deaths = 0; deaths < mostLives; deaths += 1) {
    const daemon = site.start({ preload: [PRELOAD] });
    let isDead = false;
    const death = daemon.ended.then(() => {
      isDead = true;
    });
    while (!isDead && !(await isDone())) await Promise.race([death, new Promise((resolve) => setTimeout(resolve, 50))]);
    if (isDead) {
      expect(await daemon.ended).toBe('SIGKILL');
      continue;
    }
    daemon.signal('SIGTERM');
    expect(await daemon.ended).toBe(0);
    return deaths;
  }
  throw new Error(`it died ${mostLives} times`);
}

async function countFiles(states: readonly string[]): Promise<number> {
  const rows = await site.query('SELECT 1 FROM file WHERE state = ANY ($1)', [states]).catch(() => []);
  return rows.length;
}

describe('files that end every process that reads them', () => {
  it('are put aside after three deaths each, and every other file goes its way', async () => {
    // The poison comes first, so that everything else lies behind it at each start.
    await site.drop('dues/ach-charge', 'poison.csv', `${achRow(1, { invoice: 'POISON' })}\n`);
    await site.drop('dues/ach-charge', 'poison-seal.csv', `${achRow(2, { invoice: 'POISON-2' })}\n`);
    for (const [name, content] of Object.entries(WORST)) await site.drop('dues/ach-charge', name, content);
    for (const n of upTo(GOOD)) await site.dropCharges('dues', `good-${n}.csv`, 1);

    const quarantine = join(site.root, 'quarantine');
    // A death may come in the middle of another file's call. That batch is then in doubt, and what follows in its
    // account is accepted and waits for an operator.
    const isDone = async () =>
      (await countFiles(['accepted', 'in_progress'])) === GOOD &&
      (await countFiles(['held', 'rejected'])) === 1 + WORST_COUNT &&
      (await readdir(quarantine).catch(() => [])).length === 1 &&
      // Notices follow the verdicts; a process that ends before them writes them at its next start.
      (await site.outputs('.held.csv')).length === 1;
    // One file is sealed while the other is read, so one death may count for both.
    const deaths = await liveUntil(isDone, 8);
    expect(deaths).toBeGreaterThanOrEqual(3);
    expect(deaths).toBeLessThanOrEqual(6);

    const [held] = await site.query<{ state: string; reason_code: string }>(
      `SELECT state, reason_code FROM file WHERE name = 'poison.csv'`,
    );
    expect(held).toEqual({ state: 'held', reason_code: 'POISON_FILE' });
    expect(await site.outputs('.held.csv')).toHaveLength(1);
    const [dir] = await readdir(quarantine);
    const reason = JSON.parse(await readFile(join(quarantine, dir!, 'reason.json'), 'utf8'));
    expect(reason).toMatchObject({ code: 'DROP_POISON', name: 'poison-seal.csv' });

    const good = await site.query<{ state: string }>(
      `SELECT b.state FROM file f JOIN batch b USING (file_id) WHERE name LIKE 'good-%'`,
    );
    expect(good).toHaveLength(GOOD);
    const bad = await site.query<{ name: string }>(`SELECT name FROM file WHERE state = 'rejected' ORDER BY name`);
    expect(bad.map(({ name }) => name)).toEqual(Object.keys(WORST).sort());
    expect(await site.query('SELECT * FROM reading')).toEqual([]);
  });
});

const WORST_COUNT = Object.keys(WORST).length;
