import { randomInt } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Workers } from '../../../workers/main.ts';
import { ALL_ACCOUNTS, resumeAccount } from '../../../src/ledger/account/pause-account.ts';
import { verifyAudit } from '../../../src/ledger/overview/verify-audit.ts';
import { achRow, cardRow, codeRow, lines, upTo } from '../../support/payment-rows.ts';
import { dashboardForTests, type DashboardWorld } from '../support/dashboard-world.ts';
import { startWorker } from '../../support/daemon.ts';
import { clickAtRandom } from './support/random-clicks.ts';

testClicks({
  actions: 5_000,
  files: 30,
  seeds: [{ which: 'the same in every run, while the workers are killed again and again', seed: 20_261_122 }],
  least: { actions: 6, refusals: 1, charges: 10 },
  start: startMortal,
});
testClicks({
  actions: 1_000,
  files: 12,
  seeds: [{ which: 'what nobody has clicked before', seed: randomInt(1, 2 ** 31) }],
  least: { actions: 3, refusals: 1, charges: 4 },
  start: (world) => world.start(),
});

/** How many clicks each seed makes, and how many files arrive meanwhile. */
type ClickPlan = {
  actions: number;
  files: number;
  seeds: readonly { which: string; seed: number }[];
  /**
   * Least kinds of actions done, clicks refused and rows charged; fewer mean that the clicks got nowhere. What a short
   * run reaches is chance, and so is which call a kill leaves in doubt, behind which all later batches wait.
   */
  least: { actions: number; refusals: number; charges: number };
  start: (world: DashboardWorld) => Promise<Pick<Workers, 'stop'>>;
};

function testClicks({ actions, files, seeds, least, start }: ClickPlan): void {
  const world = dashboardForTests({
    account: { secondPerson: { refunds: true, overrides: false, resolutions: true } },
    settings: { batch: { maxRows: 4 } },
    sandbox: { refundsMayExceed: true },
  });
  let workers: Pick<Workers, 'stop'>;
  let dropped = 0;
  beforeAll(async () => {
    workers = await start(world);
  });
  afterAll(() => workers.stop());

  /** Undoes the pauses that random clicks leave behind. */
  async function resumeAll(): Promise<void> {
    for (const account of ['main', ALL_ACCOUNTS])
      await resumeAccount(world.app.ledger, account, { actor: 'operator:test', reason: 'go on' });
  }

  function chargedInvoices(): string[] {
    const charged = ['approved', 'accepted_pending'];
    return world.sandbox.books().flatMap(({ outcome, invoice }) => (charged.includes(outcome) ? [invoice] : []));
  }

  /** Drops the files. Halfway a batch goes in doubt, which stops its account until a user resolves it. */
  async function dropFiles(): Promise<void> {
    for (const n of upTo(files)) {
      if (n === Math.ceil(files / 2))
        world.sandbox.faults.plan({ kind: 'booked-then-reset', operation: 'processCreditCardBatch' });
      await resumeAll();
      dropped += 1;
      await dropFile(world, dropped);
      const name = `clicked-${dropped}.csv`;
      await expect.poll(() => world.states()).toHaveProperty([name]);
    }
  }

  it.each(seeds)(
    'whatever several people click while payments run, nothing is sent twice and no page fails: $which',
    async ({ seed }) => {
      const [{ statuses, faults, slowest }] = await Promise.all([clickAtRandom(world, { actions, seed }), dropFiles()]);
      const about = `clicks of seed ${seed}, the slowest: ${slowest.says} in ${Math.round(slowest.ms)} ms`;
      expect(faults, about).toEqual([]);
      // The clicks got somewhere: pages were shown, actions done, others refused.
      expect(statuses[200], about).toBeGreaterThan(actions / 4);
      expect(statuses[403] ?? 0, about).toBeGreaterThanOrEqual(least.refusals);
      const { rows: done } = await world.app.ledger.pool.query<{ move: string; times: number }>(
        `SELECT move, count(*) AS times FROM audit WHERE actor LIKE 'operator:%' AND reason LIKE '%clicked at random%' GROUP BY move`,
      );
      expect(done.length, about).toBeGreaterThanOrEqual(least.actions);
      await resumeAll();
      await expect.poll(() => chargedInvoices().length, { message: about }).toBeGreaterThanOrEqual(least.charges);
      const invoices = chargedInvoices();
      expect(invoices.length, about).toBe(new Set(invoices).size);
      expect((await verifyAudit(world.app.ledger)).brokenAt, about).toBeUndefined();
    },
    1_200_000,
  );
}

/** Drops a file of ten new rows; some have faults, and refunds need two people. */
async function dropFile(world: DashboardWorld, n: number): Promise<void> {
  const numbers = upTo(10).map((row) => 100 * n + row);
  const kinds = [
    ['card', numbers.map((row) => cardRow(row, row % 10 === 3 ? { amount: '$1' } : {}))],
    ['ach-charge', numbers.map((row) => achRow(row))],
    ['ach-refund', numbers.map((row) => codeRow(row, { invoice: `R-${row}`, amount: '-5.00' }))],
  ] as const;
  const [folder, rows] = kinds[n % kinds.length]!;
  await world.drop(folder, `clicked-${n}.csv`, lines(rows));
}

/** Runs the workers in a process of their own, kills it after some seconds without warning, and starts the next one. */
async function startMortal(world: DashboardWorld): Promise<Pick<Workers, 'stop'>> {
  const end = new AbortController();
  const live = async () => {
    while (!end.signal.aborted) {
      const worker = await startWorker(world);
      await sleep(randomInt(2_000, 6_000), undefined, { signal: end.signal }).catch(() => {});
      await worker.kill();
    }
  };
  const lives = live();
  return {
    stop: async () => {
      end.abort();
      await lives;
    },
  };
}
