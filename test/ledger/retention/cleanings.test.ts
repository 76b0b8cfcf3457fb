import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readCleaning, readDatabaseState, readOpenCleanings } from '../../../src/ledger/retention/cleanings.ts';
import { CLEANING_PLACE } from '../../../src/ledger/retention/clean-storage.ts';
import { type LedgerWorld, openTestLedger } from '../../support/ledger-world.ts';

let world: LedgerWorld;
beforeAll(async () => {
  world = await openTestLedger();
});
afterAll(() => world.close());

describe('readCleaning', () => {
  it('never calls clean what nothing is known of', () => {
    expect(readCleaning(null)).toEqual({ cleanedAt: null, why: 'not tried yet', logOverAt: null });
    expect(readCleaning({ cleanedAt: null, why: null, logOverAt: null })).toMatchObject({ why: 'not tried yet' });
    expect(readCleaning({ cleanedAt: null, why: 'busy', logOverAt: null })).toMatchObject({ why: 'busy' });
    expect(readCleaning({ cleanedAt: '2026-05-01T00:00:00Z', why: 'busy', logOverAt: null })).toEqual({
      cleanedAt: new Date('2026-05-01'),
      why: null,
      logOverAt: null,
    });
  });
});

describe('readOpenCleanings', () => {
  it('counts the files of tables that are not clean since before a moment, of this place alone', async () => {
    const file = await world.accepted();
    await world.force('UPDATE file SET cleaning_no = 1 WHERE file_id = $1', [file.file_id]);
    await world.force(
      `INSERT INTO cleaning (cleaning_no, table_name, place, after_xid, noted_at, why)
       VALUES (1, 'row_print', ${CLEANING_PLACE}, '3', '2026-06-01', 'busy'), (1, 'file_secret', 'elsewhere', '3', '2026-06-01', 'busy')`,
    );
    expect(await readOpenCleanings(world.ledger, new Date('2026-06-02'))).toEqual([
      { table: 'row_print', files: 1, since: new Date('2026-06-01'), why: 'busy' },
    ]);
    expect(await readOpenCleanings(world.ledger, new Date('2026-06-01'))).toEqual([]);
  });
});

describe('readDatabaseState', () => {
  it('finds ledgers that were put aside', async () => {
    expect(await readDatabaseState(world.ledger)).toEqual({ mayListLog: true, setAside: [] });
    await world.ledger.pool.query('CREATE SCHEMA paydrop_before_20261124');
    expect(await readDatabaseState(world.ledger)).toMatchObject({ setAside: ['paydrop_before_20261124'] });
  });
});
