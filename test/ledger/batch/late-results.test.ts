import { beforeEach, describe, expect, it } from 'vitest';
import { BATCH_STATES, type BatchState } from '../../../schemas/lifecycle.ts';
import { commitResults, type Verdict } from '../../../src/ledger/batch/receive-result.ts';
import { readSealedPart } from '../../../src/ledger/batch/read-sealed-part.ts';
import type { BatchRow } from '../../../src/ledger/engine/records.ts';
import { readBatchRow, readFileRow, readOutcomeTotals } from '../../../src/ledger/file/read-file.ts';
import type { ReconciledRow } from '../../../src/rows/rows.ts';
import { keyOf, openTestLedger, outcomesOf, START } from '../../support/ledger-world.ts';
import { openedForTests } from '../../support/opened-for-tests.ts';

const world = openedForTests(openTestLedger);

/** The time of a late result. */
const LATER = new Date('2026-06-16T10:00:00.000Z');
const NEXT = new Date('2026-06-16T11:00:00.000Z');
const SHA256 = 'ef'.repeat(32);

beforeEach(() => world.clock.set(START));

/** A batch whose result did not fit, and is kept. */
async function unfit(plan = {}): Promise<BatchRow> {
  return withResult(await world.batchIn('exception', plan));
}

async function withResult(batch: BatchRow): Promise<BatchRow> {
  await world.force(
    `UPDATE batch SET result_sha256 = repeat('ab', 32), result_at = $3, next_poll_at = $4, reason = 'a row is missing'
     WHERE file_id = $1 AND batch_no = $2`,
    [batch.file_id, batch.batch_no, new Date(START), LATER],
  );
  await world.force(`INSERT INTO sealed_part VALUES ($1, $2, 'result', 'first')`, [batch.file_id, batch.batch_no]);
  world.clock.set(LATER);
  return readBatchRow(world.ledger, keyOf(batch));
}

/** Another result of a batch, and what it is judged to be. */
async function late(batch: BatchRow, verdict: Verdict) {
  const { file_no: fileNo } = await readFileRow(world.ledger, batch.file_id);
  const sealed = Buffer.from(`later ${batch.batch_no}`);
  const arrived = { batchId: batch.batch_id ?? 'none', sealed, rows: batch.rows, isLate: true };
  return { key: keyOf(batch), fileNo, sha256: SHA256, arrived, verdict };
}

function fitting(batch: BatchRow, outcomes: readonly ReconciledRow[] = outcomesOf(batch)) {
  return late(batch, { move: 'reconcile', outcomes, evidence: { a: 1 }, nextAt: NEXT });
}

function misfit(batch: BatchRow) {
  return late(batch, { move: 'except', reason: 'still wrong', evidence: { rows: 1 }, nextAt: NEXT });
}

async function totalsOf(batch: BatchRow) {
  return readOutcomeTotals(world.ledger, (await readFileRow(world.ledger, batch.file_id)).file_no);
}

async function resultOf(batch: BatchRow): Promise<string> {
  return (await readSealedPart(world.ledger, keyOf(batch), 'result')).toString();
}

describe('a late result that fits', () => {
  it('reconciles the batch, takes the place of the first, and leaves a link with its hash', async () => {
    const batch = await unfit();
    const made = await commitResults(world.ledger, [await fitting(batch)]);
    expect([...made.values()]).toEqual([['recover']]);
    const reason = 'fetched again, every row matched, and counts and cents agree';
    expect(await readBatchRow(world.ledger, keyOf(batch))).toEqual({
      ...batch,
      state: 'reconciled',
      state_at: LATER,
      final_at: LATER,
      reason,
      result_sha256: SHA256,
      result_at: LATER,
      next_poll_at: null,
      next_recheck_at: NEXT,
    });
    expect(await totalsOf(batch)).toEqual({ approved: { rows: 2, cents: 500 } });
    expect(await resultOf(batch)).toBe('later 1');
    expect((await world.links(batch.file_id)).at(-1)).toEqual({
      actor: 'worker:poll',
      batch_no: 1,
      move: 'recover',
      from_state: 'exception',
      to_state: 'reconciled',
      reason,
      evidence: { a: 1, sha256: SHA256 },
    });
  });

  it('is kept as the first where the batch had none', async () => {
    const batch = await world.batchIn('exception');
    await commitResults(world.ledger, [await fitting(batch)]);
    expect(await resultOf(batch)).toBe('later 1');
  });

  it('ends the batch once, however often it comes', async () => {
    const batch = await unfit();
    const result = await fitting(batch);
    const made = await Promise.all([1, 2].map(() => commitResults(world.ledger, [result])));
    made.push(await commitResults(world.ledger, [result]));
    expect(made.map(({ size }) => size).sort()).toEqual([0, 0, 1]);
    expect(await totalsOf(batch)).toEqual({ approved: { rows: 2, cents: 500 } });
  });

  it('changes nothing of any when its outcomes are not those of all its rows', async () => {
    const batch = await unfit({ batches: 2 });
    const other = await withResult(await world.putBatch({ ...keyOf(batch), batchNo: 2 }, 'exception'));
    const before = await world.links(batch.file_id);
    const results = [await misfit(other), await fitting(batch, outcomesOf(batch).slice(1))];
    await expect(commitResults(world.ledger, results)).rejects.toMatchObject({ code: 'MOVE_REFUSED' });
    for (const one of [batch, other]) {
      expect(await readBatchRow(world.ledger, keyOf(one))).toEqual(one);
      expect(await resultOf(one)).toBe('first');
    }
    expect(await world.links(batch.file_id)).toEqual(before);
  });
});

describe('a late result that does not fit either', () => {
  it('takes the place of the first, with its reason, and leaves a link with its hash', async () => {
    const batch = await unfit();
    const made = await commitResults(world.ledger, [await misfit(batch)]);
    expect([...made.values()]).toEqual([['misfit-again']]);
    const changed = { reason: 'still wrong', result_sha256: SHA256, result_at: LATER };
    expect(await readBatchRow(world.ledger, keyOf(batch))).toEqual({ ...batch, ...changed });
    expect(await resultOf(batch)).toBe('later 1');
    expect((await world.links(batch.file_id)).at(-1)).toEqual({
      actor: 'worker:poll',
      batch_no: 1,
      move: 'misfit-again',
      from_state: null,
      to_state: null,
      reason: 'still wrong',
      evidence: { rows: 1, sha256: SHA256 },
    });
  });

  it('is kept once, however often it comes', async () => {
    const batch = await unfit();
    const result = await misfit(batch);
    const made = await Promise.all([1, 2].map(() => commitResults(world.ledger, [result])));
    made.push(await commitResults(world.ledger, [result]));
    expect(made.map(({ size }) => size).sort()).toEqual([0, 0, 1]);
    expect((await world.links(batch.file_id)).filter(({ move }) => move === 'misfit-again')).toHaveLength(1);
  });

  it('counts no move', async () => {
    const batch = await unfit();
    const counted: unknown[] = [];
    const end = world.ledger.tally.listen((...event) => counted.push(event));
    await commitResults(world.ledger, [await misfit(batch)]);
    end();
    expect(counted).toEqual([]);
  });
});

describe('a late result', () => {
  const states = (Object.keys(BATCH_STATES) as BatchState[]).filter((state) => state !== 'exception');

  it.each(states)('changes nothing of a batch that is %s', async (state) => {
    const batch = await withResult(await world.batchIn(state));
    const before = await world.links(batch.file_id);
    for (const result of [await fitting(batch), await misfit(batch)])
      expect((await commitResults(world.ledger, [result])).size).toBe(0);
    expect(await readBatchRow(world.ledger, keyOf(batch))).toEqual(batch);
    expect(await resultOf(batch)).toBe('first');
    expect(await world.links(batch.file_id)).toEqual(before);
  });

  it('changes nothing of a batch that has another batch id by now', async () => {
    const batch = await unfit();
    const asked = { ...batch, batch_id: 'before' };
    for (const result of [await fitting(asked), await misfit(asked)])
      expect((await commitResults(world.ledger, [result])).size).toBe(0);
    expect(await readBatchRow(world.ledger, keyOf(batch))).toEqual(batch);
    expect(await resultOf(batch)).toBe('first');
  });

  it('changes nothing without a verdict', async () => {
    const batch = await unfit();
    const result = { ...(await fitting(batch)), verdict: undefined };
    expect((await commitResults(world.ledger, [result])).size).toBe(0);
    expect(await readBatchRow(world.ledger, keyOf(batch))).toEqual(batch);
    expect(await resultOf(batch)).toBe('first');
  });

  it('goes with first results in one call, each kept under its own batch', async () => {
    const first = await world.batchIn('submitted', { batches: 3 });
    const [second, third] = await Promise.all(
      [2, 3].map(async (batchNo) => withResult(await world.putBatch({ ...keyOf(first), batchNo }, 'exception'))),
    );
    const { arrived, ...result } = await fitting(first);
    const fresh = { ...result, arrived: { ...arrived, isLate: false } };
    const before = (await world.links(first.file_id)).length;
    await commitResults(world.ledger, [await misfit(third!), await fitting(second!), fresh]);
    const links = (await world.links(first.file_id)).slice(before);
    expect(links.map(({ batch_no: no, move }) => `${no} ${move}`)).toEqual([
      '3 misfit-again',
      '2 recover',
      '1 receive',
      '1 reconcile',
    ]);
    expect(await Promise.all([first, second!, third!].map(resultOf))).toEqual(['later 1', 'later 2', 'later 3']);
    expect(await totalsOf(first)).toMatchObject({ approved: { rows: 4 } });
  });
});
