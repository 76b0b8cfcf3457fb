import { exceptBatch, receiveResult, reconcileBatch, schedulePoll } from '../../support/end-batches.ts';
import { describe, expect, it } from 'vitest';
import { commitResults, type JudgedResult } from '../../../src/ledger/batch/receive-result.ts';
import type { ReconciledRow } from '../../../src/rows/rows.ts';
import { readBatchRow, readFileRow, readOutcomeTotals, readRows } from '../../../src/ledger/file/read-file.ts';
import { readSealedPart } from '../../../src/ledger/batch/read-sealed-part.ts';
import type { BatchRow } from '../../../src/ledger/engine/records.ts';
import { keyOf, openTestLedger, outcomesOf, START } from '../../support/ledger-world.ts';
import { openedForTests } from '../../support/opened-for-tests.ts';

const world = openedForTests(openTestLedger);

const result = { sealed: Buffer.from([9, 0, 255]), sha256: 'cd'.repeat(32), rows: 2 };
const actor = 'worker:poll';

async function fileNoOf(batch: BatchRow): Promise<number> {
  return (await readFileRow(world.ledger, batch.file_id)).file_no;
}

async function outcomesIn(batch: BatchRow): Promise<(string | null)[]> {
  const outcomes: (string | null)[] = [];
  for await (const page of readRows(world.ledger, await fileNoOf(batch))) {
    outcomes.push(...page.map((row) => row.outcome));
  }
  return outcomes;
}

async function newLinks<Result>(fileId: string, work: () => Promise<Result>) {
  const before = (await world.links(fileId)).length;
  const value = await work();
  return { value, links: (await world.links(fileId)).slice(before) };
}

describe('receiveResult', () => {
  it('keeps the sealed result and its hash, and asks no more', async () => {
    const batch = await world.batchIn('submitted');
    await schedulePoll(world.ledger, keyOf(batch), 10_000, { isStale: true, alarm: 'what?' });
    const { value, links } = await newLinks(batch.file_id, () => receiveResult(world.ledger, keyOf(batch), result));
    expect(value).toEqual(await readBatchRow(world.ledger, keyOf(batch)));
    expect(value).toMatchObject({
      state: 'result_in',
      result_at: new Date(START),
      result_sha256: result.sha256,
      next_poll_at: null,
      stale_since: null,
      poll_alarm: null,
      batch_id: batch.batch_id,
    });
    expect(await readSealedPart(world.ledger, keyOf(batch), 'result')).toEqual(result.sealed);
    expect(links).toEqual([
      {
        actor,
        batch_no: 1,
        move: 'receive',
        from_state: 'submitted',
        to_state: 'result_in',
        reason: 'the result file is here',
        evidence: { sha256: result.sha256, rows: 2 },
      },
    ]);
  });

  it('does nothing to a batch that is not submitted', async () => {
    const batch = await world.batchIn('unknown');
    const { value, links } = await newLinks(batch.file_id, () => receiveResult(world.ledger, keyOf(batch), result));
    expect([value, links]).toEqual([undefined, []]);
    expect(await readBatchRow(world.ledger, keyOf(batch))).toEqual(batch);
    await expect(readSealedPart(world.ledger, keyOf(batch), 'result')).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });

  it('keeps the first result when it comes twice', async () => {
    const batch = await world.batchIn('submitted');
    const both = await Promise.all([
      receiveResult(world.ledger, keyOf(batch), result),
      receiveResult(world.ledger, keyOf(batch), result),
    ]);
    expect(both.filter((row) => row !== undefined)).toHaveLength(1);
    expect(
      await receiveResult(world.ledger, keyOf(batch), { ...result, sealed: Buffer.from('other') }),
    ).toBeUndefined();
    expect(await readSealedPart(world.ledger, keyOf(batch), 'result')).toEqual(result.sealed);
  });

  it("takes the batch's own result after an earlier one turned out to be another batch's", async () => {
    const batch = await world.batchIn('submitted');
    await receiveResult(world.ledger, keyOf(batch), result);
    await world.putBatch(keyOf(batch), 'submitted');
    const own = { sealed: Buffer.from('own'), sha256: 'ef'.repeat(32), rows: 2 };
    expect(await receiveResult(world.ledger, keyOf(batch), own)).toMatchObject({ state: 'result_in' });
    expect(await readSealedPart(world.ledger, keyOf(batch), 'result')).toEqual(own.sealed);
    expect((await readBatchRow(world.ledger, keyOf(batch))).result_sha256).toBe(own.sha256);
  });
});

describe('reconcileBatch', () => {
  const evidence = { outcomes: { approved: { rows: 2, cents: 500 } } };

  it('writes an outcome for each row together with the state', async () => {
    const batch = await world.batchIn('result_in', { withheld: 1 });
    const fileNo = await fileNoOf(batch);
    const [first, second] = outcomesOf(batch);
    const rows = [first!, { ...second!, outcome: 'declined' as const, code: 204, message: 'Declined, sorry' }];
    const { value, links } = await newLinks(batch.file_id, () =>
      reconcileBatch(world.ledger, keyOf(batch), fileNo, rows, evidence),
    );
    expect(value).toBe(true);
    expect((await readBatchRow(world.ledger, keyOf(batch))).state).toBe('reconciled');
    expect(await readOutcomeTotals(world.ledger, fileNo)).toEqual({
      approved: { rows: 1, cents: 200 },
      declined: { rows: 1, cents: 300 },
      invalid: { rows: 1, cents: 0 },
    });
    expect(links).toEqual([
      {
        actor,
        batch_no: 1,
        move: 'reconcile',
        from_state: 'result_in',
        to_state: 'reconciled',
        reason: 'every row matched, and counts and cents agree',
        evidence,
      },
    ]);
  });

  it('says when the result is asked for again, and adds up the outcomes of the batch', async () => {
    const batch = await world.batchIn('result_in', { batches: 2 });
    const fileNo = await fileNoOf(batch);
    const at = new Date('2026-06-15T11:00:00.000Z');
    await reconcileBatch(world.ledger, keyOf(batch), fileNo, outcomesOf(batch), evidence, at);
    expect(await readBatchRow(world.ledger, keyOf(batch))).toMatchObject({
      next_recheck_at: at,
      final_at: new Date(START),
    });
    const { rows } = await world.ledger.pool.query('SELECT * FROM batch_outcome WHERE file_no = $1', [fileNo]);
    expect(rows).toEqual([{ file_no: fileNo, batch_no: 1, outcome: 'approved', rows: 2, cents: 500 }]);
  });

  it('does nothing to a batch whose result is not in', async () => {
    const batch = await world.batchIn('exception');
    const fileNo = await fileNoOf(batch);
    const { value, links } = await newLinks(batch.file_id, () =>
      reconcileBatch(world.ledger, keyOf(batch), fileNo, outcomesOf(batch), evidence),
    );
    expect([value, links]).toEqual([false, []]);
    expect(await readBatchRow(world.ledger, keyOf(batch))).toEqual(batch);
    expect(await outcomesIn(batch)).toEqual([null, null]);
  });

  it('is done once of two at the same moment', async () => {
    const batch = await world.batchIn('result_in');
    const fileNo = await fileNoOf(batch);
    const reconcile = () => reconcileBatch(world.ledger, keyOf(batch), fileNo, outcomesOf(batch), evidence);
    expect((await Promise.all([reconcile(), reconcile()])).sort()).toEqual([false, true]);
    expect(await outcomesIn(batch)).toEqual(['approved', 'approved']);
  });

  it.each([
    ['a row has none', (batch: BatchRow) => outcomesOf(batch).slice(1)],
    ['there are none', () => []],
    [
      'one is about a row of another batch',
      (batch: BatchRow) => outcomesOf(batch).map((row, index) => ({ ...row, line: index === 0 ? 4 : row.line })),
    ],
    [
      'one is about a line that is no row',
      (batch: BatchRow) => [...outcomesOf(batch), { ...outcomesOf(batch)[0]!, line: 99 }],
    ],
    ['there is one too many', (batch: BatchRow) => [...outcomesOf(batch), { ...outcomesOf(batch)[0]!, line: 5 }]],
  ])('refuses outcomes of which %s, and writes none', async (_case, outcomes) => {
    const batch = await world.batchIn('result_in', { batches: 2 });
    const before = await world.links(batch.file_id);
    await expect(
      reconcileBatch(world.ledger, keyOf(batch), await fileNoOf(batch), outcomes(batch), evidence),
    ).rejects.toMatchObject({ code: 'MOVE_REFUSED', message: expect.stringContaining('do not match its rows') });
    expect((await readBatchRow(world.ledger, keyOf(batch))).state).toBe('result_in');
    expect(await outcomesIn(batch)).toEqual([null, null, null, null]);
    expect(await world.links(batch.file_id)).toEqual(before);
  });

  it('counts the rows and the money of each outcome once they are committed', async () => {
    const batch = await world.batchIn('result_in');
    const { account, operation } = batch;
    const [first, second] = outcomesOf(batch);
    const rows = [first!, { ...second!, outcome: 'declined' as const, code: 204, message: 'Declined, sorry' }];
    const counted: unknown[] = [];
    const end = world.ledger.tally.listen((...event) => counted.push(event));
    expect(await reconcileBatch(world.ledger, keyOf(batch), await fileNoOf(batch), rows, evidence)).toBe(true);
    expect(await reconcileBatch(world.ledger, keyOf(batch), await fileNoOf(batch), rows, evidence)).toBe(false);
    end();
    const about = (outcome: string) => ({ account, operation, outcome });
    expect(counted).toHaveLength(5);
    expect(counted).toEqual(
      expect.arrayContaining([
        ['paydrop_batch_moves_total', { account, state: 'reconciled' }, 1],
        ['paydrop_rows_total', about('approved'), 1],
        ['paydrop_cents_total', about('approved'), 200],
        ['paydrop_rows_total', about('declined'), 1],
        ['paydrop_cents_total', about('declined'), 300],
      ]),
    );
  });

  it('refuses money that is not that of the batch, and counts nothing', async () => {
    const batch = await world.batchIn('result_in');
    const counted: unknown[] = [];
    const end = world.ledger.tally.listen((...event) => counted.push(event));
    await world.force('UPDATE batch SET cents = cents + 1 WHERE file_id = $1', [batch.file_id]);
    const rows = outcomesOf(batch);
    const fileNo = await fileNoOf(batch);
    await expect(reconcileBatch(world.ledger, keyOf(batch), fileNo, rows, evidence)).rejects.toMatchObject({
      code: 'MOVE_REFUSED',
    });
    end();
    expect(counted).toEqual([]);
  });
});

type Fitting = JudgedResult & { verdict: { outcomes: ReconciledRow[] } };

describe('commitResults, for a group', () => {
  /** Two batches of one file that wait for their results, and a third that does not. */
  async function waiting(): Promise<Fitting[]> {
    const first = await world.batchIn('submitted', { batches: 3 });
    const fileNo = await fileNoOf(first);
    const second = await world.putBatch({ fileId: first.file_id, batchNo: 2 }, 'submitted');
    return [first, second].map((batch) => ({
      key: keyOf(batch),
      fileNo,
      sha256: result.sha256,
      arrived: { ...result, batchId: batch.batch_id!, isLate: false },
      verdict: { move: 'reconcile', outcomes: outcomesOf(batch), evidence: {}, nextAt: null },
    }));
  }

  const statesOf = (parts: readonly Fitting[]) =>
    Promise.all(parts.map(async ({ key }) => (await readBatchRow(world.ledger, key)).state));

  it('ends all batches whose outcomes are those of their rows', async () => {
    const parts = await waiting();
    await commitResults(world.ledger, parts);
    expect(await statesOf(parts)).toEqual(['reconciled', 'reconciled']);
  });

  it('keeps the result of each, and leaves links for each as if it went alone', async () => {
    const parts = await waiting();
    const [first, second] = parts.map(({ key, sha256, arrived, ...part }, place) => ({
      ...part,
      key,
      sha256: `${place}${sha256.slice(1)}`,
      arrived: { ...arrived!, sealed: Buffer.from(`sealed ${place}`) },
    }));
    const alone = { ...second!, verdict: undefined };
    const { links } = await newLinks(first!.key.fileId, () => commitResults(world.ledger, [first!, alone]));
    for (const { key, arrived } of [first!, second!])
      expect(await readSealedPart(world.ledger, key, 'result')).toEqual(arrived.sealed);
    expect(links.map(({ batch_no: no, move }) => `${no} ${move}`)).toEqual(['1 receive', '1 reconcile', '2 receive']);
    expect(await statesOf(parts)).toEqual(['reconciled', 'result_in']);
  });

  it.each<[string, Partial<Fitting>, string]>([
    ['has another result than the one that was judged', { sha256: 'ee'.repeat(32), arrived: undefined }, 'result_in'],
    [
      'has another batch id than the one that was asked for',
      { arrived: { ...result, batchId: 'other', isLate: false } },
      'submitted',
    ],
  ])('leaves a batch as it is that %s', async (_what, change, state) => {
    const [one, other] = await waiting();
    if (state === 'result_in') await receiveResult(world.ledger, one!.key, { ...result, sha256: 'aa'.repeat(32) });
    const before = await readBatchRow(world.ledger, one!.key);
    const made = await commitResults(world.ledger, [{ ...one!, ...change }, other!]);
    expect(made.size).toBe(1);
    expect(await readBatchRow(world.ledger, one!.key)).toEqual(before);
    expect(await statesOf([one!, other!])).toEqual([state, 'reconciled']);
  });

  it.each([0, 1])('refuses all when batch %i of the group has an outcome for a row of another batch', async (wrong) => {
    const parts = await waiting();
    const stray = { ...outcomesOf(await readBatchRow(world.ledger, parts[wrong]!.key))[0]!, line: 6 };
    const changed = parts.map((part, place) =>
      place === wrong ? { ...part, verdict: { ...part.verdict, outcomes: [part.verdict.outcomes[0]!, stray] } } : part,
    );
    await expect(commitResults(world.ledger, changed)).rejects.toMatchObject({ code: 'MOVE_REFUSED' });
    expect(await statesOf(parts)).toEqual(['submitted', 'submitted']);
  });

  it.each([0, 1])('refuses all when the money of batch %i of the group is not that of its rows', async (wrong) => {
    const parts = await waiting();
    await world.force('UPDATE batch SET cents = cents + 1 WHERE file_id = $1 AND batch_no = $2', [
      parts[wrong]!.key.fileId,
      parts[wrong]!.key.batchNo,
    ]);
    await expect(commitResults(world.ledger, parts)).rejects.toMatchObject({ code: 'MOVE_REFUSED' });
    expect(await statesOf(parts)).toEqual(['submitted', 'submitted']);
  });
});

describe('exceptBatch', () => {
  it('puts the batch before a person, and writes no outcome', async () => {
    const batch = await world.batchIn('result_in');
    const { value, links } = await newLinks(batch.file_id, () =>
      exceptBatch(world.ledger, keyOf(batch), 'row 2 is not ours', { differences: 1 }),
    );
    expect(value).toBe(true);
    expect(await readBatchRow(world.ledger, keyOf(batch))).toMatchObject({
      state: 'exception',
      reason: 'row 2 is not ours',
    });
    expect(await outcomesIn(batch)).toEqual([null, null]);
    expect(links).toEqual([
      {
        actor,
        batch_no: 1,
        move: 'except',
        from_state: 'result_in',
        to_state: 'exception',
        reason: 'row 2 is not ours',
        evidence: { differences: 1 },
      },
    ]);
    expect(await exceptBatch(world.ledger, keyOf(batch), 'again', {})).toBe(false);
  });

  it('does nothing to a batch whose result is not in', async () => {
    const batch = await world.batchIn('reconciled');
    const { value, links } = await newLinks(batch.file_id, () => exceptBatch(world.ledger, keyOf(batch), 'no', {}));
    expect([value, links]).toEqual([false, []]);
    expect(await readBatchRow(world.ledger, keyOf(batch))).toEqual(batch);
  });
});
