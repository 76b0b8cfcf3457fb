import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { endAttempt } from '../../../src/ledger/batch/end-attempt.ts';
import { bindingOfBatch, propose } from '../../../src/ledger/proposal/propose.ts';
import { readLastCall, resolveAttempts } from '../../../src/ledger/doubt/resolve-attempts.ts';
import { transact } from '../../../src/ledger/engine/transaction.ts';
import { keyOf, type LedgerWorld, openTestLedger, START } from '../../support/ledger-world.ts';

let world: LedgerWorld;
beforeAll(async () => {
  world = await openTestLedger();
});
afterAll(() => world.close());

const because = { actor: 'operator:ada', reason: 'looked at' };

describe('resolveAttempts', () => {
  it('stands beside attempts in doubt only, and ends what was proposed about the batch', async () => {
    const batch = await world.sending();
    await endAttempt(world.ledger, batch, { verdict: 'unknown', reason: 'reset', evidence: {} });
    await world.force(
      `INSERT INTO attempt (file_id, batch_no, attempt, worker, host, request_bytes, started_at, ended_at, verdict, call)
       VALUES ($1, 1, 2, 'w', 'h', 1, now(), now(), 'refused', gen_random_uuid())`,
      [batch.file_id],
    );
    await transact(world.ledger, async (tx) => {
      const binding = await bindingOfBatch(tx, keyOf(batch));
      const proposal = { action: 'close-in-doubt', ...keyOf(batch), binding, reason: 'late', actor: 'operator:bea' };
      await propose(tx, proposal);
    });
    await transact(world.ledger, (tx) => resolveAttempts(tx, keyOf(batch), 'settled', because));
    const { rows } = await world.ledger.pool.query(
      'SELECT attempt, resolution, resolved_by FROM attempt WHERE file_id = $1 ORDER BY attempt',
      [batch.file_id],
    );
    expect(rows).toEqual([
      { attempt: 1, resolution: 'settled', resolved_by: 'operator:ada' },
      { attempt: 2, resolution: null, resolved_by: null },
    ]);
    const proposals = await world.ledger.pool.query('SELECT verdict FROM proposal');
    expect(proposals.rows).toEqual([{ verdict: 'void' }]);
  });
});

describe('readLastCall', () => {
  it('is when the last call began, or since when the batch is as it is when there was none', async () => {
    const sent = await world.sending();
    world.clock.advance(60_000);
    const unsent = await world.batchIn('unknown');
    const read = (batch: typeof unsent) => transact(world.ledger, (tx) => readLastCall(tx, keyOf(batch)));
    expect(await read(sent)).toEqual(new Date(START));
    expect(await read(unsent)).toEqual(world.clock.now());
    expect(await transact(world.ledger, (tx) => readLastCall(tx, { fileId: 'nobody', batchNo: 1 }))).toBeNull();
  });
});
