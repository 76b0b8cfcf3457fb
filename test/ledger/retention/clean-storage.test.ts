import type { Pool } from 'pg';
import { afterEach, describe, expect, it } from 'vitest';
import { openedForTests } from '../../support/opened-for-tests.ts';
import { openTestLedger } from '../../support/ledger-world.ts';
import type { Ledger } from '../../../src/ledger/engine/open-ledger.ts';
import { cleanStorage, IN_PASSING, watchLog } from '../../../src/ledger/retention/clean-storage.ts';
import { dropFingerprints, shredFile } from '../../../src/ledger/retention/retention.ts';
import { openTestPool } from '../../support/postgres.ts';

const world = openedForTests(openTestLedger);

const DAY_MS = 86_400_000;
const CLEAN = { file_secret: undefined, row_fingerprint: undefined };

afterEach(() => world.empty());
const ask = async (sql: string, values: unknown[] = []) => (await world.ledger.pool.query(sql, values)).rows;
const clean = (limits: Partial<typeof IN_PASSING> = {}, ledger: Ledger = world.ledger) =>
  cleanStorage(ledger, { ...IN_PASSING, ...limits });

/** Makes a file and destroys its key and fingerprints. Its secret holds the bytes of its id. */
async function destroy(): Promise<string> {
  const { file_id: fileId } = await world.accepted();
  await world.force('UPDATE file_secret SET wrapped_key = $1::bytea WHERE file_id = $2', [Buffer.from(fileId), fileId]);
  await world.putBatch({ fileId, batchNo: 1 }, 'reconciled');
  await world.putFile(fileId, 'completed');
  world.clock.advance(11 * DAY_MS);
  expect(await shredFile(world.ledger, fileId, { byAccount: {}, others: 10 })).toBe(true);
  await dropFingerprints(world.ledger, () => false);
  return fileId;
}

/** Returns whether the table's file on disk holds a text. */
async function isInFile(table: string, text: string): Promise<boolean> {
  await ask('CHECKPOINT');
  const sql = 'SELECT position($1::bytea IN pg_read_binary_file(pg_relation_filepath($2))) > 0 AS found';
  return (await ask(sql, [Buffer.from(text), table]))[0].found;
}

const reasons = () => ask('SELECT table_name, why FROM cleaning WHERE cleaned_at IS NULL ORDER BY table_name');

describe('cleanStorage', () => {
  it('takes the bytes of a destroyed key out of the files, which VACUUM alone does not', async () => {
    const kept = await world.accepted();
    const fileId = await destroy();
    expect(await isInFile('file_secret', fileId)).toBe(true);
    await ask('VACUUM file_secret');
    expect(await clean()).toEqual(CLEAN);
    expect(await ask('SELECT file_id FROM file_secret')).toEqual([{ file_id: kept.file_id }]);
    expect(await isInFile('file_secret', fileId)).toBe(false);
    const [file] = await ask('SELECT cleaning_no FROM file WHERE file_id = $1', [fileId]);
    expect(
      await ask('SELECT cleaned_at, log_end IS NOT NULL AS "hasEnd" FROM cleaning WHERE cleaning_no = $1', [
        file.cleaning_no,
      ]),
    ).toEqual([1, 2].map(() => ({ cleaned_at: world.clock.now(), hasEnd: true })));
  });

  it('does nothing when nothing was destroyed since', async () => {
    await destroy();
    await clean();
    const files = () =>
      ask(`SELECT pg_relation_filenode('file_secret') AS keys, pg_relation_filenode('row_fingerprint') AS prints`);
    const before = await files();
    expect(await clean()).toEqual({});
    expect(await files()).toEqual(before);
    expect(await ask('SELECT count(*)::int AS tables FROM cleaning')).toEqual([{ tables: 2 }]);
  });

  it('never says clean while an old snapshot keeps the dead rows', async () => {
    const reader = await world.ledger.pool.connect();
    await reader.query('BEGIN ISOLATION LEVEL REPEATABLE READ');
    await reader.query('SELECT 1 FROM migration');
    const fileId = await destroy();
    const found = await clean();
    expect(found.file_secret).toContain('an older transaction');
    expect(await reasons()).toEqual(Object.entries(found).map(([name, why]) => ({ table_name: name, why })));
    await reader.query('COMMIT');
    reader.release();
    expect(await clean()).toEqual(CLEAN);
    expect(await isInFile('file_secret', fileId)).toBe(false);
    expect(await reasons()).toEqual([]);
  });

  it('gives way to work that holds the table', async () => {
    await destroy();
    const worker = await world.ledger.pool.connect();
    await worker.query('BEGIN');
    await worker.query('LOCK TABLE file_secret IN ROW EXCLUSIVE MODE');
    expect(await clean()).toEqual({ file_secret: expect.stringContaining('lock timeout'), row_fingerprint: undefined });
    await worker.query('COMMIT');
    worker.release();
    expect(await clean()).toEqual({ file_secret: undefined });
  });

  it('leaves a table alone that is too large, and rewrites one that is not small once a day', async () => {
    await destroy();
    expect(await clean({ mostBytes: 1 })).toMatchObject({ file_secret: expect.stringContaining('too large') });
    expect(await clean({ smallBytes: 0 })).toEqual(CLEAN);
    // Also advances the clock by eleven days.
    await destroy();
    expect(await clean({ smallBytes: 0 })).toEqual(CLEAN);
    await world.accepted();
    await world.force('UPDATE file SET cleaning_no = NULL');
    expect(await clean({ smallBytes: 0 })).toMatchObject({ row_fingerprint: expect.stringContaining('once a day') });
    expect(await clean()).toEqual(CLEAN);
  });

  it('does not say clean for a role that may not vacuum', async () => {
    await destroy();
    const name = `without_rights_${process.pid}`;
    await ask(`CREATE ROLE ${name} LOGIN`);
    await ask(`GRANT USAGE ON SCHEMA paydrop TO ${name}`);
    await ask(`GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA paydrop TO ${name}`);
    await ask(`GRANT ALL ON ALL SEQUENCES IN SCHEMA paydrop TO ${name}`);
    const pool: Pool = openTestPool({
      connectionString: world.url.replace(/^postgres:\/\/[^@]*@/, `postgres://${name}@`),
      options: '-c search_path=paydrop',
    });
    expect(await clean({}, { ...world.ledger, pool })).toMatchObject({
      file_secret: expect.stringMatching(/permission denied|owner can vacuum/),
    });
    await pool.end();
    await ask(`DROP OWNED BY ${name}`);
    await ask(`DROP ROLE ${name}`);
    expect(await reasons()).toHaveLength(2);
  });

  it('takes what was proved of another server for nothing', async () => {
    await destroy();
    await clean();
    await world.force(`UPDATE cleaning SET place = 'elsewhere'`);
    expect(await clean()).toEqual(CLEAN);
    expect(await ask('SELECT DISTINCT f.cleaning_no = c.cleaning_no AS same FROM file f, cleaning c')).toEqual([
      { same: true },
    ]);
  });

  it('is done by one process at a time', async () => {
    await destroy();
    const both = await Promise.all([clean(), clean()]);
    expect(both.filter((found) => 'file_secret' in found)).toHaveLength(1);
  });
});

const FIRST = '0000000000000001';
const LAST = 'FFFFFFFFFFFFFFFF';

/** Records a cleaning that ended at this log position, with the last file name seen then. */
async function cleaned(logEnd: string, logLast: string | null = null): Promise<void> {
  await world.force(
    `INSERT INTO cleaning (cleaning_no, table_name, place, after_xid, noted_at, cleaned_at, log_end, log_last)
     VALUES (1, 'file_secret', 'here', '3', now(), now(), ${logEnd}, $1)`,
    [logLast],
  );
}

async function watched(): Promise<{ log_last: string | null; log_over_at: Date | null }> {
  await watchLog(world.ledger);
  return (await ask('SELECT log_last, log_over_at FROM cleaning'))[0];
}

/** The server's timeline, as the names of its log files have it. */
const timeline = async () => (await ask('SELECT left(pg_walfile_name(pg_current_wal_lsn()), 8) AS line'))[0].line;

describe('watchLog', () => {
  it('waits as long as a file of the log has a name from before the cleaning', async () => {
    await cleaned('pg_current_wal_insert_lsn()');
    expect(await watched()).toEqual({ log_last: null, log_over_at: null });
  });

  it('notes the last name once there is no such file, and does not call the log overwritten yet', async () => {
    await cleaned(`'0/1'`);
    const { log_last: last, log_over_at: overAt } = await watched();
    expect(last).toMatch(new RegExp(`^${await timeline()}[0-9A-F]{16}$`));
    expect(overAt).toBeNull();
  });

  it('calls it overwritten when it was written past that name, not before', async () => {
    await cleaned(`'0/1'`, `${await timeline()}${LAST}`);
    expect(await watched()).toMatchObject({ log_over_at: null });
    await world.force('UPDATE cleaning SET log_last = $1', [`${await timeline()}${'0'.repeat(16)}`]);
    expect(await watched()).toMatchObject({ log_over_at: world.clock.now() });
  });

  it('begins anew on another timeline, on which files may have got new names unwritten', async () => {
    await cleaned(`'0/1'`, `FFFFFFFF${FIRST}`);
    const { log_last: last, log_over_at: overAt } = await watched();
    expect(overAt).toBeNull();
    expect(last?.slice(0, 8)).toBe(await timeline());
  });
});
