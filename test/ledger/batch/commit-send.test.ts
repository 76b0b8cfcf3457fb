import { describe, expect, it } from 'vitest';
import { BATCH_STATES, type BatchState, FILE_STATES, type FileState } from '../../../schemas/lifecycle.ts';
import { stopAccount } from '../../../src/ledger/account/stop-account.ts';
import { type CallEnd, commitSend, type Ended, releaseDelayMs } from '../../../src/ledger/batch/commit-send.ts';
import { recoverBatches } from '../../../src/ledger/batch/recover-batches.ts';
import type { BatchKey } from '../../../src/ledger/engine/move.ts';
import { readBatchRow, readFileRow } from '../../../src/ledger/file/read-file.ts';
import { callFor, declareCall, declareNow, INTENT, LEASE_MS } from '../../support/calls.ts';
import { keyOf, openTestLedger, START } from '../../support/ledger-world.ts';
import { openedForTests } from '../../support/opened-for-tests.ts';
import { waitsForLock } from '../../support/waits-for-lock.ts';

const world = openedForTests(openTestLedger);

const batchStates = Object.keys(BATCH_STATES) as BatchState[];
const fileStates = Object.keys(FILE_STATES) as FileState[];

async function attemptsOf(fileId: string) {
  const { rows } = await world.ledger.pool.query(
    'SELECT * FROM attempt WHERE file_id = $1 ORDER BY batch_no, attempt',
    [fileId],
  );
  return rows;
}

/** Reads what a refused send must leave unchanged. */
async function traces(key: BatchKey) {
  const batch = await readBatchRow(world.ledger, key);
  const file = await readFileRow(world.ledger, key.fileId);
  return { batch, file, attempts: await attemptsOf(key.fileId), links: await world.links(key.fileId) };
}

describe('commitSend, for a call that follows no other', () => {
  it('declares the intent: state, lease, attempt, the file under way, and a link for each move', async () => {
    const call = await world.call();
    const fileId = call.file_id;
    expect(await commitSend(world.ledger, { next: { call, intent: INTENT } })).toEqual({
      ended: 'nothing',
      isDeclared: true,
    });
    const after = await traces(keyOf(call));
    expect(after.batch).toMatchObject({
      state: 'sending',
      reason: 'attempt 1 begins',
      token: call.token,
      worker: world.ledger.instance.id,
    });
    const { rows } = await world.ledger.pool.query<{ left: number }>(
      'SELECT extract(epoch FROM lease_until - clock_timestamp())::float AS left FROM batch WHERE file_id = $1',
      [fileId],
    );
    expect(rows[0]!.left).toBeGreaterThan(LEASE_MS / 1_000 - 30);
    expect(rows[0]!.left).toBeLessThanOrEqual(LEASE_MS / 1_000);
    expect(after.file.state).toBe('in_progress');
    expect(after.attempts).toEqual([
      {
        file_id: fileId,
        batch_no: 1,
        attempt: 1,
        worker: world.ledger.instance.id,
        host: INTENT.host,
        request_bytes: INTENT.requestBytes,
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
        call: call.token,
        journal: call.sender.journal,
      },
    ]);
    const actor = 'worker:submit';
    expect(after.links.slice(2)).toEqual([
      {
        actor,
        batch_no: 1,
        move: 'send',
        from_state: 'ready',
        to_state: 'sending',
        reason: 'attempt 1 begins',
        evidence: { host: INTENT.host, requestBytes: INTENT.requestBytes, sha256: call.body_sha256 },
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

  it('says that the file is under way once, with its first batch', async () => {
    const first = await world.sending({ batches: 2 });
    await world.putBatch(keyOf(first), 'submitted');
    await declareNow(world.ledger, { fileId: first.file_id, batchNo: 2 });
    expect((await world.links(first.file_id)).slice(2).map((link) => link.move)).toEqual(['send', 'begin', 'send']);
  });

  it.each(batchStates)('declares nothing of a batch that is %s, unless it is ready', async (state) => {
    const call = await world.call();
    await world.putBatch(keyOf(call), state);
    const before = await traces(keyOf(call));
    expect(await declareCall(world.ledger, call)).toBe(state === 'ready');
    if (state !== 'ready') expect(await traces(keyOf(call))).toEqual(before);
  });

  it.each(fileStates)('declares a call of a file that is %s only if it is on its way', async (state) => {
    const call = await world.call();
    await world.putFile(call.file_id, state);
    expect(await declareCall(world.ledger, call)).toBe(state === 'accepted' || state === 'in_progress');
  });

  it.each(batchStates)(
    'while another batch of the account is %s, passes if that one is not in the way',
    async (state) => {
      const first = await world.accepted({ batches: 2 });
      const second = await world.accepted({ account: first.account });
      await world.putBatch({ fileId: first.file_id, batchNo: 1 }, state);
      const isInTheWay = ['ready', 'sending', 'unknown', 'refused'].includes(state);
      for (const key of [
        { fileId: first.file_id, batchNo: 2 },
        { fileId: second.file_id, batchNo: 1 },
      ]) {
        const call = await declareNow(world.ledger, key);
        expect(call === undefined).toBe(isInTheWay);
        if (call) await world.putBatch(key, 'submitted');
      }
    },
  );

  it('keeps to the order of the files that are accepted, whatever comes first', async () => {
    const { file_id: held, account } = await world.held();
    const { file_id: first } = await world.accepted({ account });
    const { file_id: second } = await world.accepted({ account });
    const declare = (fileId: string) => declareNow(world.ledger, { fileId, batchNo: 1 });
    expect(await declare(second)).toBeUndefined();
    expect(await declare(first)).toBeDefined();
    await world.putBatch({ fileId: first, batchNo: 1 }, 'submitted');
    await world.putFile(held, 'accepted');
    expect(await declare(second)).toBeUndefined();
    expect(await declare(held)).toBeDefined();
  });

  it('is open although batches of other accounts are in doubt, refused or being sent', async () => {
    for (const state of ['sending', 'unknown', 'refused'] as const) await world.batchIn(state);
    expect(await declareCall(world.ledger, await world.call())).toBe(true);
  });

  it('is closed while the account is stopped', async () => {
    const call = await world.call();
    await stopAccount(world.ledger, call.account, 'somebody has to look');
    const before = await traces(keyOf(call));
    expect(await declareCall(world.ledger, call)).toBe(false);
    expect(await traces(keyOf(call))).toEqual(before);
    await world.ledger.pool.query('DELETE FROM account_stop WHERE account = $1', [call.account]);
    expect(await declareCall(world.ledger, call)).toBe(true);
  });

  it('is closed until the batch has waited, and open from that moment on', async () => {
    const call = await world.call();
    await world.force('UPDATE batch SET not_before = $2 WHERE file_id = $1', [
      call.file_id,
      new Date('2026-06-15T10:00:05Z'),
    ]);
    expect(await declareCall(world.ledger, call)).toBe(false);
    world.clock.advance(4_999);
    expect(await declareCall(world.ledger, call)).toBe(false);
    world.clock.advance(1);
    expect(await declareCall(world.ledger, call)).toBe(true);
    world.clock.set(START);
  });

  it('is open when the batch would wait longer than any does: the clock was set back', async () => {
    const call = await world.call();
    const wait = (until: string) =>
      world.force('UPDATE batch SET not_before = $2 WHERE file_id = $1', [call.file_id, until]);
    await wait('2026-06-15T10:05:00.000Z');
    expect(await declareCall(world.ledger, call)).toBe(false);
    await wait('2026-06-15T10:05:00.001Z');
    expect(await declareCall(world.ledger, call)).toBe(true);
  });

  it.each<[string, (call: Awaited<ReturnType<typeof world.call>>) => object]>([
    ['bytes', () => ({ body_sha256: 'ab'.repeat(32) })],
    ['attempt', ({ attempt }) => ({ attempt: attempt + 1 })],
    ['batch', () => ({ batch_no: 2 })],
  ])('declares nothing when the caller has another %s than the ledger', async (_what, change) => {
    const call = await world.call();
    const before = await traces(keyOf(call));
    expect(await declareCall(world.ledger, { ...call, ...change(call) })).toBe(false);
    expect(await traces(keyOf(call))).toEqual(before);
  });

  it('declares nothing for an opening of the ledger that is over', async () => {
    const call = await world.call();
    const sender = { ...call.sender, epoch: call.sender.epoch + 1 };
    expect(await declareCall(world.ledger, { ...call, sender })).toBe(false);
  });

  it('declares a batch once of many at the same moment, and one attempt is recorded', async () => {
    const { file_id: fileId } = await world.accepted();
    const calls = await Promise.all(Array.from({ length: 20 }, () => callFor(world.ledger, { fileId, batchNo: 1 })));
    const answers = await Promise.all(calls.map((call) => declareCall(world.ledger, call)));
    const declared = calls.filter((_, place) => answers[place]);
    expect(declared).toHaveLength(1);
    expect(await attemptsOf(fileId)).toMatchObject([{ call: declared[0]!.token }]);
    expect((await world.links(fileId)).filter((link) => link.move === 'send')).toHaveLength(1);
  });

  it('lets exactly one of 20 batches of an account through at a time', async () => {
    const { file_id: fileId } = await world.accepted({ batches: 20 });
    const tries = Array.from({ length: 20 }, (_, index) => declareNow(world.ledger, { fileId, batchNo: index + 1 }));
    expect((await Promise.all(tries)).filter((call) => call !== undefined)).toHaveLength(1);
    expect((await world.links(fileId)).filter((link) => link.move === 'send')).toHaveLength(1);
  });

  it('waits for a worker that declares another batch of the account, and lets none through beside it', async () => {
    const { file_id: held, account } = await world.held();
    const { file_id: first } = await world.accepted({ account });
    const { pool } = world.ledger;
    const other = await pool.connect();
    try {
      await other.query('BEGIN');
      await other.query(
        `UPDATE batch SET state = 'sending', token = gen_random_uuid(), worker = 'other',
           lease_until = clock_timestamp() + interval '1 minute' WHERE file_id = $1`,
        [first],
      );
      // This batch now comes first, and its caller cannot see the other worker's open transaction.
      await world.putFile(held, 'accepted');
      const call = await callFor(world.ledger, { fileId: held, batchNo: 1 });
      const ends = declareCall(world.ledger, call);
      await expect.poll(() => waitsForLock(pool)).toBe(true);
      await other.query('COMMIT');
      expect(await ends).toBe(false);
      expect((await readBatchRow(world.ledger, keyOf(call))).state).toBe('ready');
    } finally {
      other.release();
    }
  });

  it('cannot declare the same call twice, even if the state were set back', async () => {
    const call = await world.sending();
    await world.force(`UPDATE batch SET state = 'ready' WHERE file_id = $1`, [call.file_id]);
    await expect(declareCall(world.ledger, call)).rejects.toMatchObject({
      code: '23505',
      constraint: expect.stringMatching(/^attempt_(?:pkey|call_key)$/),
    });
    expect((await readBatchRow(world.ledger, keyOf(call))).state).toBe('ready');
  });
});

const TAKEN = { verdict: 'submitted', batchId: '', firstPollMs: 10_000, evidence: { text: 'done' } } as const;
let ids = 0;
const taken = (): CallEnd => ({ ...TAKEN, batchId: `one-${(ids += 1)}` });

/** Makes a call that is under way, and the call of the batch after it. */
async function two() {
  const call = await world.sending({ batches: 3 });
  return { call, next: await callFor(world.ledger, { fileId: call.file_id, batchNo: 2 }) };
}

describe('commitSend, for the end of a call and the next one', () => {
  const both = async (end: CallEnd, calls: Awaited<ReturnType<typeof two>>) =>
    commitSend(world.ledger, { end: { call: calls.call, end }, next: { call: calls.next, intent: INTENT } });
  const statesOf = async ({ call, next }: Awaited<ReturnType<typeof two>>) =>
    (await Promise.all([call, next].map((one) => readBatchRow(world.ledger, keyOf(one))))).map(({ state }) => state);

  it('ends the one and declares the other, with the links of both', async () => {
    const calls = await two();
    const before = (await world.links(calls.call.file_id)).length;
    expect(await both(taken(), calls)).toEqual({ ended: 'moved', isDeclared: true });
    expect(await statesOf(calls)).toEqual(['submitted', 'sending']);
    expect(await attemptsOf(calls.call.file_id)).toMatchObject([
      { batch_no: 1, verdict: 'submitted' },
      { batch_no: 2, verdict: null, call: calls.next.token },
    ]);
    expect((await world.links(calls.call.file_id)).slice(before)).toMatchObject([
      { batch_no: 1, move: 'submit' },
      { batch_no: 2, move: 'send' },
    ]);
  });

  it('does in one commit what two commits do', async () => {
    const [one, other] = [await two(), await two()];
    const [endOfOne, endOfOther] = [taken(), taken()];
    await both(endOfOne, one);
    await commitSend(world.ledger, { end: { call: other.call, end: endOfOther } });
    await commitSend(world.ledger, { next: { call: other.next, intent: INTENT } });
    const seen = async ({ call }: typeof one) => {
      const keys = [1, 2, 3].map((batchNo) => ({ fileId: call.file_id, batchNo }));
      const batches = await Promise.all(keys.map((key) => readBatchRow(world.ledger, key)));
      const text = JSON.stringify({
        batches: batches.map(({ lease_until: _until, body_sha256: _sha256, ...batch }) => batch),
        file: (await readFileRow(world.ledger, call.file_id)).state,
        attempts: (await attemptsOf(call.file_id)).map(({ call_no: _no, ...attempt }) => attempt),
        links: (await world.links(call.file_id)).slice(2),
      });
      const { rows } = await world.ledger.pool.query<{ name: string }>(
        `SELECT token::text AS name FROM batch WHERE file_id = $1 AND token IS NOT NULL
         UNION ALL SELECT call::text FROM attempt WHERE file_id = $1
         UNION ALL SELECT batch_id FROM batch WHERE file_id = $1 AND batch_id IS NOT NULL
         UNION ALL SELECT body_sha256 FROM batch WHERE file_id = $1`,
        [call.file_id],
      );
      const numbers = `"merchant_no":${call.merchant_no}`;
      return [...rows.map(({ name }) => name), call.file_id, call.account].reduce(
        (all, name) => all.replaceAll(name, 'x'),
        text.replaceAll(numbers, '"merchant_no":0'),
      );
    };
    expect(await seen(one)).toEqual(await seen(other));
  });

  const OTHERS: CallEnd[] = [
    { verdict: 'refused', reason: 'no', evidence: {} },
    { verdict: 'unknown', reason: 'reset', evidence: {} },
    { verdict: 'not_sent', reason: 'closed', evidence: {} },
  ];
  it.each(OTHERS)('declares nothing after an end that is $verdict', async (end) => {
    const calls = await two();
    expect(await both(end, calls)).toEqual({ ended: 'moved', isDeclared: false });
    expect((await statesOf(calls))[1]).toBe('ready');
  });

  it.each<[string, (calls: Awaited<ReturnType<typeof two>>, end: CallEnd) => Promise<unknown>, Ended]>([
    ['the sweep took for dead', ({ call }) => sweepAway(call.file_id), 'late'],
    ['was recorded before', ({ call }, end) => commitSend(world.ledger, { end: { call, end } }), 'recorded'],
  ])('declares nothing after a call that %s', async (_what, meanwhile, ended) => {
    const calls = await two();
    const end = taken();
    await meanwhile(calls, end);
    expect(await both(end, calls)).toEqual({ ended, isDeclared: false });
    expect((await statesOf(calls))[1]).toBe('ready');
  });

  it('writes nothing of both when the account has had the batch id before', async () => {
    const calls = await two();
    const { batch_id: batchId } = await world.putBatch({ fileId: calls.call.file_id, batchNo: 3 }, 'reconciled');
    const before = await traces(keyOf(calls.next));
    await expect(both({ ...TAKEN, batchId: batchId! }, calls)).rejects.toMatchObject({
      constraint: 'one_batch_per_batch_id',
    });
    expect(await traces(keyOf(calls.next))).toEqual(before);
    expect(await statesOf(calls)).toEqual(['sending', 'ready']);
  });

  const CLOSED: Record<string, (calls: Awaited<ReturnType<typeof two>>) => Promise<unknown>> = {
    'the account is stopped': ({ call }) => stopAccount(world.ledger, call.account, 'a stop'),
    'another batch of it is in doubt': ({ call }) => world.putBatch({ fileId: call.file_id, batchNo: 3 }, 'unknown'),
    'a row of it was charged meanwhile': ({ next }) =>
      world.force(`UPDATE batch SET paid_since = now() WHERE file_id = $1 AND batch_no = 2`, [next.file_id]),
    'it was cancelled': ({ next }) => world.putBatch(keyOf(next), 'cancelled'),
    'it has to wait': ({ next }) =>
      world.force(`UPDATE batch SET not_before = $2 WHERE file_id = $1 AND batch_no = 2`, [
        next.file_id,
        new Date('2026-06-15T10:01:00Z'),
      ]),
    'its file was cancelled': ({ call }) => world.putFile(call.file_id, 'partly_cancelled'),
  };
  it.each(Object.entries(CLOSED))('ends the one and declares nothing when %s meanwhile', async (_what, close) => {
    const calls = await two();
    await close(calls);
    expect(await both(taken(), calls)).toEqual({ ended: 'moved', isDeclared: false });
    expect((await statesOf(calls))[0]).toBe('submitted');
    expect(await attemptsOf(calls.call.file_id)).toHaveLength(1);
  });
});

/** As if the worker had died: its lease ended long ago. */
async function sweepAway(fileId: string): Promise<void> {
  await world.force(`UPDATE batch SET lease_until = 'epoch' WHERE file_id = $1 AND state = 'sending'`, [fileId]);
  await recoverBatches(world.ledger, 60_000);
}

describe('releaseDelayMs', () => {
  it.each([
    [0, 1_000],
    [1, 2_000],
    [2, 4_000],
    [8, 256_000],
    [9, 300_000],
    [10_000, 300_000],
  ])('after %i releases it is %i ms', (releases, delayMs) => {
    expect(releaseDelayMs(releases)).toBe(delayMs);
  });
});
