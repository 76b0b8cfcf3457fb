import { randomBytes } from 'node:crypto';
import { copyFile, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { lastDrill } from '../../../src/cli/doctor/work.ts';
import { verifyRestored } from '../../../src/cli/doctor/restored.ts';
import { findKeyPlace } from '../../../src/crypto/key-place.ts';
import { openKeyRing, signerOf } from '../../../src/crypto/key-ring.ts';
import { handClock, systemClock } from '../../../src/kernel/clock.ts';
import { silentLog } from '../../../src/kernel/log.ts';
import { admit } from '../../../src/ledger/admission/admit.ts';
import { openSendJournal } from '../../../src/ledger/admission/send-journal.ts';
import {
  countTables,
  countUnevenBatches,
  readLedgerSums,
  refusesToSend,
  withScratchFolder,
  withScratchLedger,
} from '../../../src/ledger/backup/scratch-ledger.ts';
import { readBackup } from '../../../src/ledger/backup/read-backup.ts';
import { writeBackup } from '../../../src/ledger/backup/write-backup.ts';
import type { Ledger } from '../../../src/ledger/engine/open-ledger.ts';
import { readCurrentKeyId } from '../../../src/ledger/key/master-keys.ts';
import { signRoot } from '../../../src/ledger/overview/verify-audit.ts';
import { chooseMasterKey } from '../../../workers/watch/take-claim.ts';
import { achRow, cardRow, lines, upTo } from '../../support/payment-rows.ts';
import { openedForTests } from '../../support/opened-for-tests.ts';
import { openCliWorld } from '../support/cli-world.ts';
import { forceSql } from '../../support/force-sql.ts';
import { openTestPool } from '../../support/postgres.ts';

const world = openedForTests(() => openCliWorld({ settings: { batch: { maxRows: 2 } } }));
let kept = '';

beforeAll(async () => {
  await world.drop('card', 'cards.csv', lines(upTo(3).map((n) => cardRow(n))));
  await world.drop('ach-charge', 'twice.csv', lines([achRow(1), achRow(1)]));
  await world.finish();
  // A root that a sweep may not have signed yet.
  const { app } = world;
  await signRoot(app.ledger, signerOf(chooseMasterKey(app, await readCurrentKeyId(app.ledger))));
  kept = join(world.root, 'kept.backup');
  await writeBackup(world.app.ledger, kept);
});

type Report = {
  worst: string;
  backup: { path: string | null; isNew: boolean; rows: number; sha256: string };
  scratch: { on: string; bytes: number };
  seconds: Record<string, number>;
  checks: { name: string; findings: { level: string; found: string }[] }[];
  sums: { what: string; account: string; state: string; count: number; total: string }[];
};

async function drilled(...words: string[]): Promise<{ status: number; report: Report }> {
  const { status, out, err } = await world.paydrop('drill', '--json', ...words);
  expect(err).toBe('');
  return { status, report: JSON.parse(out) as Report };
}

/** Returns the check that is not well. */
function notWell({ checks }: Report): string[] {
  return checks.flatMap(({ name, findings }) => findings.flatMap(({ level }) => (level === 'ok' ? [] : [name])));
}

async function leftOver(): Promise<string[]> {
  const { rows } = await world.app.ledger.pool.query<{ name: string }>(
    `SELECT datname AS name FROM pg_database WHERE starts_with(datname, 'paydrop_drill_' ||
       (SELECT oid FROM pg_database WHERE datname = current_database())::text)`,
  );
  const folders = (await readdir(world.settings.paths.data)).filter((name) => name.startsWith('drill-'));
  return [...folders, ...rows.map(({ name }) => name)];
}

const lookAtLast = () => lastDrill.look({ settings: world.settings, env: {}, clock: systemClock } as never);

describe('drill', () => {
  it('restores a new backup on a server of its own, keeps the file, and leaves nothing else', async () => {
    expect(await lookAtLast()).toMatchObject([{ level: 'ok', found: expect.stringContaining('none was run here') }]);
    const before = await countLinks();
    const made = join(world.root, 'made.backup');
    const { status, report } = await drilled('--to', made);
    expect([status, report.worst, notWell(report)]).toEqual([0, 'ok', []]);
    expect(report.backup).toMatchObject({ path: made, isNew: true, sha256: (await readBackup(made)).sha256 });
    expect(report.scratch).toMatchObject({ on: 'folder', bytes: expect.any(Number) });
    expect(report.sums).toContainEqual({
      what: 'outcomes',
      account: 'main',
      state: 'approved',
      count: 3,
      total: '75.00',
    });
    expect(report.checks.map(({ name }) => name)).toEqual([
      'Tables',
      'Sums',
      'Audit trail',
      'Keys',
      'Originals',
      'Sending',
      'Archives',
    ]);
    expect(await leftOver()).toEqual([]);
    expect(await countLinks(), 'the ledger is only read').toBe(before);
    expect(await lookAtLast()).toMatchObject([{ level: 'ok', found: expect.stringContaining('the backup was whole') }]);
    const late = handClock(new Date(Date.now() + 40 * 86_400_000).toISOString());
    expect(await lastDrill.look({ settings: world.settings, env: {}, clock: late } as never)).toMatchObject([
      { level: 'warn', found: expect.stringContaining('more than 35 days ago') },
    ]);
  });

  it('says it in words, from a backup that is there', async () => {
    const { status, out } = await world.paydrop('drill', '--from', kept, '--on-server');
    expect(status).toBe(0);
    for (const words of ['All is well.', '75.00', kept, 'the server of DATABASE_URL', 'refuses every call'])
      expect(out).toContain(words);
    expect(await leftOver()).toEqual([]);
  });

  it('refuses a damaged backup before anything is restored', async () => {
    const bytes = await readFile(kept);
    bytes[bytes.length >> 1]! ^= 1;
    await writeFile(join(world.root, 'damaged.backup'), bytes);
    const { status, err } = await world.paydrop('drill', '--from', join(world.root, 'damaged.backup'));
    expect([status, err]).toEqual([5, expect.stringMatching(/^Cannot use the backup .*Take another backup/)]);
    expect(await leftOver()).toEqual([]);
    expect(await lookAtLast()).toMatchObject([{ level: 'bad', found: expect.stringContaining('BACKUP_BROKEN') }]);
  });

  it('finds that the master key is another one', async () => {
    vi.stubEnv('PAYDROP_MASTER_KEY', randomBytes(32).toString('base64'));
    onTestFinished(() => void vi.stubEnv('PAYDROP_MASTER_KEY', undefined));
    const { status, report } = await drilled('--from', kept, '--on-server');
    expect([status, report.worst, notWell(report)]).toEqual([5, 'bad', ['Audit trail', 'Keys']]);
    expect(await leftOver()).toEqual([]);
  });

  it('finds a missing original, and only warns of it where it may have been destroyed since', async () => {
    const { rows } = await world.app.ledger.pool.query<{ archive: string }>(
      `SELECT archive FROM file ORDER BY file_no`,
    );
    const original = join(world.settings.paths.archive, rows[0]!.archive);
    const bytes = await readFile(original);
    await rm(original);
    const [fresh, older] = [await drilled('--on-server'), await drilled('--on-server', '--from', kept)];
    await writeFile(original, bytes, { mode: 0o600 });
    expect([fresh.status, fresh.report.worst, notWell(fresh.report)]).toEqual([5, 'bad', ['Originals']]);
    expect([older.status, older.report.worst, notWell(older.report)]).toEqual([0, 'warn', ['Originals']]);
  });

  it('finds that an archive of rows is not there', async () => {
    await forceSql(
      world.app,
      `INSERT INTO row_archive (name, host, account, made_at, sha256, bytes) VALUES ('rows/2026/1.sealed', $1, 'main', now(), $2, 1)`,
      [world.app.ledger.instance.host, '0'.repeat(64)],
    );
    const { status, report } = await drilled('--on-server');
    await forceSql(world.app, 'DELETE FROM row_archive');
    expect([status, notWell(report)]).toEqual([5, ['Archives']]);
  });

  it('says what is missing: a folder, or a right', async () => {
    const at = (name: string) => join(world.root, name);
    await writeFile(at('file'), '');
    const refusal = async (...words: string[]) => {
      const { status, out, err } = await world.paydrop('drill', ...words);
      expect([status > 0, out]).toEqual([true, '']);
      return err;
    };
    expect(await refusal('--in', at('absent'))).toContain('a folder does not exist');
    expect(await refusal('--in', at('file'))).toContain('cannot write to a folder');
    const { url, drop } = await weakUser();
    vi.stubEnv('DATABASE_URL', url);
    const weak = await refusal('--from', kept, '--on-server');
    vi.stubEnv('DATABASE_URL', '');
    expect(await refusal('--from', kept, '--on-server')).toContain('--on-server needs DATABASE_URL');
    vi.stubEnv('DATABASE_URL', world.env['DATABASE_URL']);
    await drop();
    expect(weak).toContain('may not create a database');
    expect(await refusal('--from', kept, '--to', at('new'))).toContain('Give one of them');
  });

  it('removes what a killed one left, and nothing of one that is at work', async () => {
    const left = join(world.settings.paths.data, 'drill-99999999-0123456789ab');
    const atWork = join(world.settings.paths.data, `drill-${process.pid}-0123456789ab`);
    for (const folder of [left, atWork]) await mkdir(join(folder, 'postgres'), { recursive: true });
    const { rows } = await world.app.ledger.pool.query<{ prefix: string }>(
      `SELECT 'paydrop_drill_' || oid || '_' AS prefix FROM pg_database WHERE datname = current_database()`,
    );
    const [dead, alive] = ['dead', 'alive'].map((name) => `${rows[0]!.prefix}${name}`);
    for (const name of [dead, alive]) await world.app.ledger.pool.query(`CREATE DATABASE ${name}`);
    const holder = await world.app.ledger.pool.connect();
    onTestFinished(() => holder.release(true));
    await holder.query('SELECT pg_advisory_lock(hashtextextended($1, 0))', [alive]);
    await drilled('--from', kept, '--on-server');
    expect(await leftOver()).toEqual([`drill-${process.pid}-0123456789ab`, alive]);
    await holder.query('SELECT pg_advisory_unlock_all()');
    await rm(atWork, { recursive: true });
    await drilled('--from', kept, '--on-server');
    expect(await leftOver()).toEqual([]);
  });
});

async function countLinks(): Promise<number> {
  const { rows } = await world.app.ledger.pool.query<{ links: number }>('SELECT count(*) AS links FROM audit');
  return rows[0]!.links;
}

/** A user of the database that may not create another one. */
async function weakUser(): Promise<{ url: string; drop(): Promise<void> }> {
  const url = world.env['DATABASE_URL']!;
  const pool = openTestPool({ connectionString: url });
  await pool.query('CREATE ROLE drill_weak LOGIN');
  return {
    url: url.replace(/\/\/[^@]*@/, '//drill_weak@'),
    drop: async () => {
      await pool.query('DROP ROLE drill_weak');
      await pool.end();
    },
  };
}

describe('a scratch ledger', () => {
  const inScratch = <Result>(work: (ledger: Ledger) => Promise<Result>): Promise<Result> =>
    withScratchLedger({ url: world.env['DATABASE_URL']! }, kept, { clock: systemClock, log: silentLog() }, work);

  it('is never opened for sending, and takes no call', async () => {
    await inScratch(async (scratch) => {
      // The journal of this host lacks nothing, so it would open the ledger.
      const copy = join(world.root, 'sends.jsonl');
      await copyFile(world.settings.paths.journal, copy);
      const journal = await openSendJournal(copy);
      onTestFinished(() => journal.close());
      await expect(admit(scratch, journal, { name: world.settings.host })).rejects.toThrow('scratch_stays_closed');
      const calls = `INSERT INTO attempt (file_id, batch_no, attempt, worker, host, request_bytes, started_at, call)
        SELECT file_id, batch_no, 9, worker, host, 1, now(), gen_random_uuid() FROM attempt`;
      await expect(scratch.pool.query(calls)).rejects.toThrow('scratch_sends_nothing');
      expect(await refusesToSend(scratch)).toBe(true);
      const admission = 'SELECT is_open FROM admission';
      expect((await scratch.pool.query(admission)).rows).toEqual([{ is_open: false }]);
    });
    expect(await refusesToSend(world.app.ledger), 'the ledger itself does not').toBe(false);
  });

  it('is found out when rows, sums or the trail differ', async () => {
    const backup = await readBackup(kept);
    const keys = openKeyRing(findKeyPlace(world.settings, {}));
    await inScratch(async (scratch) => {
      const force = async (statement: string) => {
        await scratch.pool.query(
          `SET session_replication_role = replica; ${statement}; RESET session_replication_role`,
        );
      };
      const sums = await readLedgerSums(scratch.pool);
      const parts = { scratch, settings: world.settings, keys, backup, sums };
      const bads = async (more: Partial<typeof parts> & { source?: { ledger: Ledger; sums: typeof sums } } = {}) =>
        (await verifyRestored({ ...parts, ...more })).flatMap(({ name, findings }) =>
          findings.some(({ level }) => level === 'bad') ? [name] : [],
        );
      expect(await bads({ source: { ledger: world.app.ledger, sums } })).toEqual([]);
      const other = sums.map((sum, at) => (at === 0 ? { ...sum, cents: sum.cents + 1 } : sum));
      expect(await bads({ source: { ledger: world.app.ledger, sums: other } })).toEqual(['Sums']);
      await force('UPDATE payment_row SET amount_cents = amount_cents + 1');
      expect([await bads(), await countUnevenBatches(scratch)]).toEqual([['Sums'], 3]);
      await force('UPDATE payment_row SET amount_cents = amount_cents - 1; DELETE FROM row_outcome WHERE line = 1');
      expect(await bads()).toEqual(['Tables']);
      await force(`UPDATE audit SET reason = 'another' WHERE seq = 2`);
      expect(await bads()).toEqual(['Tables', 'Audit trail']);
      expect([...(await countTables(scratch, ['file', 'gone']))]).toEqual([['file', 2]]);
    });
  });

  it('goes with its folder when the work in it fails', async () => {
    const failing = withScratchFolder(world.root, async (folder) => {
      await writeFile(join(folder, 'some'), '');
      throw new Error('no');
    });
    await expect(failing).rejects.toThrow('no');
    expect((await readdir(world.root)).filter((name) => name.startsWith('drill-'))).toEqual([]);
  });
});
