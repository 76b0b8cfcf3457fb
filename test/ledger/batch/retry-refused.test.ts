import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { BATCH_STATES, type BatchState } from '../../../schemas/lifecycle.ts';
import { endAttempt } from '../../../src/ledger/batch/end-attempt.ts';
import { prepareBatch } from '../../../src/ledger/batch/prepare-batch.ts';
import { retryRefused } from '../../../src/ledger/batch/retry-refused.ts';
import { sendBatch } from '../../../src/ledger/batch/send-batch.ts';
import { readBatchRow } from '../../../src/ledger/file/read-file.ts';
import { keyOf, LEASE_MS, type LedgerWorld, openTestLedger } from '../../support/ledger-world.ts';

let world: LedgerWorld;
beforeAll(async () => {
  world = await openTestLedger();
});
afterAll(() => world.close());

const because = { actor: 'operator:ada', reason: 'the password is the new one' };

describe('retryRefused', () => {
  it('makes the next attempt of a refused batch possible, and opens its account', async () => {
    const batch = await world.sending();
    await endAttempt(world.ledger, batch, { verdict: 'refused', reason: 'bad login', evidence: {} });
    await retryRefused(world.ledger, keyOf(batch), because);
    expect(await readBatchRow(world.ledger, keyOf(batch))).toMatchObject({
      state: 'ready',
      attempt: 2,
      not_before: null,
    });
    expect((await world.links(batch.file_id)).at(-1)).toMatchObject({ ...because, move: 'retry', to_state: 'ready' });
    const again = await prepareBatch(world.ledger, keyOf(batch), LEASE_MS);
    expect(await sendBatch(world.ledger, again!, { host: 'service.test', requestBytes: 1 })).toBe(true);
  });

  const others = (Object.keys(BATCH_STATES) as BatchState[]).filter((state) => state !== 'refused');
  it.each(others)('refuses a batch that is %s', async (state) => {
    const batch = await world.batchIn(state);
    const before = await readBatchRow(world.ledger, keyOf(batch));
    await expect(retryRefused(world.ledger, keyOf(batch), because)).rejects.toMatchObject({ code: 'MOVE_REFUSED' });
    expect(await readBatchRow(world.ledger, keyOf(batch))).toEqual(before);
  });

  it('gives it a number that no attempt has had', async () => {
    const batch = await world.batchIn('refused');
    await world.ledger.pool.query(
      `INSERT INTO attempt (file_id, batch_no, attempt, worker, host, request_bytes, started_at, call)
       VALUES ($1, 1, 7, 'w', 'h', 1, now(), gen_random_uuid())`,
      [batch.file_id],
    );
    await retryRefused(world.ledger, keyOf(batch), because);
    expect((await readBatchRow(world.ledger, keyOf(batch))).attempt).toBe(8);
  });
});
