import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Workers } from '../../../workers/main.ts';
import { ALL_ACCOUNTS } from '../../../src/ledger/moves/pause-account.ts';
import { resumeAccount } from '../../../src/ledger/moves/resume-account.ts';
import { verifyAudit } from '../../../src/ledger/queries/search.ts';
import { achRow, cardRow, codeRow, lines, upTo } from '../../support/payment-rows.ts';
import { type DeskWorld, openDeskWorld } from '../support/desk-world.ts';
import { clickAtRandom } from './support/random-clicks.ts';

/** How many clicks, and how many files come meanwhile. */
const ACTIONS = 5_000;
const FILES = 60;
const SEED = 20_261_122;

let world: DeskWorld;
let workers: Workers;
beforeAll(async () => {
  world = await openDeskWorld({
    account: { secondPerson: { refunds: true, overrides: false, resolutions: true } },
    settings: { batch: { maxRows: 4 } },
    sandbox: { refundsMayExceed: true },
  });
  workers = await world.start();
});
afterAll(async () => {
  await workers.stop();
  await world.close();
});

/** A file of ten rows of its own; some have faults, refunds wait for two persons. */
async function dropFile(n: number): Promise<void> {
  const numbers = upTo(10).map((row) => 100 * n + row);
  const kinds = [
    ['card', numbers.map((row) => cardRow(row, row % 10 === 3 ? { amount: '$1' } : {}))],
    ['ach-charge', numbers.map((row) => achRow(row))],
    ['ach-refund', numbers.map((row) => codeRow(row, { invoice: `R-${row}`, amount: '-5.00' }))],
  ] as const;
  const [folder, rows] = kinds[n % kinds.length]!;
  await world.drop(folder, `clicked-${n}.csv`, lines(rows));
}

it('whatever several people click while payments run, nothing is sent twice and no page fails', async () => {
  const dropping = (async () => {
    for (const n of upTo(FILES)) {
      // Half way a batch is in doubt, which stops its account until somebody says what became of it.
      if (n === FILES / 2)
        world.sandbox.faults.plan({ kind: 'booked-then-reset', operation: 'processCreditCardBatch' });
      // Whoever pauses an account at random leaves it so.
      for (const account of ['main', ALL_ACCOUNTS])
        await resumeAccount(world.app.ledger, account, { actor: 'operator:test', reason: 'go on' });
      await dropFile(n);
      await expect.poll(() => world.states(), { timeout: 60_000 }).toHaveProperty(`clicked-${n}.csv`);
    }
  })();
  const [{ statuses, faults }] = await Promise.all([clickAtRandom(world, { actions: ACTIONS, seed: SEED }), dropping]);
  expect(faults).toEqual([]);
  // They did get somewhere: pages were seen, deeds were done, and others were refused.
  expect(statuses[200]).toBeGreaterThan(ACTIONS / 4);
  expect(statuses[403]).toBeGreaterThan(0);
  const { rows: deeds } = await world.app.ledger.pool.query<{ move: string; times: number }>(
    `SELECT move, count(*) AS times FROM audit WHERE actor LIKE 'operator:%' AND reason LIKE '%clicked at random%' GROUP BY move`,
  );
  expect(deeds.length).toBeGreaterThan(5);
  const charged = world.sandbox
    .books()
    .filter(({ outcome }) => outcome === 'approved' || outcome === 'accepted_pending');
  const invoices = charged.map(({ invoice }) => invoice);
  expect(invoices.length).toBeGreaterThan(50);
  expect(invoices.length).toBe(new Set(invoices).size);
  expect(await verifyAudit(world.app.ledger)).toBeUndefined();
}, 600_000);
