import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { BATCH_STATES, type BatchState } from '../../../schemas/lifecycle.ts';
import { keepException, recoverException } from '../../../src/ledger/batch/receive-result.ts';
import { readBatchRow, readFileRow, readOutcomeTotals } from '../../../src/ledger/file/read-file.ts';
import { readSealedPart } from '../../../src/ledger/batch/read-sealed-part.ts';
import type { BatchRow } from '../../../src/ledger/engine/records.ts';
import { keyOf, type LedgerWorld, openTestLedger, outcomesOf, START } from '../../support/ledger-world.ts';

let world: LedgerWorld;
beforeAll(async () => {
  world = await openTestLedger();
});
afterAll(() => world.close());

const LATER = { sealed: Buffer.from('later'), sha256: 'ab'.repeat(32) };
const NEXT = new Date('2026-06-15T11:00:00.000Z');
const otherThanException = (Object.keys(BATCH_STATES) as BatchState[]).filter((state) => state !== 'exception');

async function recover(batch: BatchRow, rows = outcomesOf(batch)): Promise<boolean> {
  const { file_no: fileNo } = await readFileRow(world.ledger, batch.file_id);
  return recoverException(world.ledger, keyOf(batch), fileNo, { result: LATER, rows, evidence: { a: 1 } }, NEXT);
}

describe('recoverException', () => {
  it('reconciles by the later result, keeps it, and says who', async () => {
    const batch = await world.batchIn('exception');
    expect(await recover(batch)).toBe(true);
    expect(await readBatchRow(world.ledger, keyOf(batch))).toMatchObject({
      state: 'reconciled',
      result_sha256: LATER.sha256,
      result_at: new Date(START),
      next_poll_at: null,
      next_recheck_at: NEXT,
    });
    const { file_no: fileNo } = await readFileRow(world.ledger, batch.file_id);
    expect(await readOutcomeTotals(world.ledger, fileNo)).toEqual({ approved: { rows: 2, cents: 500 } });
    expect(await readSealedPart(world.ledger, keyOf(batch), 'result')).toEqual(LATER.sealed);
    expect((await world.links(batch.file_id)).at(-1)).toMatchObject({
      actor: 'worker:poll',
      move: 'recover',
      from_state: 'exception',
      to_state: 'reconciled',
      evidence: { a: 1, sha256: LATER.sha256 },
    });
  });

  it.each(otherThanException)('does nothing to a batch that is %s', async (state) => {
    const batch = await world.batchIn(state);
    expect(await recover(batch)).toBe(false);
    expect(await readBatchRow(world.ledger, keyOf(batch))).toEqual(batch);
  });

  it('refuses outcomes that are not those of all its rows', async () => {
    const batch = await world.batchIn('exception');
    await expect(recover(batch, outcomesOf(batch).slice(1))).rejects.toMatchObject({ code: 'MOVE_REFUSED' });
    expect((await readBatchRow(world.ledger, keyOf(batch))).state).toBe('exception');
  });
});

describe('keepException', () => {
  it('keeps the latest result that does not fit, and its reason', async () => {
    const batch = await world.batchIn('exception');
    expect(await keepException(world.ledger, keyOf(batch), LATER, 'still wrong', { rows: 1 })).toBe(true);
    expect(await readBatchRow(world.ledger, keyOf(batch))).toMatchObject({
      state: 'exception',
      state_at: batch.state_at,
      result_sha256: LATER.sha256,
      reason: 'still wrong',
    });
    expect(await readSealedPart(world.ledger, keyOf(batch), 'result')).toEqual(LATER.sealed);
    expect((await world.links(batch.file_id)).at(-1)).toMatchObject({
      move: 'misfit-again',
      evidence: { rows: 1, sha256: LATER.sha256 },
    });
  });

  it.each(otherThanException)('does nothing to a batch that is %s', async (state) => {
    const batch = await world.batchIn(state);
    expect(await keepException(world.ledger, keyOf(batch), LATER, 'no', {})).toBe(false);
    expect(await readBatchRow(world.ledger, keyOf(batch))).toEqual(batch);
  });
});
