import { describe, expect, it } from 'vitest';
import { BATCH_STATES, type BatchState } from '../../../schemas/lifecycle.ts';
import { ALIVE_LOCKS } from '../../../src/ledger/engine/instance.ts';
import { endCall } from '../../../src/ledger/batch/commit-send.ts';
import { recoverBatches } from '../../../src/ledger/batch/recover-batches.ts';
import { readBatchRow } from '../../../src/ledger/file/read-file.ts';
import type { Ledger } from '../../../src/ledger/engine/open-ledger.ts';
import type { BatchRow } from '../../../src/ledger/engine/records.ts';
import { startWorker } from '../support/start-worker.ts';
import { keyOf, openTestLedger, START } from '../../support/ledger-world.ts';
import { declareNow, LEASE_MS } from '../../support/calls.ts';
import { openedForTests } from '../../support/opened-for-tests.ts';

const world = openedForTests(openTestLedger);

const LONGEST_CALL_MS = 120_000;
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
  it('takes nothing from a worker of another process, and puts its call in doubt once it was killed', async () => {
    const { file_id: sent } = await world.accepted();
    const worker = await startWorker(world.url, { send: [sent] });
    const instance = await worker.ready();
    // The child uses the system clock; without the same clock here, the deadline would mean nothing.
    world.clock.set(new Date());
    expect(await recoverBatches(world.ledger, LONGEST_CALL_MS)).toEqual([]);
    expect((await readBatchRow(world.ledger, { fileId: sent, batchNo: 1 })).worker).toBe(instance);

    await worker.kill();
    const taken: BatchRow[] = [];
    await expect
      .poll(async () => taken.push(...(await recoverBatches(world.ledger, LONGEST_CALL_MS))), { interval: 20 })
      .toBe(1);
    expect(taken).toMatchObject([{ file_id: sent, state: 'sending', worker: instance }]);
    const reason = 'its worker died or fell silent during the call';
    expect(await readBatchRow(world.ledger, { fileId: sent, batchNo: 1 })).toMatchObject({
      ...IN_NOBODYS_HANDS,
      state: 'unknown',
      attempt: 1,
      reason,
    });
    const evidence = { worker: instance, attempt: 1 };
    expect(await attemptOf(sent)).toEqual([{ ended_at: world.clock.now(), verdict: 'unknown', evidence }]);
    const moved = { move: 'doubt', from_state: 'sending', to_state: 'unknown' };
    expect((await world.links(sent)).at(-1)).toEqual({
      actor: 'worker:sweep',
      batch_no: 1,
      ...moved,
      reason,
      evidence,
    });
    expect(await recoverBatches(world.ledger, LONGEST_CALL_MS)).toEqual([]);
  });

  it('takes nothing from its own process', async () => {
    const sending = await world.sending();
    expect(await recover(sending.file_id)).toEqual([]);
    expect((await readBatchRow(world.ledger, keyOf(sending))).token).toBe(sending.token);
  });

  it('takes the batches of an instance that left, as those of one that was killed', async () => {
    const another = await world.openAgain();
    const { file_id: fileId } = await world.accepted();
    const call = (await declareNow(another, { fileId, batchNo: 1 }))!;
    expect(await recover(fileId)).toEqual([]);
    await another.instance.leave();
    await expect.poll(() => recover(fileId), { interval: 20 }).toHaveLength(1);
    const end = { verdict: 'submitted', batchId: 'of-one-that-left', firstPollMs: 0, evidence: {} } as const;
    expect(await endCall(another, call, end)).toBe('late');
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
    await declareNow(own, { fileId, batchNo: 1 });
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
  it('puts a call in doubt that lasts longer than any can, and not one that may still last', async () => {
    const batch = await world.sending();
    await leaseRanOut(batch, LONGEST_CALL_MS - LEASE_MS);
    expect(await recover(batch.file_id)).toEqual([]);
    await leaseRanOut(batch, LONGEST_CALL_MS);
    expect((await recover(batch.file_id)).map((row) => row.state)).toEqual(['sending']);
    expect((await readBatchRow(world.ledger, keyOf(batch))).state).toBe('unknown');
    expect(await attemptOf(batch.file_id)).toMatchObject([{ verdict: 'unknown' }]);
  });

  it.each([DAY_MS, -DAY_MS])('is not misled by a clock of ours that jumps by %i ms', async (jumpMs) => {
    const sending = await world.sending();
    world.clock.advance(jumpMs);
    expect(await recover(sending.file_id)).toEqual([]);
    await leaseRanOut(sending, LONGEST_CALL_MS);
    expect(await recover(sending.file_id)).toHaveLength(1);
    world.clock.set(START);
  });
});

describe('recoverBatches', () => {
  const otherStates = (Object.keys(BATCH_STATES) as BatchState[]).filter((state) => state !== 'sending');
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
    const batches = [await world.batchIn('sending'), await world.batchIn('sending')];
    for (const batch of batches) {
      await world.force(`UPDATE batch SET worker = 'dead' WHERE file_id = $1`, [batch.file_id]);
    }
    const sweeps = await Promise.all(Array.from({ length: 8 }, () => recoverBatches(world.ledger, LONGEST_CALL_MS)));
    const taken = sweeps.flat().map((batch) => batch.file_id);
    expect(taken.sort()).toEqual(batches.map((batch) => batch.file_id).sort());
    for (const batch of batches) expect((await world.links(batch.file_id)).slice(2)).toHaveLength(1);
  });
});
