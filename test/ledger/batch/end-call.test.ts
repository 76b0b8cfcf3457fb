import { describe, expect, it } from 'vitest';
import type { BatchState } from '../../../schemas/lifecycle.ts';
import { type Call, type CallEnd, endCall } from '../../../src/ledger/batch/commit-send.ts';
import { recoverBatches } from '../../../src/ledger/batch/recover-batches.ts';
import { readBatchRow } from '../../../src/ledger/file/read-file.ts';
import { callFor, declareCall } from '../../support/calls.ts';
import { keyOf, openTestLedger, START } from '../../support/ledger-world.ts';
import { openedForTests } from '../../support/opened-for-tests.ts';
import { waitsForLock } from '../../support/waits-for-lock.ts';

const world = openedForTests(openTestLedger);

const SUBMITTED: CallEnd = {
  verdict: 'submitted',
  batchId: '9001',
  firstPollMs: 10_000,
  evidence: { text: 'done' },
};
const REFUSED: CallEnd = { verdict: 'refused', reason: 'bad login', evidence: { code: 5 } };
const UNKNOWN: CallEnd = { verdict: 'unknown', reason: 'no answer', evidence: { bytesWritten: 12 } };
const NOT_SENT: CallEnd = { verdict: 'not_sent', reason: 'connection refused', evidence: {} };

const VERDICTS: { end: CallEnd; move: string; to: BatchState; reason: string; columns: object }[] = [
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

async function attemptsOf(batch: Call) {
  const { rows } = await world.ledger.pool.query(
    'SELECT attempt, ended_at, verdict, evidence FROM attempt WHERE file_id = $1 ORDER BY attempt',
    [batch.file_id],
  );
  return rows;
}

describe('endCall', () => {
  it.each(VERDICTS)(
    "$end.verdict makes the batch $to, in nobody's hands",
    async ({ end, move, to, reason, columns }) => {
      const batch = await world.sending();
      const before = await world.links(batch.file_id);
      expect(await endCall(world.ledger, batch, end)).toBe('moved');
      expect(await readBatchRow(world.ledger, keyOf(batch))).toMatchObject({
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
      expect(await endCall(world.ledger, batch, end), state).toBe('late');
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
    expect(await endCall(world.ledger, batch, SUBMITTED)).toBe('late');
    expect(await readBatchRow(world.ledger, keyOf(batch))).toEqual(now);
  });

  it.each<CallEnd>([
    SUBMITTED,
    { verdict: 'refused', reason: 'no', evidence: {} },
    { verdict: 'not_sent', reason: 'no', evidence: {} },
  ])(
    'is written once when the worker says $verdict again, because it did not hear that it was written',
    async (end) => {
      const batch = await world.sending();
      await endCall(world.ledger, batch, end);
      const before = await readBatchRow(world.ledger, keyOf(batch));
      const links = await world.links(batch.file_id);
      expect(await endCall(world.ledger, batch, end)).toBe('recorded');
      expect(await readBatchRow(world.ledger, keyOf(batch))).toEqual(before);
      expect(await world.links(batch.file_id)).toEqual(links);
    },
  );

  it('waits for the commit that declares its call, whose worker has given up on it: the call is ended', async () => {
    const { file_id: fileId } = await world.accepted();
    const call = await callFor(world.ledger, { fileId, batchNo: 1 });
    const { pool } = world.ledger;
    const declaring = await pool.connect();
    try {
      await declaring.query('BEGIN');
      const answers = { connect: async () => ({ query: declaring.query.bind(declaring), release: () => {} }) };
      expect(await declareCall({ ...world.ledger, answers: answers as never }, call)).toBe(true);
      const ends = endCall(world.ledger, call, NOT_SENT);
      await expect.poll(() => waitsForLock(pool)).toBe(true);
      await declaring.query('COMMIT');
      expect(await ends).toBe('moved');
    } finally {
      declaring.release();
    }
    expect(await readBatchRow(world.ledger, keyOf(call))).toMatchObject({ state: 'ready', attempt: 2 });
  });

  it('comes too late with another batch id than the one that was written', async () => {
    const batch = await world.sending();
    await endCall(world.ledger, batch, SUBMITTED);
    expect(await endCall(world.ledger, batch, { ...SUBMITTED, batchId: '9999' })).toBe('late');
    expect((await world.links(batch.file_id)).at(-1)).toMatchObject({ move: 'late-answer' });
  });

  it('comes too late after the sweep, and leaves the batch id where the person who resolves the doubt finds it', async () => {
    const batch = await world.sending();
    await world.force(`UPDATE batch SET lease_until = 'epoch' WHERE file_id = $1`, [batch.file_id]);
    await recoverBatches(world.ledger, 60_000);
    expect(await endCall(world.ledger, batch, SUBMITTED)).toBe('late');
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
    const repeated: CallEnd = { ...SUBMITTED, batchId: earlier.batch_id! };
    expect(await endCall(world.ledger, batch, repeated)).toBe('doubted');
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
    const end: CallEnd = { ...SUBMITTED, batchId: '9002' };
    expect(await endCall(world.ledger, one, end)).toBe('moved');
    expect(await endCall(world.ledger, other, end)).toBe('moved');
  });

  it('counts the tries that reached nobody from the start after one that did', async () => {
    const batch = await world.sending();
    await world.force('UPDATE batch SET releases = 4 WHERE file_id = $1', [batch.file_id]);
    await endCall(world.ledger, { ...batch, releases: 4 }, { ...SUBMITTED, batchId: '9003' });
    expect((await readBatchRow(world.ledger, keyOf(batch))).releases).toBe(0);
  });

  it('waits longer after each try that was not sent', async () => {
    const batch = await world.sending();
    await endCall(world.ledger, { ...batch, releases: 3 }, NOT_SENT);
    expect(await readBatchRow(world.ledger, keyOf(batch))).toMatchObject({
      releases: 4,
      not_before: new Date('2026-06-15T10:00:08.000Z'),
    });
  });

  it('is not lost over an answer that PostgreSQL could not store as it came', async () => {
    const batch = await world.sending();
    const end: CallEnd = { ...SUBMITTED, batchId: '9004', evidence: { text: 'cut in an emoji \ud83d, NUL \0' } };
    expect(await endCall(world.ledger, batch, end)).toBe('moved');
    expect((await attemptsOf(batch))[0].evidence).toEqual({ text: 'cut in an emoji \uFFFD, NUL \uFFFD' });
  });

  it('gives one of two verdicts at the same moment', async () => {
    const batch = await world.sending();
    const ends = await Promise.all([endCall(world.ledger, batch, UNKNOWN), endCall(world.ledger, batch, REFUSED)]);
    expect(ends.toSorted()).toEqual(['late', 'moved']);
  });
});

describe('endCall, of a call that was never declared', () => {
  const put = { verdict: 'not_sent', reason: 'connection refused', evidence: {} } as const;

  it('lets the batch wait a little before the same attempt is made again', async () => {
    const call = await world.call();
    const before = await world.links(call.file_id);
    expect(await endCall(world.ledger, call, put)).toBe('put off');
    expect(await readBatchRow(world.ledger, keyOf(call))).toMatchObject({
      state: 'ready',
      reason: 'connection refused',
      attempt: 1,
      token: null,
      releases: 1,
      not_before: new Date('2026-06-15T10:00:01.000Z'),
    });
    expect(await attemptsOf(call)).toEqual([]);
    expect((await world.links(call.file_id)).slice(before.length)).toEqual([
      {
        actor: 'worker:submit',
        batch_no: 1,
        move: 'put-off',
        from_state: null,
        to_state: null,
        reason: 'connection refused',
        evidence: {},
      },
    ]);
  });

  it('waits longer each time, and once for each try', async () => {
    const call = await world.call();
    const waits: number[] = [];
    for (let round = 0; round < 3; round += 1) {
      const again = await callFor(world.ledger, keyOf(call));
      await endCall(world.ledger, again, put);
      expect(await endCall(world.ledger, again, put)).toBe('nothing');
      const { not_before: notBefore } = await readBatchRow(world.ledger, keyOf(call));
      waits.push(notBefore!.getTime() - world.clock.now().getTime());
    }
    expect(waits).toEqual([1_000, 2_000, 4_000]);
  });

  it.each(['sending', 'submitted', 'cancelled', 'unknown'] as const)(
    'changes nothing when the batch is %s by now',
    async (state) => {
      const call = await world.call();
      const now = await world.putBatch(keyOf(call), state);
      const links = await world.links(call.file_id);
      expect(await endCall(world.ledger, call, put)).toBe('nothing');
      expect(await readBatchRow(world.ledger, keyOf(call))).toEqual(now);
      expect(await world.links(call.file_id)).toEqual(links);
    },
  );
});
