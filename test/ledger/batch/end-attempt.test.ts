import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { BatchState } from '../../../schemas/lifecycle.ts';
import { type AttemptEnd, closing, endAttempt, recoverBatches } from '../../../src/ledger/batch/end-attempt.ts';
import { moveBatch } from '../../../src/ledger/engine/move.ts';
import type { Prepared } from '../../../src/ledger/batch/prepare-batch.ts';
import { readBatchRow } from '../../../src/ledger/file/read-file.ts';
import { transact } from '../../../src/ledger/engine/transaction.ts';
import { keyOf, openTestLedger, START } from '../../support/ledger-world.ts';
import { openedForTests } from '../../support/opened-for-tests.ts';

const world = openedForTests(openTestLedger);

const SUBMITTED: AttemptEnd = {
  verdict: 'submitted',
  batchId: '9001',
  firstPollMs: 10_000,
  evidence: { text: 'done' },
};
const REFUSED: AttemptEnd = { verdict: 'refused', reason: 'bad login', evidence: { code: 5 } };
const UNKNOWN: AttemptEnd = { verdict: 'unknown', reason: 'no answer', evidence: { bytesWritten: 12 } };
const NOT_SENT: AttemptEnd = { verdict: 'not_sent', reason: 'connection refused', evidence: {} };

const VERDICTS: { end: AttemptEnd; move: string; to: BatchState; reason: string; columns: object }[] = [
  {
    end: SUBMITTED,
    move: 'submit',
    to: 'submitted',
    reason: 'the service gave it batch id 9001',
    columns: {
      batch_id: '9001',
      submitted_at: new Date(START),
      next_poll_at: new Date('2026-06-15T10:00:10.000Z'),
      attempt: 1,
      releases: 0,
    },
  },
  { end: REFUSED, move: 'refuse', to: 'refused', reason: 'bad login', columns: { batch_id: null, attempt: 1 } },
  { end: UNKNOWN, move: 'doubt', to: 'unknown', reason: 'no answer', columns: { batch_id: null, attempt: 1 } },
  {
    end: NOT_SENT,
    move: 'unsent',
    to: 'ready',
    reason: 'connection refused',
    columns: { attempt: 2, releases: 1, not_before: new Date('2026-06-15T10:00:01.000Z') },
  },
];

async function attemptsOf(batch: Prepared) {
  const { rows } = await world.ledger.pool.query(
    'SELECT attempt, ended_at, verdict, evidence FROM attempt WHERE file_id = $1 ORDER BY attempt',
    [batch.file_id],
  );
  return rows;
}

describe('endAttempt', () => {
  it.each(VERDICTS)(
    "$end.verdict makes the batch $to, in nobody's hands",
    async ({ end, move, to, reason, columns }) => {
      const batch = await world.sending();
      const before = await world.links(batch.file_id);
      const ended = await endAttempt(world.ledger, batch, end);
      expect(ended).toEqual(await readBatchRow(world.ledger, keyOf(batch)));
      expect(ended).toMatchObject({
        ...columns,
        state: to,
        reason,
        token: null,
        worker: null,
        lease_until: null,
      });
      expect(await attemptsOf(batch)).toEqual([
        { attempt: 1, ended_at: new Date(START), verdict: end.verdict, evidence: end.evidence },
      ]);
      expect((await world.links(batch.file_id)).slice(before.length)).toEqual([
        {
          actor: 'worker:submit',
          batch_no: 1,
          move,
          from_state: 'sending',
          to_state: to,
          reason,
          evidence: end.evidence,
        },
      ]);
    },
  );

  it.each(VERDICTS)('$end.verdict changes nothing in any other state, but the answer is kept', async (row) => {
    const { end, reason } = row;
    const batch = await world.sending();
    for (const state of ['unknown', 'reconciled'] as const) {
      await world.force('UPDATE batch SET state = $2 WHERE file_id = $1', [batch.file_id, state]);
      const before = await readBatchRow(world.ledger, keyOf(batch));
      const links = await world.links(batch.file_id);
      expect(await endAttempt(world.ledger, batch, end), state).toBeUndefined();
      expect(await readBatchRow(world.ledger, keyOf(batch))).toEqual(before);
      expect((await world.links(batch.file_id)).slice(links.length)).toEqual([
        {
          actor: 'worker:submit',
          batch_no: 1,
          move: 'late-answer',
          from_state: null,
          to_state: null,
          reason,
          evidence: end.verdict === 'submitted' ? { ...end.evidence, batchId: end.batchId } : end.evidence,
        },
      ]);
    }
    expect(await attemptsOf(batch)).toEqual([{ attempt: 1, ended_at: null, verdict: null, evidence: null }]);
  });

  it('does not touch a batch that is in the hands of another worker', async () => {
    const batch = await world.sending();
    const now = await world.putBatch(keyOf(batch), 'sending');
    expect(await endAttempt(world.ledger, batch, SUBMITTED)).toBeUndefined();
    expect(await readBatchRow(world.ledger, keyOf(batch))).toEqual(now);
  });

  it.each<AttemptEnd>([
    SUBMITTED,
    { verdict: 'refused', reason: 'no', evidence: {} },
    { verdict: 'not_sent', reason: 'no', evidence: {} },
  ])(
    'is written once when the worker says $verdict again, because it did not hear that it was written',
    async (end) => {
      const batch = await world.sending();
      await endAttempt(world.ledger, batch, end);
      const before = await readBatchRow(world.ledger, keyOf(batch));
      const links = await world.links(batch.file_id);
      expect(await endAttempt(world.ledger, batch, end)).toBe('recorded');
      expect(await readBatchRow(world.ledger, keyOf(batch))).toEqual(before);
      expect(await world.links(batch.file_id)).toEqual(links);
    },
  );

  it('comes too late with another batch id than the one that was written', async () => {
    const batch = await world.sending();
    await endAttempt(world.ledger, batch, SUBMITTED);
    expect(await endAttempt(world.ledger, batch, { ...SUBMITTED, batchId: '9999' })).toBeUndefined();
    expect((await world.links(batch.file_id)).at(-1)).toMatchObject({ move: 'late-answer' });
  });

  it('comes too late after the sweep, and leaves the batch id where the person who resolves the doubt finds it', async () => {
    const batch = await world.sending();
    await world.force(`UPDATE batch SET lease_until = 'epoch' WHERE file_id = $1`, [batch.file_id]);
    await recoverBatches(world.ledger, 60_000);
    expect(await endAttempt(world.ledger, batch, SUBMITTED)).toBeUndefined();
    expect(await readBatchRow(world.ledger, keyOf(batch))).toMatchObject({ state: 'unknown', batch_id: null });
    expect((await world.links(batch.file_id)).at(-1)).toMatchObject({
      move: 'late-answer',
      reason: 'the service gave it batch id 9001',
    });
  });

  it('ends in doubt when the account has had the batch id before', async () => {
    const batch = await world.sending({ batches: 2 });
    const earlier = await world.putBatch({ fileId: batch.file_id, batchNo: 2 }, 'reconciled');
    const before = await world.links(batch.file_id);
    const repeated: AttemptEnd = { ...SUBMITTED, batchId: earlier.batch_id! };
    expect(await endAttempt(world.ledger, batch, repeated)).toMatchObject({ state: 'unknown' });
    const reason = `the service answered with batch id ${earlier.batch_id}, which this account already has`;
    expect(await readBatchRow(world.ledger, keyOf(batch))).toMatchObject({ state: 'unknown', batch_id: null, reason });
    expect(await attemptsOf(batch)).toEqual([
      { attempt: 1, ended_at: new Date(START), verdict: 'unknown', evidence: { text: 'done' } },
    ]);
    expect((await world.links(batch.file_id)).slice(before.length)).toMatchObject([{ move: 'doubt', reason }]);
  });

  it('takes a batch id that only another account has had', async () => {
    const one = await world.sending();
    const other = await world.sending();
    const end: AttemptEnd = { ...SUBMITTED, batchId: '9002' };
    expect(await endAttempt(world.ledger, one, end)).toMatchObject({ state: 'submitted' });
    expect(await endAttempt(world.ledger, other, end)).toMatchObject({ state: 'submitted' });
  });

  it('counts the tries that reached nobody from the start after one that did', async () => {
    const batch = await world.sending();
    await world.force('UPDATE batch SET releases = 4 WHERE file_id = $1', [batch.file_id]);
    await endAttempt(world.ledger, { ...batch, releases: 4 }, { ...SUBMITTED, batchId: '9003' });
    expect((await readBatchRow(world.ledger, keyOf(batch))).releases).toBe(0);
  });

  it('waits longer after each try that was not sent', async () => {
    const batch = await world.sending();
    await endAttempt(world.ledger, { ...batch, releases: 3 }, NOT_SENT);
    expect(await readBatchRow(world.ledger, keyOf(batch))).toMatchObject({
      releases: 4,
      not_before: new Date('2026-06-15T10:00:08.000Z'),
    });
  });

  it('is not lost over an answer that PostgreSQL could not store as it came', async () => {
    const batch = await world.sending();
    const end: AttemptEnd = { ...SUBMITTED, batchId: '9004', evidence: { text: 'cut in an emoji \ud83d, NUL \0' } };
    expect(await endAttempt(world.ledger, batch, end)).toMatchObject({ state: 'submitted' });
    expect((await attemptsOf(batch))[0].evidence).toEqual({ text: 'cut in an emoji \uFFFD, NUL \uFFFD' });
  });

  it('gives one of two verdicts at the same moment', async () => {
    const batch = await world.sending();
    const ends = await Promise.all([
      endAttempt(world.ledger, batch, UNKNOWN),
      endAttempt(world.ledger, batch, REFUSED),
    ]);
    expect(ends.filter((end) => end !== undefined)).toEqual([await readBatchRow(world.ledger, keyOf(batch))]);
  });
});

describe('closing', () => {
  it('writes the verdict with the attempt it is about and no other, when the batch is moved', async () => {
    const batch = await world.sending();
    await world.ledger.pool.query(
      `INSERT INTO attempt (file_id, batch_no, attempt, worker, host, request_bytes, started_at, call)
       SELECT file_id, batch_no, 2, worker, host, request_bytes, started_at, gen_random_uuid() FROM attempt WHERE file_id = $1`,
      [batch.file_id],
    );
    const verdicts = async () => (await attemptsOf(batch)).map((attempt) => attempt.verdict);
    const because = { actor: 'worker:submit', reason: 'the service said no' };
    const refuse = (token: string) =>
      transact(world.ledger, (tx) =>
        moveBatch(tx, 'refuse', keyOf(batch), because, {
          where: { sql: 'token = $1', values: [token] },
          also: closing(tx, 2, { verdict: 'refused', evidence: { code: 1 } }),
        }),
      );
    expect(await refuse(randomUUID())).toBeUndefined();
    expect(await verdicts()).toEqual([null, null]);
    expect(await refuse(batch.token)).toMatchObject({ state: 'refused' });
    expect(await verdicts()).toEqual([null, 'refused']);
  });
});
