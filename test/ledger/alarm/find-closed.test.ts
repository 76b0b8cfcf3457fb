import type { PoolClient } from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findClosed } from '../../../src/ledger/alarm/find-closed.ts';
import { type LedgerWorld, openTestLedger } from '../../support/ledger-world.ts';

let world: LedgerWorld;
let client: PoolClient;
beforeAll(async () => {
  world = await openTestLedger();
  client = await world.ledger.pool.connect();
});
afterAll(async () => {
  client.release(true);
  await world.close();
});

describe('findClosed', () => {
  it('finds nothing where everything can be changed, and names a database that is read-only', async () => {
    expect(await findClosed({ pool: client })).toEqual([]);
    await client.query('SET default_transaction_read_only = on');
    expect(await findClosed({ pool: client })).toEqual([
      expect.objectContaining({ action: 'change the ledger', reason: 'its database is read-only, or a standby' }),
    ]);
    await client.query('SET default_transaction_read_only = off');
  });

  it('names the tables and sequences that the role has no rights on, and what gives them back', async () => {
    await client.query('BEGIN');
    await client.query(`CREATE ROLE lean_clerk;
      GRANT USAGE ON SCHEMA paydrop TO lean_clerk;
      GRANT ALL ON ALL TABLES IN SCHEMA paydrop TO lean_clerk;
      GRANT ALL ON ALL SEQUENCES IN SCHEMA paydrop TO lean_clerk;
      REVOKE UPDATE, DELETE ON audit FROM lean_clerk;
      REVOKE DELETE ON failing_work FROM lean_clerk;
      REVOKE ALL ON SEQUENCE call_no FROM lean_clerk;
      SET LOCAL ROLE lean_clerk`);
    const found = await findClosed({ pool: client });
    await client.query('ROLLBACK');
    expect(found).toEqual([
      {
        action: 'use the whole ledger',
        reason: 'its role lacks rights on call_no, failing_work',
        next: expect.stringContaining('GRANT ALL ON ALL SEQUENCES IN SCHEMA paydrop TO "lean_clerk";'),
      },
    ]);
  });
});
