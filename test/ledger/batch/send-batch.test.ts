import { describe, expect, it } from 'vitest';
import { BATCH_STATES, type BatchState, FILE_STATES, type FileState } from '../../../schemas/lifecycle.ts';
import { prepareBatch, stopAccount } from '../../../src/ledger/batch/prepare-batch.ts';
import { recoverBatches } from '../../../src/ledger/batch/end-attempt.ts';
import { sendBatch } from '../../../src/ledger/batch/send-batch.ts';
import { readBatchRow, readFileRow } from '../../../src/ledger/file/read-file.ts';
import { keyOf, LEASE_MS, openTestLedger, START } from '../../support/ledger-world.ts';
import { openedForTests } from '../../support/opened-for-tests.ts';

const world = openedForTests(openTestLedger);

const call = { host: 'service.test', requestBytes: 4_096 };

async function attemptsOf(fileId: string) {
  const { rows } = await world.ledger.pool.query('SELECT * FROM attempt WHERE file_id = $1 ORDER BY attempt', [fileId]);
  return rows;
}

/** Reads what a refused send must leave unchanged. */
async function traces(fileId: string) {
  const batch = await readBatchRow(world.ledger, { fileId, batchNo: 1 });
  const file = await readFileRow(world.ledger, fileId);
  return { batch, file, attempts: await attemptsOf(fileId), links: await world.links(fileId) };
}

describe('sendBatch', () => {
  it('declares the intent: state, attempt, the file on its way, and a link for each move', async () => {
    const batch = await world.prepared();
    const fileId = batch.file_id;
    expect(await sendBatch(world.ledger, batch, call)).toBe(true);
    const after = await traces(fileId);
    expect(after.batch).toMatchObject({ state: 'sending', reason: 'attempt 1 begins', token: batch.token });
    expect(after.file.state).toBe('in_progress');
    expect(after.attempts).toEqual([
      {
        file_id: fileId,
        batch_no: 1,
        attempt: 1,
        worker: world.ledger.instance.id,
        host: 'service.test',
        request_bytes: 4_096,
        host_at: new Date(START),
        call_no: expect.any(Number),
        service_at: null,
        started_at: new Date(START),
        ended_at: null,
        verdict: null,
        evidence: null,
        resolution: null,
        resolved_at: null,
        resolved_by: null,
        call: batch.token,
        journal: batch.sender.journal,
      },
    ]);
    const actor = 'worker:submit';
    expect(after.links.slice(3)).toEqual([
      {
        actor,
        batch_no: 1,
        move: 'send',
        from_state: 'preparing',
        to_state: 'sending',
        reason: 'attempt 1 begins',
        evidence: { ...call, sha256: batch.body_sha256 },
      },
      {
        actor,
        batch_no: null,
        move: 'begin',
        from_state: 'accepted',
        to_state: 'in_progress',
        reason: 'the first batch is being sent',
        evidence: {},
      },
    ]);
  });

  it('writes no second begin for a file that is on its way', async () => {
    const { file_id: fileId } = await world.accepted();
    await world.putFile(fileId, 'in_progress');
    const batch = await prepareBatch(world.ledger, { fileId, batchNo: 1 }, LEASE_MS);
    expect(await sendBatch(world.ledger, batch!, call)).toBe(true);
    expect((await world.links(fileId)).slice(2).map((link) => link.move)).toEqual(['prepare', 'send']);
  });

  const otherStates = (Object.keys(BATCH_STATES) as BatchState[]).filter((state) => state !== 'preparing');
  it.each(otherStates)('is false for a batch that is %s', async (state) => {
    const batch = await world.prepared();
    await world.force('UPDATE batch SET state = $2 WHERE file_id = $1', [batch.file_id, state]);
    const before = await traces(batch.file_id);
    expect(await sendBatch(world.ledger, batch, call)).toBe(false);
    expect(await traces(batch.file_id)).toEqual(before);
  });

  it('is false for another token than that of the holder', async () => {
    const batch = await world.prepared();
    const before = await traces(batch.file_id);
    const stranger = { ...batch, token: '00000000-0000-4000-8000-000000000000' };
    expect(await sendBatch(world.ledger, stranger, call)).toBe(false);
    expect(await traces(batch.file_id)).toEqual(before);
    expect(await sendBatch(world.ledger, batch, call)).toBe(true);
  });

  it('is false once the lease has run out by the clock of the database', async () => {
    const { file_id: fileId } = await world.accepted();
    const batch = await prepareBatch(world.ledger, { fileId, batchNo: 1 }, 0);
    const before = await traces(fileId);
    expect(await sendBatch(world.ledger, batch!, call)).toBe(false);
    expect(await traces(fileId)).toEqual(before);
  });

  it('is false after the sweep took the batch away, also when another worker has it again', async () => {
    const { file_id: fileId } = await world.accepted();
    const key = { fileId, batchNo: 1 };
    const batch = await prepareBatch(world.ledger, key, 0);
    expect((await recoverBatches(world.ledger, 60_000)).map(keyOf)).toContainEqual(key);
    expect(await sendBatch(world.ledger, batch!, call)).toBe(false);
    const next = await prepareBatch(world.ledger, key, LEASE_MS);
    expect(await sendBatch(world.ledger, batch!, call)).toBe(false);
    expect(await attemptsOf(fileId)).toEqual([]);
    expect(await sendBatch(world.ledger, next!, call)).toBe(true);
  });

  it('is false when the account was stopped while the worker connected', async () => {
    const batch = await world.prepared();
    await stopAccount(world.ledger, batch.account, 'the journal is ahead');
    const before = await traces(batch.file_id);
    expect(await sendBatch(world.ledger, batch, call)).toBe(false);
    expect(await traces(batch.file_id)).toEqual(before);
  });

  const holding = ['unknown', 'refused'] as const;
  it.each(holding)('is false when another batch of the account is %s meanwhile', async (state) => {
    const batch = await world.prepared({ batches: 2 });
    await world.putBatch({ fileId: batch.file_id, batchNo: 2 }, state);
    expect(await sendBatch(world.ledger, batch, call)).toBe(false);
    await world.putBatch({ fileId: batch.file_id, batchNo: 2 }, 'submitted');
    expect(await sendBatch(world.ledger, batch, call)).toBe(true);
  });

  it.each(Object.keys(FILE_STATES) as FileState[])(
    'sends for a file that is %s only if it is on its way',
    async (state) => {
      const batch = await world.prepared();
      await world.putFile(batch.file_id, state);
      expect(await sendBatch(world.ledger, batch, call)).toBe(state === 'accepted' || state === 'in_progress');
    },
  );

  it('is true once of many at the same moment, and one attempt is recorded', async () => {
    const batch = await world.prepared();
    const answers = await Promise.all(Array.from({ length: 10 }, () => sendBatch(world.ledger, batch, call)));
    expect(answers.filter(Boolean)).toHaveLength(1);
    expect(await attemptsOf(batch.file_id)).toHaveLength(1);
  });

  it('cannot record a second send of the same attempt, even if the state were set back', async () => {
    const batch = await world.sending();
    await world.force(`UPDATE batch SET state = 'preparing' WHERE file_id = $1`, [batch.file_id]);
    await expect(sendBatch(world.ledger, batch, call)).rejects.toMatchObject({
      code: '23505',
      constraint: expect.stringMatching(/^attempt_(?:pkey|call_key)$/),
    });
    expect((await readBatchRow(world.ledger, keyOf(batch))).state).toBe('preparing');
  });
});
