import { closeSync, openSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { readdir, readFile } from 'node:fs/promises';
import pg from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { agentCodeOf } from '../support/installation.ts';
import { startScriptedService } from '../support/scripted-service.ts';
import { findMountRefusal, mountSmallDisk, type SmallDisk } from '../support/small-disk.ts';
import { openCrashSite } from './support/crash-site.ts';
import type { Daemon } from '../support/daemon.ts';
import { openedForTests } from '../support/opened-for-tests.ts';
import { achRow, upTo } from '../support/payment-rows.ts';

describe('no room', () => {
  /**
   * The places where a call must be recorded cannot be written: nothing is sent, nothing is lost, and work goes on by
   * itself when they can. Full outputs: test/pipeline/full-disk.soak.test.ts.
   */

  const PATIENT = { timeout: 120_000, interval: 50 };
  const refusal = findMountRefusal();

  const service = openedForTests(startScriptedService);
  const site = openedForTests(() =>
    openCrashSite({
      accounts: ['journal', 'archive', 'notices', 'ledger'],
      serviceUrl: service.url,
      settings: { sweepMs: 200, rescanMs: 300, batch: { maxRows: 2 } },
    }),
  );
  let daemon: Daemon;
  const disks: SmallDisk[] = [];
  beforeAll(async () => {
    if (refusal === undefined)
      for (const place of ['data/journal', 'data/archive', 'out'])
        disks.push(mountSmallDisk(join(site.root, place), 256));
    daemon = site.start();
    await daemon.said(/paydrop is running/);
  });
  afterAll(async () => {
    await daemon?.kill();
    for (const disk of disks) disk.remove();
  });

  let mark = 0;
  beforeEach(() => {
    mark = daemon.lines.length;
  });

  /** Fills a disk to its last byte. Returns a function that makes room again. */
  function fill(place: string): () => void {
    const path = join(site.root, place, 'ballast');
    const file = openSync(path, 'w');
    for (const size of [4_096, 1]) writeUntilFull(file, Buffer.alloc(size));
    closeSync(file);
    return () => rmSync(path);
  }

  function writeUntilFull(file: number, block: Buffer): void {
    try {
      for (;;) writeSync(file, block);
    } catch {
      // The disk is full.
    }
  }

  function posts(account: string): number {
    return service.posts(agentCodeOf(account));
  }

  async function statesOf(account: string): Promise<string[]> {
    return (await site.batches(account)).map((batch) => batch.state);
  }

  describe('a disk that is full', () => {
    if (refusal !== undefined) {
      it(`WAS NOT TRIED with a real one, because none can be mounted here: ${refusal}`, () => {
        expect(refusal).toMatch(/permission|superuser|not permitted|denied|must be root/i);
      });
      return;
    }

    it('under the send journal: nothing is sent until there is room, then each batch once', async () => {
      const free = fill('data/journal');
      // The last block of the journal itself still had room.
      const own = openSync(join(site.root, 'data/journal/sends.jsonl'), 'a');
      writeUntilFull(own, Buffer.from('\n'));
      closeSync(own);
      await site.dropCharges('journal', 'june.csv', 4);
      const said = await daemon.said(/the intent to send could not be made durable/, mark);
      expect(said.msg).toContain('the disk is full');
      await daemon.said(/batch not submitted: nothing was sent/, mark);
      expect(posts('journal')).toBe(0);
      expect(await statesOf('journal')).toEqual(['ready', 'ready']);
      free();
      await expect.poll(() => statesOf('journal'), PATIENT).toEqual(['submitted', 'submitted']);
      expect(posts('journal')).toBe(2);
      const sent = await site.query<{ n: number }>(
        `SELECT count(*)::int AS n FROM attempt JOIN file USING (file_id) WHERE account = 'journal' AND verdict = 'submitted'`,
      );
      expect(sent).toEqual([{ n: 2 }]);
      expect(await site.stopOf('journal')).toBeUndefined();
    });

    it('under the archive: the drop waits where it is safe, and goes its way when there is room', async () => {
      const free = fill('data/archive');
      await site.dropCharges('archive', 'june.csv', 2);
      await daemon.said(/the disk is full/, mark);
      expect(await site.query(`SELECT 1 FROM file WHERE account = 'archive'`)).toEqual([]);
      free();
      await expect.poll(() => statesOf('archive'), PATIENT).toEqual(['submitted']);
      expect(posts('archive')).toBe(1);
    });

    it('under the outputs, or mounted for reading only: the payment is made once, the notice follows', async () => {
      const free = fill('out');
      await site.dropCharges('notices', 'june.csv', 2);
      await expect.poll(() => statesOf('notices'), PATIENT).toEqual(['submitted']);
      await daemon.said(/work failed/, mark);
      const out = disks.at(-1)!;
      free();
      // Refused while a file on it is open for writing, such as the notice that has room now.
      await vi.waitFor(() => out.protect(true), PATIENT);
      await site.dropCharges('notices', 'july.csv', 2);
      await expect.poll(() => statesOf('notices'), PATIENT).toEqual(['submitted', 'submitted']);
      expect((await site.outputs('.ack.csv')).filter((name) => name.startsWith('july'))).toEqual([]);
      out.protect(false);
      await expect
        .poll(async () => (await site.outputs('.ack.csv')).filter((name) => /^ju(ne|ly)/.test(name)).length, PATIENT)
        .toBeGreaterThanOrEqual(4);
      expect(posts('notices')).toBe(2);
    });
  });

  describe('a ledger that takes no writes', () => {
    it('takes nothing in and sends nothing; when it does again, everything goes on', async () => {
      await setReadOnly(true);
      await site.dropCharges('ledger', 'june.csv', 4);
      await daemon.said(/read-only transaction/, mark);
      expect(await site.query(`SELECT 1 FROM file WHERE account = 'ledger'`)).toEqual([]);
      expect(posts('ledger')).toBe(0);
      await setReadOnly(false);
      await expect.poll(() => statesOf('ledger').catch(() => []), PATIENT).toEqual(['submitted', 'submitted']);
      expect(posts('ledger')).toBe(2);
    });
  });

  /** Makes the database read-only, as when it is short of space or no longer the primary, and ends all sessions. */
  async function setReadOnly(isReadOnly: boolean): Promise<void> {
    const [database] = /test_\w+/.exec(site.databaseUrl)!;
    const admin = new pg.Client({ connectionString: site.databaseUrl.replace(/\/test_\w+/, '/postgres') });
    await admin.connect();
    await admin.query(`ALTER DATABASE ${database} SET default_transaction_read_only = ${isReadOnly ? 'on' : 'off'}`);
    await admin.query('SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1', [database]);
    await admin.end();
  }
});

describe('files that end every process that reads them', () => {
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
      while (!isDead && !(await isDone()))
        await Promise.race([death, new Promise((resolve) => setTimeout(resolve, 50))]);
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

  const WORST_COUNT = Object.keys(WORST).length;
});
