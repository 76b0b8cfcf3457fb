import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Workers } from '../../../../workers/main.ts';
import { ALL_ACCOUNTS } from '../../../../src/ledger/account/pause-account.ts';
import { resumeAccount } from '../../../../src/ledger/account/resume-account.ts';
import { verifyAudit } from '../../../../src/ledger/file/search.ts';
import { achRow, cardRow, codeRow, lines, upTo } from '../../../support/payment-rows.ts';
import { type DeskWorld, openDeskWorld } from '../../support/desk-world.ts';
import { clickAtRandom } from './random-clicks.ts';

/** How many clicks with each seed, and how many files come meanwhile. */
export type ClickPlan = {
  actions: number;
  files: number;
  seeds: readonly { which: string; seed: number }[];
  /**
   * At least so many kinds of deeds were done, clicks were refused and rows were charged, or the clicks did not get
   * anywhere. What a short run gets to is chance.
   */
  least: { deeds: number; refusals: number; charges: number };
};

export function testClicks({ actions, files, seeds, least }: ClickPlan): void {
  let world: DeskWorld;
  let workers: Workers;
  let dropped = 0;
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

  /** Whoever pauses an account at random leaves it so. */
  async function resumeAll(): Promise<void> {
    for (const account of ['main', ALL_ACCOUNTS])
      await resumeAccount(world.app.ledger, account, { actor: 'operator:test', reason: 'go on' });
  }

  function chargedInvoices(): string[] {
    const charged = ['approved', 'accepted_pending'];
    return world.sandbox.books().flatMap(({ outcome, invoice }) => (charged.includes(outcome) ? [invoice] : []));
  }

  /** Half way a batch is in doubt, which stops its account until somebody says what became of it. */
  async function dropFiles(): Promise<void> {
    for (const n of upTo(files)) {
      if (n === Math.ceil(files / 2))
        world.sandbox.faults.plan({ kind: 'booked-then-reset', operation: 'processCreditCardBatch' });
      await resumeAll();
      dropped += 1;
      await dropFile(world, dropped);
      const name = `clicked-${dropped}.csv`;
      await expect.poll(() => world.states(), { timeout: 60_000 }).toHaveProperty([name]);
    }
  }

  it.each(seeds)(
    'whatever several people click while payments run, nothing is sent twice and no page fails: $which',
    async ({ seed }) => {
      const [{ statuses, faults }] = await Promise.all([clickAtRandom(world, { actions, seed }), dropFiles()]);
      const about = `clicks of seed ${seed}`;
      expect(faults, about).toEqual([]);
      // They did get somewhere: pages were seen, deeds were done, and others were refused.
      expect(statuses[200], about).toBeGreaterThan(actions / 4);
      expect(statuses[403] ?? 0, about).toBeGreaterThanOrEqual(least.refusals);
      const { rows: done } = await world.app.ledger.pool.query<{ move: string; times: number }>(
        `SELECT move, count(*) AS times FROM audit WHERE actor LIKE 'operator:%' AND reason LIKE '%clicked at random%' GROUP BY move`,
      );
      expect(done.length, about).toBeGreaterThanOrEqual(least.deeds);
      await resumeAll();
      await expect.poll(() => chargedInvoices().length, { message: about }).toBeGreaterThanOrEqual(least.charges);
      const invoices = chargedInvoices();
      expect(invoices.length, about).toBe(new Set(invoices).size);
      expect(await verifyAudit(world.app.ledger), about).toBeUndefined();
    },
    600_000,
  );
}

/** A file of ten rows of its own; some have faults, refunds wait for two persons. */
async function dropFile(world: DeskWorld, n: number): Promise<void> {
  const numbers = upTo(10).map((row) => 100 * n + row);
  const kinds = [
    ['card', numbers.map((row) => cardRow(row, row % 10 === 3 ? { amount: '$1' } : {}))],
    ['ach-charge', numbers.map((row) => achRow(row))],
    ['ach-refund', numbers.map((row) => codeRow(row, { invoice: `R-${row}`, amount: '-5.00' }))],
  ] as const;
  const [folder, rows] = kinds[n % kinds.length]!;
  await world.drop(folder, `clicked-${n}.csv`, lines(rows));
}
