import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { endAttempt } from '../../../src/ledger/batch/end-attempt.ts';
import { findSendable } from '../../../src/ledger/batch/due-work.ts';
import { readBatchRow } from '../../../src/ledger/file/read-file.ts';
import { transact } from '../../../src/ledger/engine/transaction.ts';
import { keyOf, type LedgerWorld, openTestLedger } from '../../support/ledger-world.ts';
import { adoptBatch, disownBatch } from '../../../src/ledger/doubt/resolution-actions.ts';

let world: LedgerWorld;
beforeAll(async () => {
  world = await openTestLedger();
});
afterAll(() => world.close());

const because = { actor: 'operator:ada', reason: 'that is the result of another file' };

describe('disownBatch', () => {
  it('puts an exception in doubt, frees its batch id, writes it down, and stops the account', async () => {
    const batch = await world.sending({ batches: 2 });
    const end = { verdict: 'submitted', batchId: '9001', firstPollMs: 0, evidence: {} } as const;
    await endAttempt(world.ledger, batch, end);
    await world.force(`UPDATE batch SET state = 'exception' WHERE file_id = $1 AND batch_no = 1`, [batch.file_id]);
    expect(await findSendable(world.ledger, batch.account)).toHaveLength(1);

    const given = await transact(world.ledger, (tx) => disownBatch(tx, keyOf(batch), because));
    expect(given).toBe('9001');
    const doubtful = { state: 'unknown', batch_id: null, submitted_at: null, result_at: null, next_poll_at: null };
    expect(await readBatchRow(world.ledger, keyOf(batch))).toMatchObject(doubtful);
    expect(await findSendable(world.ledger, batch.account)).toEqual([]);
    const { rows } = await world.ledger.pool.query('SELECT verdict, resolution, evidence FROM attempt');
    expect(rows).toEqual([{ verdict: 'unknown', resolution: null, evidence: { disownedBatchId: '9001' } }]);
    const link = { ...because, move: 'disown', evidence: { disownedBatchId: '9001' } };
    expect((await world.links(batch.file_id)).at(-1)).toMatchObject(link);

    const other = await world.sending({ account: `${batch.account}-2` });
    await endAttempt(world.ledger, other, { verdict: 'unknown', reason: 'reset', evidence: {} });
    await transact(world.ledger, (tx) => adoptBatch(tx, keyOf(other), '9001', because));
    expect(await readBatchRow(world.ledger, keyOf(other))).toMatchObject({ batch_id: '9001' });
  });
});
