import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { BATCH_STATES, type BatchState } from '../../../schemas/lifecycle.ts';
import { recordOutput } from '../../../src/ledger/file/complete-file.ts';
import { endRecheck, keepLaterResult, laterPart, takeRecheck } from '../../../src/ledger/batch/schedule-recheck.ts';
import { findDueWork } from '../../../src/ledger/batch/due-work.ts';
import { isMoving } from '../../../src/ledger/overview/overview.ts';
import { readBatchRow } from '../../../src/ledger/file/read-file.ts';
import { readSealedPart } from '../../../src/ledger/batch/read-sealed-part.ts';
import type { BatchRow } from '../../../src/ledger/engine/records.ts';
import { keyOf, type LedgerWorld, openTestLedger } from '../../support/ledger-world.ts';

let world: LedgerWorld;
beforeAll(async () => {
  world = await openTestLedger();
});
afterAll(() => world.close());

const DUE = '2026-06-15T10:00:00.000Z';
const RETRY_MS = 3_600_000;

/** Makes a batch whose result is due for a recheck now. */
async function dueBatch(state: BatchState = 'reconciled', { delivered = true } = {}): Promise<BatchRow> {
  await world.empty();
  const batch = await world.batchIn(state);
  await world.force('UPDATE batch SET next_recheck_at = $2 WHERE file_id = $1', [batch.file_id, DUE]);
  await write(batch, 'ack');
  if (delivered) await write(batch, 'result');
  await world.putFile(batch.file_id, 'completed');
  return readBatchRow(world.ledger, keyOf(batch));
}

async function write(batch: BatchRow, kind: 'ack' | 'result'): Promise<void> {
  await recordOutput(world.ledger, batch.file_id, { kind, name: kind, sha256: '', bytes: 0, rows: 0 });
}

const take = (batch: BatchRow) => takeRecheck(world.ledger, keyOf(batch), RETRY_MS);

/** Returns whether the sweep would poll the batch, and checks that a run would wait for it. */
async function isDue(): Promise<boolean> {
  const [due, moving] = [(await findDueWork(world.ledger)).poll.length, await isMoving(world.ledger)];
  expect(moving).toBe(due > 0);
  return due === 1;
}

describe('takeRecheck', () => {
  it('gives it to one of two, and to another when that one has died', async () => {
    const batch = await dueBatch();
    expect(await isDue()).toBe(true);
    const taken = await Promise.all([take(batch), take(batch)]);
    expect(taken.filter(Boolean)).toHaveLength(1);
    expect(await isDue()).toBe(false);
    world.clock.advance(RETRY_MS - 1);
    expect(await take(batch)).toBeUndefined();
    world.clock.advance(1);
    expect(await isDue()).toBe(true);
    expect(await take(batch)).toMatchObject({ rechecks: 0 });
  });

  it('gives nothing before its time, nor before the result file is written', async () => {
    const batch = await dueBatch();
    world.clock.advance(-1);
    expect([await isDue(), await take(batch)]).toEqual([false, undefined]);
    const early = await dueBatch('reconciled', { delivered: false });
    expect([await isDue(), await take(early)]).toEqual([false, undefined]);
    await write(early, 'result');
    expect(await isDue()).toBe(true);
    expect(await take(early)).toBeDefined();
  });

  it.each((Object.keys(BATCH_STATES) as BatchState[]).filter((state) => state !== 'reconciled'))(
    'gives no batch that is %s',
    async (state) => {
      expect(await take(await dueBatch(state))).toBeUndefined();
    },
  );

  it('gives none that the service never had', async () => {
    const batch = await dueBatch();
    await world.force('UPDATE batch SET batch_id = NULL WHERE file_id = $1', [batch.file_id]);
    expect([await isDue(), await take(batch)]).toEqual([false, undefined]);
  });
});

describe('endRecheck', () => {
  it('counts it once and says when the next is due', async () => {
    const batch = (await take(await dueBatch()))!;
    const next = new Date('2026-06-18T10:00:00.000Z');
    await endRecheck(world.ledger, batch, next);
    await endRecheck(world.ledger, batch, null);
    expect(await readBatchRow(world.ledger, keyOf(batch))).toMatchObject({ rechecks: 1, next_recheck_at: next });
    await endRecheck(world.ledger, { ...batch, rechecks: 1 }, null);
    expect(await readBatchRow(world.ledger, keyOf(batch))).toMatchObject({ rechecks: 2, next_recheck_at: null });
  });
});

describe('keepLaterResult', () => {
  it('keeps each later result under its own number, with a link when it is an alarm', async () => {
    const batch = await dueBatch();
    await keepLaterResult(world.ledger, batch, Buffer.from('one'));
    expect((await world.links(batch.file_id)).filter((link) => link.move === 'alarm')).toEqual([]);
    const second = { ...batch, rechecks: 1 };
    await keepLaterResult(world.ledger, second, Buffer.from('two'), { reason: 'it does not fit', evidence: { a: 1 } });
    expect(laterPart(second)).toBe('recheck-2');
    expect((await readSealedPart(world.ledger, keyOf(batch), 'recheck-1')).toString()).toBe('one');
    expect((await readSealedPart(world.ledger, keyOf(batch), 'recheck-2')).toString()).toBe('two');
    expect((await world.links(batch.file_id)).at(-1)).toMatchObject({ move: 'alarm', evidence: { a: 1 } });
  });
});
