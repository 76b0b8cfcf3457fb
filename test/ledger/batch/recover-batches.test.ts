import { describe, expect, it } from 'vitest';
import { BATCH_STATES, type BatchState } from '../../../schemas/lifecycle.ts';
import { ALIVE_LOCKS } from '../../../src/ledger/engine/instance.ts';
import { prepareBatch } from '../../../src/ledger/batch/prepare-batch.ts';
import { recoverBatches } from '../../../src/ledger/batch/end-attempt.ts';
import { sendBatch } from '../../../src/ledger/batch/send-batch.ts';
import { readBatchRow } from '../../../src/ledger/file/read-file.ts';
import type { Ledger } from '../../../src/ledger/engine/open-ledger.ts';
import type { BatchRow } from '../../../src/ledger/engine/records.ts';
import { startWorker } from '../support/start-worker.ts';
import { keyOf, LEASE_MS, openTestLedger, START } from '../../support/ledger-world.ts';
import { openedForTests } from '../../support/opened-for-tests.ts';

const world = openedForTests(openTestLedger);

const LONGEST_CALL_MS = 120_000;
const call = { host: 'service.test', requestBytes: 1 };
const IN_NOBODYS_HANDS = { token: null, worker: null, lease_until: null };

/** Sweeps, but returns only the batches of one file: the sweep may take others of this world. */
async function recover(fileId: string): Promise<BatchRow[]> {
  return (await recoverBatches(world.ledger, LONGEST_CALL_MS)).filter((batch) => batch.file_id === fileId);
}

async function attemptOf(fileId: string) {
  const { rows } = await world.ledger.pool.query('SELECT ended_at, verdict, evidence FROM attempt WHERE file_id = $1', [
    fileId,
  ]);
  return rows;
}

describe('recoverBatches, while the worker lives', () => {
  it('takes nothing from a worker of another process, and everything once it was killed', async () => {
    const { file_id: prepared } = await world.accepted();
    const { file_id: sent } = await world.accepted();
    const worker = await startWorker(world.url, { prepare: [prepared], send: [sent] });
    const instance = await worker.ready();
    // The child uses the system clock; without the same clock here, the deadline would mean nothing.
    world.clock.set(new Date());
    expect(await recoverBatches(world.ledger, LONGEST_CALL_MS)).toEqual([]);
    expect((await readBatchRow(world.ledger, { fileId: prepared, batchNo: 1 })).worker).toBe(instance);

    await worker.kill();
    const taken: BatchRow[] = [];
    await expect
      .poll(async () => taken.push(...(await recoverBatches(world.ledger, LONGEST_CALL_MS))), { interval: 20 })
      .toBe(2);
    expect(taken.map((batch) => [batch.file_id, batch.state, batch.worker]).sort()).toEqual(
      [
        [prepared, 'preparing', instance],
        [sent, 'sending', instance],
      ].sort(),
    );
    expect(await readBatchRow(world.ledger, { fileId: prepared, batchNo: 1 })).toMatchObject({
      ...IN_NOBODYS_HANDS,
      state: 'ready',
      attempt: 1,
      reason: 'its worker died; nothing was written',
    });
    expect(await readBatchRow(world.ledger, { fileId: sent, batchNo: 1 })).toMatchObject({
      ...IN_NOBODYS_HANDS,
      state: 'unknown',
      attempt: 1,
      reason: 'its worker died during the call',
    });
    const evidence = { worker: instance, attempt: 1 };
    expect(await attemptOf(prepared)).toEqual([]);
    expect(await attemptOf(sent)).toEqual([{ ended_at: world.clock.now(), verdict: 'unknown', evidence }]);
    const actor = 'worker:sweep';
    expect((await world.links(prepared)).at(-1)).toEqual({
      actor,
      batch_no: 1,
      move: 'release',
      from_state: 'preparing',
      to_state: 'ready',
      reason: 'its worker died; nothing was written',
      evidence: {},
    });
    expect((await world.links(sent)).at(-1)).toEqual({
      actor,
      batch_no: 1,
      move: 'doubt',
      from_state: 'sending',
      to_state: 'unknown',
      reason: 'its worker died during the call',
      evidence,
    });
    expect(await recoverBatches(world.ledger, LONGEST_CALL_MS)).toEqual([]);
  });

  it('takes nothing from its own process', async () => {
    const prepared = await world.prepared();
    const sending = await world.sending();
    expect(await recover(prepared.file_id)).toEqual([]);
    expect(await recover(sending.file_id)).toEqual([]);
    expect((await readBatchRow(world.ledger, keyOf(prepared))).token).toBe(prepared.token);
    expect((await readBatchRow(world.ledger, keyOf(sending))).token).toBe(sending.token);
  });

  it('takes the batches of an instance that left, as those of one that was killed', async () => {
    const another = await world.openAgain();
    const { file_id: fileId } = await world.accepted();
    const key = { fileId, batchNo: 1 };
    const batch = await prepareBatch(another, key, LEASE_MS);
    expect(await recover(fileId)).toEqual([]);
    await another.instance.leave();
    await expect.poll(() => recover(fileId), { interval: 20 }).toHaveLength(1);
    expect(await sendBatch(another, batch!, call)).toBe(false);
  });
});

const DAY_MS = 86_400_000;

/** Makes the lease end this long ago by the database clock. */
function leaseRanOut(batch: BatchRow, agoMs: number): Promise<void> {
  return world.force(
    `UPDATE batch SET lease_until = clock_timestamp() - $2 * interval '1 millisecond' WHERE file_id = $1`,
    [batch.file_id, agoMs],
  );
}

/** Returns the ledger as seen by a process whose own lock is settled, or is not. */
function thatIsSettled(ledger: Ledger, isSettled: boolean): Ledger {
  return { ...ledger, instance: { ...ledger.instance, isSettled: () => isSettled } };
}

describe('recoverBatches, when locks tell nothing', () => {
  it('takes nothing from its own process although its lock is free', async () => {
    const own = await world.openAgain();
    const { file_id: fileId } = await world.accepted();
    await prepareBatch(own, { fileId, batchNo: 1 }, LEASE_MS);
    await own.instance.leave();
    const idsTakenBy = async (ledger: Ledger) =>
      (await recoverBatches(ledger, LONGEST_CALL_MS)).map((batch) => batch.file_id);
    await expect.poll(() => isFree(own.instance.id), { interval: 10 }).toBe(true);
    expect(await idsTakenBy(thatIsSettled(own, true))).not.toContain(fileId);
    expect(await idsTakenBy(world.ledger)).toContain(fileId);
  });

  it('takes nobody for dead while this process has just come back itself', async () => {
    const batch = await world.batchIn('sending');
    await world.force(`UPDATE batch SET worker = 'dead' WHERE file_id = $1`, [batch.file_id]);
    expect(await recoverBatches(thatIsSettled(world.ledger, false), LONGEST_CALL_MS)).toEqual([]);
    expect(await recover(batch.file_id)).toHaveLength(1);
  });
});

async function isFree(worker: string): Promise<boolean> {
  const { rows } = await world.ledger.pool.query<{ free: boolean }>(
    'SELECT pg_try_advisory_xact_lock($1, hashtext($2)) AS free',
    [ALIVE_LOCKS, worker],
  );
  return rows[0]!.free;
}

describe('recoverBatches, by the clock', () => {
  it('takes back a batch that its living worker prepares longer than its lease', async () => {
    const { file_id: fileId } = await world.accepted();
    const key = { fileId, batchNo: 1 };
    const batch = await prepareBatch(world.ledger, key, 0);
    const { sender: _sender, ...taken } = batch!;
    expect(await recover(fileId)).toEqual([taken]);
    expect(await readBatchRow(world.ledger, key)).toMatchObject({ ...IN_NOBODYS_HANDS, state: 'ready' });
    expect(await sendBatch(world.ledger, batch!, call)).toBe(false);
  });

  it('puts a call in doubt that lasts longer than any can, and not one that may still last', async () => {
    const batch = await world.sending();
    await leaseRanOut(batch, LONGEST_CALL_MS - LEASE_MS);
    expect(await recover(batch.file_id)).toEqual([]);
    await leaseRanOut(batch, LONGEST_CALL_MS);
    expect((await recover(batch.file_id)).map((row) => row.state)).toEqual(['sending']);
    expect((await readBatchRow(world.ledger, keyOf(batch))).state).toBe('unknown');
    expect(await attemptOf(batch.file_id)).toMatchObject([{ verdict: 'unknown' }]);
  });

  it('never takes a prepared batch for sent, however old', async () => {
    const batch = await world.prepared();
    await leaseRanOut(batch, 100 * LONGEST_CALL_MS);
    await recover(batch.file_id);
    expect((await readBatchRow(world.ledger, keyOf(batch))).state).toBe('ready');
  });

  it.each([DAY_MS, -DAY_MS])('is not misled by a clock of ours that jumps by %i ms', async (jumpMs) => {
    const [prepared, sending] = [await world.prepared(), await world.sending()];
    world.clock.advance(jumpMs);
    const own = [prepared.file_id, sending.file_id];
    const recoverOwn = async () =>
      (await recoverBatches(world.ledger, LONGEST_CALL_MS)).filter((batch) => own.includes(batch.file_id));
    expect(await recoverOwn()).toEqual([]);
    await leaseRanOut(prepared, 1);
    await leaseRanOut(sending, LONGEST_CALL_MS);
    expect(await recoverOwn()).toHaveLength(2);
    world.clock.set(START);
  });
});

describe('recoverBatches', () => {
  const otherStates = (Object.keys(BATCH_STATES) as BatchState[]).filter(
    (state) => state !== 'preparing' && state !== 'sending',
  );
  it.each(otherStates)('leaves a batch alone that is %s', async (state) => {
    const batch = await world.batchIn(state);
    await world.force(
      `UPDATE batch SET worker = 'dead', lease_until = '2020-01-01', state_at = '2020-01-01' WHERE file_id = $1`,
      [batch.file_id],
    );
    expect(await recover(batch.file_id)).toEqual([]);
    expect((await readBatchRow(world.ledger, keyOf(batch))).state).toBe(state);
  });

  it('does not wait for a batch that somebody is moving at this moment', async () => {
    const batch = await world.batchIn('sending');
    await world.force(`UPDATE batch SET worker = 'dead' WHERE file_id = $1`, [batch.file_id]);
    const mover = await world.ledger.pool.connect();
    await mover.query('BEGIN');
    await mover.query('SELECT 1 FROM batch WHERE file_id = $1 FOR UPDATE', [batch.file_id]);
    expect(await recover(batch.file_id)).toEqual([]);
    await mover.query('ROLLBACK');
    mover.release();
    expect(await recover(batch.file_id)).toHaveLength(1);
  });

  it('takes each batch once when many sweep at the same moment', async () => {
    const batches = [await world.batchIn('preparing'), await world.batchIn('sending'), await world.batchIn('sending')];
    for (const batch of batches) {
      await world.force(`UPDATE batch SET worker = 'dead' WHERE file_id = $1`, [batch.file_id]);
    }
    const sweeps = await Promise.all(Array.from({ length: 8 }, () => recoverBatches(world.ledger, LONGEST_CALL_MS)));
    const taken = sweeps.flat().map((batch) => batch.file_id);
    expect(taken.sort()).toEqual(batches.map((batch) => batch.file_id).sort());
    for (const batch of batches) expect((await world.links(batch.file_id)).slice(2)).toHaveLength(1);
  });
});
