import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { upTo } from '../../support/payment-rows.ts';
import { startTestRedis } from '../../support/redis.ts';
import { type CrashSite, openCrashSite } from './crash-site.ts';
import { type SandboxProcess, startSandboxProcess } from './sandbox-process.ts';

export type SharingPlan = {
  queues: readonly string[];
  accounts: readonly string[];
  files: number;
  batchesAFile: number;
};

const ROWS_A_BATCH = 2;

/** Lets two processes share folders, accounts, ledger and queue; a third keeps the books that judge them. */
export function testSharing({ queues, accounts: names, files, batchesAFile }: SharingPlan): void {
  let folder: string;
  let sandbox: SandboxProcess;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'paydrop-books-'));
    sandbox = await startSandboxProcess(folder, queues.flatMap(accountsOf));
  });
  afterAll(async () => {
    await sandbox?.close();
    await rm(folder, { recursive: true, force: true });
  });

  /** Gives each queue accounts of its own, so that the books tell them apart. */
  function accountsOf(queue: string): string[] {
    return names.map((name) => `${name}-${queue}`);
  }

  async function openSite(queue: string): Promise<CrashSite> {
    const redis = queue === 'redis' ? await startTestRedis() : undefined;
    const site = await openCrashSite({
      accounts: accountsOf(queue),
      serviceUrl: sandbox.url,
      settings: { sweepMs: 500, rescanMs: 300, batch: { maxRows: ROWS_A_BATCH } },
      ...(redis && { env: { REDIS_URL: redis.url } }),
    });
    onTestFinished(async () => {
      await site.close();
      await redis?.stop();
    });
    return site;
  }

  describe('two processes on the same folders and accounts', () => {
    it.each(queues)(
      'send each batch exactly once and in order, over a queue in %s',
      async (queue) => {
        const site = await openSite(queue);
        const accounts = accountsOf(queue);
        const batches = accounts.length * files * batchesAFile;
        for (const account of accounts)
          for (const n of upTo(files)) await site.dropCharges(account, `${n}.csv`, batchesAFile * ROWS_A_BATCH);
        const processes = [site.start(), site.start()];
        await Promise.all(processes.map((process) => process.said(/paydrop is running/)));
        await expect.poll(() => countSubmitted(site), { interval: 50 }).toBe(batches);
        for (const process of processes) process.signal('SIGTERM');
        expect(await Promise.all(processes.map((process) => process.ended))).toEqual([0, 0]);

        const books = (await sandbox.books()).filter((row) => row.invoice.includes(`-${queue}-`));
        const rows = batches * ROWS_A_BATCH;
        expect(books).toHaveLength(rows);
        expect(new Set(books.map((row) => row.invoice)).size).toBe(rows);
        expect(books.filter((row) => !row.charged)).toEqual([]);
        for (const account of accounts) {
          const invoices = books.map((row) => row.invoice).filter((invoice) => invoice.startsWith(`${account}-`));
          for (const file of await invoicesOfFiles(site, account))
            expect(invoices.filter((invoice) => file.includes(invoice))).toEqual(file);
        }
        const workers = await site.query<{ worker: string }>('SELECT DISTINCT worker FROM attempt');
        // With few batches, one process may send all before the other gets its turn.
        if (batches >= MANY) expect(workers).toHaveLength(2);
      },
      120_000,
    );
  });
}

const MANY = 100;

async function countSubmitted(site: CrashSite): Promise<number> {
  const rows = await site.query(`SELECT 1 FROM batch WHERE state = 'submitted'`).catch(() => []);
  return rows.length;
}

/**
 * Returns the invoices of each file, batch by batch and line by line. The file accepted first goes first; when two
 * processes read, that need not be the file claimed first.
 */
async function invoicesOfFiles(site: CrashSite, account: string): Promise<string[][]> {
  const files = await site.query<{ invoices: string[] }>(
    `SELECT array_agg(invoice ORDER BY batch_no, line) AS invoices FROM payment_row JOIN file USING (file_no)
     WHERE account = $1 GROUP BY file_no`,
    [account],
  );
  return files.map(({ invoices }) => invoices);
}
