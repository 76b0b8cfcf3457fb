import { randomBytes } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { tmpdir } from 'node:os';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Ledger } from '../../src/ledger/engine/open-ledger.ts';
import { readKeyUses } from '../../src/ledger/key/master-keys.ts';
import { upTo } from '../support/payment-rows.ts';
import { redisVerdict, startTestRedis } from '../support/redis.ts';
import { type CrashSite, openCrashSite } from './support/crash-site.ts';
import { openedForTests } from '../support/opened-for-tests.ts';
import type { BookRow } from '../../src/sandbox/books/book-row.ts';
import { buildProgram } from '../support/build-program.ts';
import { agentCodeOf, PASSWORD } from '../support/installation.ts';
import { startDaemon } from '../support/daemon.ts';

describe('a process that is killed while all rows are open', () => {
  const BATCHES_EACH = 5;
  const ROWS_A_BATCH = 500;
  const names = upTo(4).map((n) => `account-${n}`);
  const batches = names.length * BATCHES_EACH;
  const rows = batches * ROWS_A_BATCH;

  const sandbox = openedForTests(() => startSandboxProcess(names));
  const site = openedForTests(() =>
    openCrashSite({
      accounts: names,
      serviceUrl: sandbox.url,
      account: { poll: { firstMs: 200, factor: 1.5, longestMs: 2_000 } },
      settings: { rescanMs: 300, batch: { maxRows: ROWS_A_BATCH } },
    }),
  );

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
    for (const account of names) await site.dropCharges(account, 'june.csv', BATCHES_EACH * ROWS_A_BATCH);
    await expectBatches('ready');
    await first.kill();
    await site.query('DELETE FROM account_stop');

    const second = site.start();
    await second.said(/paydrop is running/);
    await expectBatches('reconciled');
    const books = await sandbox.books();
    expect(books).toHaveLength(rows);
    expect(new Set(books.map((row) => row.invoice)).size).toBe(rows);
  }, 180_000);
});

/** Lets two processes share folders, accounts, ledger and queue; a third keeps the books that judge them. */
describe('two processes on the same folders and accounts', () => {
  const FILES = 2;
  const BATCHES_A_FILE = 15;
  const ROWS_A_BATCH = 2;
  const verdict = redisVerdict();
  it(verdict.sentence, () => expect(verdict.isFine).toBe(true));
  const queues = verdict.isInstalled ? ['postgres', 'redis'] : ['postgres'];
  const sandbox = openedForTests(() => startSandboxProcess(queues.flatMap(accountsOf)));

  /** Gives each queue accounts of its own, so that the books tell them apart. */
  function accountsOf(queue: string): string[] {
    return ['north', 'east', 'south', 'west'].map((name) => `${name}-${queue}`);
  }

  async function openSite(queue: string): Promise<CrashSite> {
    const redis = queue === 'redis' ? await startTestRedis() : undefined;
    const site = await openCrashSite({
      accounts: accountsOf(queue),
      serviceUrl: sandbox.url,
      // With one hand each, neither can take all accounts.
      settings: { sweepMs: 500, rescanMs: 300, batch: { maxRows: ROWS_A_BATCH }, concurrency: { submit: 1 } },
      ...(redis && { env: { REDIS_URL: redis.url } }),
    });
    onTestFinished(async () => {
      await site.close();
      await redis?.stop();
    });
    return site;
  }

  it.each(queues)(
    'send each batch exactly once and in order, over a queue in %s',
    async (queue) => {
      const site = await openSite(queue);
      const accounts = accountsOf(queue);
      const batches = accounts.length * FILES * BATCHES_A_FILE;
      for (const account of accounts)
        for (const n of upTo(FILES)) await site.dropCharges(account, `${n}.csv`, BATCHES_A_FILE * ROWS_A_BATCH);
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
      expect(workers).toHaveLength(2);
    },
    120_000,
  );
});

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

const PRELOAD = 'test/crash/support/die-at-commit.ts';

/**
 * The commits at which the command dies: the first makes the new key current, the second rewraps keys that outlive
 * files, the third those of the files.
 */
const DEATHS = ['commit.before 1', 'commit.after 1', 'commit.after 2', 'commit.before 3', 'commit.after 3'];

/** Changes the master key while a daemon works through files, with a command that is killed on its way. */
describe('paydrop key rotate beside a daemon', () => {
  const service = openedForTests(() => startSandboxProcess(['main']));
  const site = openedForTests(() =>
    openCrashSite({
      accounts: ['main'],
      serviceUrl: service.url,
      account: { poll: { firstMs: 50, factor: 1, longestMs: 100 } },
      settings: { sweepMs: 300, rescanMs: 300 },
    }),
  );

  const keyFile = () => join(site.root, 'data/master.key');
  const keysInFile = async () => (await readFile(keyFile(), 'utf8')).trim().split('\n');
  const uses = async () => {
    const pool = { query: async (sql: string) => ({ rows: await site.query(sql) }) };
    return (await readKeyUses({ pool } as unknown as Ledger)).filter((use) => use.files + use.others > 0);
  };

  async function run(words: string[], env: Record<string, string> = {}, preload: string[] = []) {
    return site.start({ words, env, preload }).ended;
  }

  async function completed(files: number): Promise<void> {
    const count = async () =>
      (await site.query<{ n: number }>(`SELECT count(*)::int AS n FROM file WHERE state = 'completed'`))[0]!.n;
    await expect.poll(count, { interval: 50 }).toBe(files);
  }

  it('killed at any commit, done again: every key is wrapped by the new one, and the daemon never stops for it', async () => {
    await site.dropCharges('main', 'first.csv', 4);
    const daemon = site.start();
    await daemon.said(/paydrop is running/);
    await completed(1);
    let files = 1;
    for (const dieAt of DEATHS) {
      const before = (await keysInFile()).length;
      const name = `at ${dieAt}.csv`;
      await site.dropCharges('main', name, 3);
      expect(await run(['key', 'rotate'], { DIE_AT: dieAt }, [PRELOAD]), dieAt).toBe('SIGKILL');
      files += 1;
      await completed(files);
      expect(await run(['key', 'rotate']), dieAt).toBe(0);
      const keys = await keysInFile();
      // Repeated after its last commit, it cannot know that it was killed, and changes the key once more.
      expect(keys.length - before, dieAt).toBeLessThanOrEqual(2);
      expect(await uses(), dieAt).toHaveLength(1);
    }
    expect(daemon.lines.filter((line) => line['code'] === 'MASTER_KEY_WRONG')).toEqual([]);
    const booked = (await service.books()).map((row) => row.invoice);
    expect(new Set(booked).size).toBe(booked.length);
    expect(booked).toHaveLength(4 + DEATHS.length * 3);
    daemon.signal('SIGTERM');
    expect(await daemon.ended).toBe(0);
  }, 240_000);

  it('does not start with keys that are all wrong, says which key it needs, and changes nothing', async () => {
    const right = await readFile(keyFile(), 'utf8');
    const [used] = await uses();
    const wrong = [1, 2].map(() => `${randomBytes(32).toString('base64')}\n`).join('');
    await writeFile(keyFile(), wrong, { mode: 0o600 });
    const daemon = site.start();
    expect((await daemon.said(/needs master key/)).msg).toContain(used!.id);
    expect(await daemon.ended).toBe(5);
    expect(await run(['key', 'rotate'])).toBe(5);
    expect(await readFile(keyFile(), 'utf8')).toBe(wrong);
    expect(await uses()).toEqual([used]);
    await writeFile(keyFile(), right, { mode: 0o600 });
    expect(await run(['rebuild-outputs', 'first.csv'])).toBe(0);
  }, 60_000);
});

/** The payment service as a process of its own, so that nothing that happens to the others touches its books. */
type SandboxProcess = {
  readonly url: string;
  /** Returns every row that it took, in order. */
  books(): Promise<BookRow[]>;
  close(): Promise<void>;
};

async function startSandboxProcess(accounts: readonly string[]): Promise<SandboxProcess> {
  const root = await mkdtemp(join(tmpdir(), 'paydrop-books-'));
  const codes = accounts.map((name) => `${agentCodeOf(name)}:${PASSWORD}`).join(',');
  const program = await buildProgram();
  const process = startDaemon({
    program,
    root,
    words: ['sandbox', '--port', '0', '--accounts', codes, '--batch-delay', '50'],
  });
  const { msg } = await process.said(/The sandbox listens on/);
  const [url = ''] = /http:\/\/[\d.:]+\d/.exec(msg) ?? [];
  return {
    url,
    books: async () => {
      const text = await (await fetch(`${url}/sandbox/books`)).text();
      return text
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => JSON.parse(line) as BookRow);
    },
    close: async () => {
      await process.kill();
      await program.remove();
      await rm(root, { recursive: true, force: true });
    },
  };
}
