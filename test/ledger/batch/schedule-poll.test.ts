import { schedulePoll } from '../../support/end-batches.ts';
import { beforeEach, describe, expect, it } from 'vitest';
import { BATCH_STATES, type BatchState } from '../../../schemas/lifecycle.ts';
import { recordOutput } from '../../../src/ledger/file/complete-file.ts';
import { findDueWork } from '../../support/due-work.ts';
import { isMoving } from '../../../src/ledger/overview/overview.ts';
import { readBatchRow, readFileRow } from '../../../src/ledger/file/read-file.ts';
import { readSealedPart } from '../../../src/ledger/batch/read-sealed-part.ts';
import type { BatchRow } from '../../../src/ledger/engine/records.ts';
import { keyOf, openTestLedger, START } from '../../support/ledger-world.ts';
import {
  endRecheck,
  keepLaterResult,
  laterPart,
  pollNow,
  readPollLag,
  takeRecheck,
  readUsualResultMs,
  schedulePolls,
} from '../../../src/ledger/batch/schedule-poll.ts';
import { openedForTests } from '../../support/opened-for-tests.ts';

const world = openedForTests(openTestLedger);

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
  await recordOutput(
    world.ledger,
    { file: await readFileRow(world.ledger, batch.file_id) },
    { kind, name: kind, sha256: '', bytes: 0, rows: 0 },
  );
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

  const otherStates = (Object.keys(BATCH_STATES) as BatchState[]).filter((state) => state !== 'reconciled');
  it.each(otherStates)('gives no batch that is %s', async (state) => {
    expect(await take(await dueBatch(state))).toBeUndefined();
  });

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

const WAITING: readonly BatchState[] = ['submitted', 'exception'];

describe('readUsualResultMs', () => {
  it('is the median of the last results of an account, once there are enough', async () => {
    const put = async (account: string, seconds: number, change = 'rows = rows') => {
      const batch = await world.batchIn('reconciled', { account });
      const at = `'${START}'::timestamptz`;
      await world.force(
        `UPDATE batch SET submitted_at = ${at}, result_at = ${at} + ${seconds} * interval '1 second', final_at = ${at}
         WHERE file_id = $1`,
        [batch.file_id],
      );
      await world.force(`UPDATE batch SET ${change} WHERE file_id = $1`, [batch.file_id]);
    };
    for (const seconds of [1, 9, 5]) await put('waits', seconds);
    await put('side', 60);
    await put('waits', 60, 'submitted_at = NULL');
    await put('waits', 60, "state = 'cancelled'");
    expect(await readUsualResultMs(world.ledger, 'waits', 4)).toBeUndefined();
    expect(await readUsualResultMs(world.ledger, 'waits', 3)).toBe(5_000);
    expect(await readUsualResultMs(world.ledger, 'nobody', 0)).toBeUndefined();
  });
});

describe('schedulePoll', () => {
  it.each(WAITING)('remembers when to ask again about a batch that is %s, without a link', async (state) => {
    const batch = await world.batchIn(state);
    const before = await world.links(batch.file_id);
    await schedulePoll(world.ledger, keyOf(batch), 10_000);
    const news = await schedulePoll(world.ledger, keyOf(batch), 15_000);
    expect(news).toEqual({
      batch: { ...batch, polls: 2, next_poll_at: new Date('2026-06-15T10:00:15.000Z') },
      isNewlyStale: false,
      isNewAlarm: false,
    });
    expect(await world.links(batch.file_id)).toEqual(before);
  });

  it('says once that a result is overdue, and since when', async () => {
    const batch = await world.batchIn('submitted');
    const asked = [];
    for (const isStale of [false, true, true]) {
      asked.push((await schedulePoll(world.ledger, keyOf(batch), 1_000, { isStale }))?.isNewlyStale);
    }
    expect(asked).toEqual([false, true, false]);
    expect((await readBatchRow(world.ledger, keyOf(batch))).stale_since).toEqual(new Date(START));
    const moves = (await world.links(batch.file_id)).map((link) => link.move);
    expect(moves.filter((move) => move === 'stale')).toHaveLength(1);
  });

  it('raises an alarm once for each text that is not known', async () => {
    const batch = await world.batchIn('submitted');
    const asked = [];
    for (const alarm of ['Gone', 'Gone', undefined, 'Gone', 'Lost']) {
      asked.push((await schedulePoll(world.ledger, keyOf(batch), 1_000, alarm ? { alarm } : {}))?.isNewAlarm);
    }
    expect(asked).toEqual([true, false, false, false, true]);
    const reasons = (await world.links(batch.file_id))
      .filter((link) => link.move === 'alarm')
      .map((link) => link.reason);
    expect(reasons).toEqual([expect.stringContaining('Gone'), expect.stringContaining('Lost')]);
  });

  const wrongStates = (Object.keys(BATCH_STATES) as BatchState[]).filter((state) => !WAITING.includes(state));
  it.each(wrongStates)('does nothing to a batch that is %s', async (state) => {
    const batch = await world.batchIn(state);
    expect(await schedulePoll(world.ledger, keyOf(batch), 10_000)).toBeUndefined();
    expect(await readBatchRow(world.ledger, keyOf(batch))).toEqual(batch);
  });

  it.each([
    ['another process has asked meanwhile', 'polls = polls + 1'],
    ['a person has assigned another batch id meanwhile', "batch_id = 'other'"],
  ])('changes nothing when %s, and puts off the others', async (_what, change) => {
    const [batch, other] = [await world.batchIn('submitted'), await world.batchIn('submitted')];
    await world.force(`UPDATE batch SET ${change} WHERE file_id = $1`, [batch.file_id]);
    const before = await readBatchRow(world.ledger, keyOf(batch));
    const asked = [batch, other].map((one) => ({ batch: one, delayMs: 10_000, note: {} }));
    expect((await schedulePolls(world.ledger, asked)).map((news) => news !== undefined)).toEqual([false, true]);
    expect(await readBatchRow(world.ledger, keyOf(batch))).toEqual(before);
    expect((await readBatchRow(world.ledger, keyOf(other))).polls).toBe(1);
  });
});

const because = { actor: 'operator:ada', reason: 'requested by hand' };
const ASKED: readonly BatchState[] = ['submitted', 'result_in', 'exception', 'reconciled'];

describe('pollNow', () => {
  it.each(Object.keys(BATCH_STATES) as BatchState[])('of a batch that is %s', async (state) => {
    const batch = await world.batchIn(state);
    const polling = pollNow(world.ledger, keyOf(batch), because);
    if (!ASKED.includes(state)) return expect(polling).rejects.toMatchObject({ code: 'MOVE_REFUSED' });
    await polling;
    const isDue = (when: boolean) => (when ? new Date(START) : null);
    expect(await readBatchRow(world.ledger, keyOf(batch))).toMatchObject({
      state,
      next_poll_at: isDue(state === 'submitted' || state === 'exception'),
      next_recheck_at: isDue(state === 'reconciled'),
    });
    expect((await world.links(batch.file_id)).at(-1)).toMatchObject({ ...because, move: 'repoll' });
  });

  it('refuses a batch that was settled without a batch id', async () => {
    const batch = await world.batchIn('reconciled');
    await world.force('UPDATE batch SET batch_id = NULL WHERE file_id = $1', [batch.file_id]);
    await expect(pollNow(world.ledger, keyOf(batch), because)).rejects.toMatchObject({ code: 'MOVE_REFUSED' });
  });
});

describe('readPollLag', () => {
  beforeEach(() => world.empty());
  async function waiting(
    state: BatchState,
    nextPollAt: string | null,
    staleSince: string | null = null,
  ): Promise<void> {
    const { file_id: fileId } = await world.batchIn(state, { account: 'main' });
    await world.force('UPDATE batch SET next_poll_at = $2, stale_since = $3, submitted_at = $4 WHERE file_id = $1', [
      fileId,
      nextPollAt,
      staleSince,
      START,
    ]);
  }

  it('names the question that has waited longest, and counts what is overdue', async () => {
    await waiting('submitted', '2026-06-15T10:05:00.000Z');
    await waiting('submitted', '2026-06-15T10:03:00.000Z', START);
    await waiting('exception', '2026-06-15T10:04:00.000Z');
    expect(await readPollLag(world.ledger)).toEqual([
      { account: 'main', waiting: 3, overdue: 1, dueAt: new Date('2026-06-15T10:03:00.000Z') },
    ]);
  });

  it('reckons a batch that was never asked about from when the service took it', async () => {
    await waiting('submitted', null);
    expect(await readPollLag(world.ledger)).toMatchObject([{ waiting: 1, dueAt: new Date(START) }]);
  });

  it.each(['ready', 'unknown', 'result_in', 'reconciled'] as const)('leaves out a batch that is %s', async (state) => {
    await waiting(state, '2026-06-15T10:03:00.000Z');
    expect(await readPollLag(world.ledger)).toEqual([]);
  });

  it('leaves out an exception that is not asked for again', async () => {
    await waiting('exception', null);
    expect(await readPollLag(world.ledger)).toEqual([]);
  });
});
