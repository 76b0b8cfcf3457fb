import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { upTo } from '../../support/payment-rows.ts';
import { type CrashSite, openCrashSite } from './crash-site.ts';
import { type SandboxProcess, startSandboxProcess } from './sandbox-process.ts';

export type RecoveryPlan = { accounts: number; batchesEach: number; rowsABatch: number };

/** Kills a process while all rows are open; the next one must complete them. */
export function testRecovery({ accounts, batchesEach, rowsABatch }: RecoveryPlan): void {
  const names = upTo(accounts).map((n) => `account-${n}`);
  const batches = accounts * batchesEach;
  const rows = batches * rowsABatch;

  let folder: string;
  let sandbox: SandboxProcess;
  let site: CrashSite;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'paydrop-books-'));
    sandbox = await startSandboxProcess(folder, names);
    site = await openCrashSite({
      accounts: names,
      serviceUrl: sandbox.url,
      account: { poll: { firstMs: 200, factor: 1.5, longestMs: 2_000 } },
      settings: { rescanMs: 300, batch: { maxRows: rowsABatch } },
    });
  });
  afterAll(async () => {
    await site?.close();
    await sandbox?.close();
    await rm(folder, { recursive: true, force: true });
  });

  async function expectBatches(state: string): Promise<void> {
    const states = () => site.query<{ state: string }>('SELECT state FROM batch').catch(() => []);
    const count = async () => (await states()).filter((batch) => batch.state === state).length;
    await expect.poll(count, { interval: 50 }).toBe(batches);
  }

  it(`a start after a kill with ${rows} open rows brings all of them to their end, each charged once`, async () => {
    const first = site.start();
    await first.said(/paydrop is running/);
    // The kill must find every row open and no call in progress, which would end in doubt instead of a result.
    await site.query(`INSERT INTO account_stop (account, reason, since) SELECT unnest($1::text[]), 'to see', now()`, [
      names,
    ]);
    for (const account of names) await site.dropCharges(account, 'june.csv', batchesEach * rowsABatch);
    await expectBatches('ready');
    first.signal('SIGKILL');
    await first.ended;
    await site.query('DELETE FROM account_stop');

    const second = site.start();
    await second.said(/paydrop is running/);
    await expectBatches('reconciled');
    const books = await sandbox.books();
    expect(books).toHaveLength(rows);
    expect(new Set(books.map((row) => row.invoice)).size).toBe(rows);
  }, 180_000);
}
