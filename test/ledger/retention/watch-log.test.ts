import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type LedgerWorld, openTestLedger } from '../../support/ledger-world.ts';
import { watchLog } from '../../../src/ledger/retention/clean-storage.ts';

let world: LedgerWorld;
beforeAll(async () => {
  world = await openTestLedger();
});
afterEach(() => world.empty());
afterAll(() => world.close());

const FIRST = '0000000000000001';
const LAST = 'FFFFFFFFFFFFFFFF';
const ask = async (sql: string, values: unknown[] = []) => (await world.ledger.pool.query(sql, values)).rows;

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
