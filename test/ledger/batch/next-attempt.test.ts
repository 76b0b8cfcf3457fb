import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { nextAttempt } from '../../../src/ledger/batch/retry-refused.ts';
import { transact } from '../../../src/ledger/engine/transaction.ts';
import { type LedgerWorld, openTestLedger } from '../../support/ledger-world.ts';

let world: LedgerWorld;
beforeAll(async () => {
  world = await openTestLedger();
});
afterAll(() => world.close());

describe('nextAttempt', () => {
  it.each([
    ['the calls on record', 4, 7, 8],
    ['the count of the batch', 9, 7, 10],
  ])('goes by %s, whichever is higher', async (_what, counted, recorded, next) => {
    const { file_id: fileId } = await world.accepted();
    const key = { fileId, batchNo: 1 };
    await world.putBatch(key, 'refused');
    const { pool } = world.ledger;
    await pool.query('UPDATE batch SET attempt = $2 WHERE file_id = $1', [fileId, counted]);
    await pool.query(
      `INSERT INTO attempt (file_id, batch_no, attempt, worker, host, request_bytes, started_at, call)
       VALUES ($1, 1, $2, 'w', 'h', 1, now(), gen_random_uuid())`,
      [fileId, recorded],
    );
    expect(await transact(world.ledger, (tx) => nextAttempt(tx, key))).toBe(next);
  });
});
