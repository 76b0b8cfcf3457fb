import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { resumeAccount } from '../../../src/ledger/account/pause-account.ts';
import { recallEntries } from '../../../src/ledger/doubt/recall-batch.ts';
import { keepReport } from '../../../src/ledger/doubt/keep-report.ts';
import { findDueWork, findSendable } from '../../support/due-work.ts';
import { readBatchRow } from '../../../src/ledger/file/read-file.ts';
import { transact } from '../../../src/ledger/engine/transaction.ts';
import { keyOf, openTestLedger, outcomesOf, START } from '../../support/ledger-world.ts';
import {
  declareNotReceived,
  assignBatchId,
  detachResult,
  mapBatch,
} from '../../../src/ledger/doubt/resolution-actions.ts';
import { openedForTests } from '../../support/opened-for-tests.ts';
import { endCall } from '../../../src/ledger/batch/commit-send.ts';
import { declareNow } from '../../support/calls.ts';

const world = openedForTests(openTestLedger);

const because = { actor: 'operator:ada', reason: 'never arrived', evidence: { evidence: 'ticket 4711' } };

const DAY_MS = 86_400_000;

async function doubtful(plan = {}) {
  world.clock.set(START);
  const batch = await world.sending(plan);
  await endCall(world.ledger, batch, { verdict: 'unknown', reason: 'reset', evidence: {} });
  return batch;
}

function absolve(batch: Parameters<typeof keyOf>[0], waitMs = DAY_MS) {
  return transact(world.ledger, (tx) => declareNotReceived(tx, keyOf(batch), waitMs, because));
}

describe('declareNotReceived', () => {
  it('waits for its time to the millisecond, then makes the next attempt possible and opens the account', async () => {
    const batch = await doubtful({ batches: 2 });
    world.clock.advance(DAY_MS - 1);
    await expect(absolve(batch)).rejects.toThrow(
      `Cannot mark batch ${batch.file_id}/1 as not received: the service may still book it; this is possible from 2026-06-16T10:00:00.000Z on`,
    );
    expect(await readBatchRow(world.ledger, keyOf(batch))).toMatchObject({ state: 'unknown', attempt: 1 });
    expect(await findSendable(world.ledger, batch.account)).toEqual([]);

    world.clock.advance(1);
    await absolve(batch);
    const ready = { state: 'ready', attempt: 2, not_before: world.clock.now() };
    expect(await readBatchRow(world.ledger, keyOf(batch))).toMatchObject(ready);
    expect(await findSendable(world.ledger, batch.account)).toEqual([keyOf(batch)]);
    expect((await world.links(batch.file_id)).at(-1)).toMatchObject({ ...because, move: 'absolve', to_state: 'ready' });

    const again = await declareNow(world.ledger, keyOf(batch));
    expect(again).toBeDefined();
    const { rows } = await world.ledger.pool.query(
      'SELECT attempt, verdict, resolution FROM attempt WHERE file_id = $1 ORDER BY attempt',
      [batch.file_id],
    );
    expect(rows).toEqual([
      { attempt: 1, verdict: 'unknown', resolution: 'not_received' },
      { attempt: 2, verdict: null, resolution: null },
    ]);
  });

  it.each([
    ['this host', DAY_MS, -DAY_MS],
    ['the database', 0, DAY_MS],
  ])('counts by the slower clock when that of %s was set forward', async (_whose, passedMs, databaseMs) => {
    const batch = await doubtful();
    world.clock.advance(passedMs);
    world.wrongBy.database = databaseMs;
    await expect(absolve(batch)).rejects.toMatchObject({ code: 'RESOLUTION_REFUSED' });
    world.wrongBy.database = 0;
  });

  it('counts the time of the later call when there were two', async () => {
    const batch = await doubtful();
    world.clock.advance(DAY_MS);
    await absolve(batch);
    const again = await declareNow(world.ledger, keyOf(batch));
    await endCall(world.ledger, again!, { verdict: 'unknown', reason: 'reset', evidence: {} });
    await expect(absolve(batch)).rejects.toMatchObject({ code: 'RESOLUTION_REFUSED' });
    world.clock.advance(DAY_MS);
    await absolve(batch);
    expect(await readBatchRow(world.ledger, keyOf(batch))).toMatchObject({ state: 'ready', attempt: 3 });
  });

  it('is refused once a report of the service shows a row of the batch', async () => {
    const batch = await doubtful();
    const found = { line: 2, finding: 'found', outcome: 'approved', code: null, message: 'OK' } as const;
    const report = { attempt: 1, name: 'report.csv', sha256: 'f'.repeat(64), lines: 1, oldestAt: null, newestAt: null };
    const findings = [{ ...found, authorization: '', transactionId: '' }];
    await transact(world.ledger, (tx) => keepReport(tx, keyOf(batch), { ...report, covers: false, findings }, because));
    world.clock.advance(2 * DAY_MS);
    await expect(absolve(batch)).rejects.toThrow(/"report\.csv" shows that the row on line 2 was booked/);
    expect(await readBatchRow(world.ledger, keyOf(batch))).toMatchObject({ state: 'unknown' });
  });

  it('is the only way: without a resolution the database refuses to send the batch once more', async () => {
    const batch = await doubtful();
    await world.force(`UPDATE batch SET state = 'ready', attempt = 2 WHERE file_id = $1`, [batch.file_id]);
    await expect(declareNow(world.ledger, keyOf(batch))).rejects.toMatchObject({ code: 'PD003' });
    await world.force(`UPDATE batch SET state = 'cancelled' WHERE file_id = $1`, [batch.file_id]);
  });
});

describe('assignBatchId', () => {
  beforeAll(() => world.empty());

  async function doubtful(plan = {}) {
    const batch = await world.sending(plan);
    await endCall(world.ledger, batch, { verdict: 'unknown', reason: 'reset', evidence: {} });
    return batch;
  }

  it('makes the batch submitted as of its call, with its result asked for at once and a resolution beside the attempt', async () => {
    const batch = await doubtful();
    world.clock.advance(7_200_000);
    await transact(world.ledger, (tx) => assignBatchId(tx, keyOf(batch), '9001', because));
    const adopted = await readBatchRow(world.ledger, keyOf(batch));
    expect(adopted).toMatchObject({ state: 'submitted', batch_id: '9001', attempt: 1 });
    expect({ sentAt: adopted.submitted_at, dueAt: adopted.next_poll_at }).toEqual({
      sentAt: new Date(START),
      dueAt: world.clock.now(),
    });
    expect((await findDueWork(world.ledger)).poll.map((row) => row.file_id)).toContain(batch.file_id);
    const { rows } = await world.ledger.pool.query('SELECT verdict, resolution, resolved_by FROM attempt');
    expect(rows).toEqual([{ verdict: 'unknown', resolution: 'adopted', resolved_by: 'operator:ada' }]);
    expect((await world.links(batch.file_id)).at(-1)).toMatchObject({
      ...because,
      move: 'adopt',
      to_state: 'submitted',
    });
    world.clock.set(START);
  });

  it('is refused by the database for an id that another batch of the account has, and only of that account', async () => {
    const batch = await doubtful({ batches: 2 });
    const other = await world.putBatch({ fileId: batch.file_id, batchNo: 2 }, 'reconciled');
    const adopt = (id: string, key = keyOf(batch)) =>
      transact(world.ledger, (tx) => assignBatchId(tx, key, id, because));
    await expect(adopt(other.batch_id!)).rejects.toMatchObject({ code: 'RESOLUTION_REFUSED' });
    expect(await readBatchRow(world.ledger, keyOf(batch))).toMatchObject({ state: 'unknown', batch_id: null });
    await adopt(other.batch_id!, keyOf(await doubtful()));
  });
});

describe('mapBatch', () => {
  it('ends an exception with one outcome for each row, under the batch id that it has', async () => {
    const batch = await world.batchIn('exception');
    await transact(world.ledger, (tx) => mapBatch(tx, keyOf(batch), outcomesOf(batch), 'settled', because));
    const mapped = { state: 'reconciled', batch_id: batch.batch_id, result_at: world.clock.now() };
    expect(await readBatchRow(world.ledger, keyOf(batch))).toMatchObject(mapped);
    expect((await world.links(batch.file_id)).at(-1)).toMatchObject({
      ...because,
      move: 'map',
      from_state: 'exception',
    });
  });

  it('writes nothing when the outcomes do not match its rows', async () => {
    const batch = await world.batchIn('exception');
    const map = transact(world.ledger, (tx) => mapBatch(tx, keyOf(batch), [], 'settled', because));
    await expect(map).rejects.toMatchObject({ code: 'MOVE_REFUSED' });
    expect(await readBatchRow(world.ledger, keyOf(batch))).toEqual(batch);
  });

  it('says in which state a batch is that is none', async () => {
    const batch = await world.batchIn('submitted');
    const map = transact(world.ledger, (tx) => mapBatch(tx, keyOf(batch), outcomesOf(batch), 'settled', because));
    await expect(map).rejects.toThrow(/^Cannot map batch 1 of file "\w+": its state is awaiting result\./);
    const disown = transact(world.ledger, (tx) => detachResult(tx, { fileId: 'nobody', batchNo: 1 }, because));
    await expect(disown).rejects.toThrow('it is not in the ledger');
  });
});

describe('detachResult', () => {
  beforeAll(() => world.empty());

  it('puts an exception in doubt, frees its batch id, writes it down, and stops the account', async () => {
    const batch = await world.sending({ batches: 2 });
    const end = { verdict: 'submitted', batchId: '9001', firstPollMs: 0, evidence: {} } as const;
    await endCall(world.ledger, batch, end);
    await world.force(`UPDATE batch SET state = 'exception' WHERE file_id = $1 AND batch_no = 1`, [batch.file_id]);
    expect(await findSendable(world.ledger, batch.account)).toHaveLength(1);

    const given = await transact(world.ledger, (tx) => detachResult(tx, keyOf(batch), because));
    expect(given).toBe('9001');
    const doubtful = { state: 'unknown', batch_id: null, submitted_at: null, result_at: null, next_poll_at: null };
    expect(await readBatchRow(world.ledger, keyOf(batch))).toMatchObject(doubtful);
    expect(await findSendable(world.ledger, batch.account)).toEqual([]);
    const { rows } = await world.ledger.pool.query('SELECT verdict, resolution, evidence FROM attempt');
    expect(rows).toEqual([{ verdict: 'unknown', resolution: null, evidence: { disownedBatchId: '9001' } }]);
    const link = { ...because, move: 'disown', evidence: { disownedBatchId: '9001' } };
    expect((await world.links(batch.file_id)).at(-1)).toMatchObject(link);

    const other = await world.sending({ account: `${batch.account}-2` });
    await endCall(world.ledger, other, { verdict: 'unknown', reason: 'reset', evidence: {} });
    await transact(world.ledger, (tx) => assignBatchId(tx, keyOf(other), '9001', because));
    expect(await readBatchRow(world.ledger, keyOf(other))).toMatchObject({ batch_id: '9001' });
  });

  it('puts every call in doubt again that its batch id had resolved, so that the batch can be sent once all are', async () => {
    const batch = await doubtful();
    const entry = { account: batch.account, ...keyOf(batch), attempt: 2, sha256: batch.body_sha256, at: START };
    await transact(world.ledger, (tx) => recallEntries(tx, [{ ...entry, call: randomUUID() }], 'send journal'));
    await resumeAccount(world.ledger, batch.account, because);
    await transact(world.ledger, (tx) => assignBatchId(tx, keyOf(batch), '9002', because));
    await world.force(`UPDATE batch SET state = 'exception' WHERE file_id = $1`, [batch.file_id]);
    await transact(world.ledger, (tx) => detachResult(tx, keyOf(batch), because));
    const { rows } = await world.ledger.pool.query(
      'SELECT attempt, verdict, resolution FROM attempt WHERE file_id = $1 ORDER BY attempt',
      [batch.file_id],
    );
    expect(rows).toEqual([1, 2].map((attempt) => ({ attempt, verdict: 'unknown', resolution: null })));
    world.clock.advance(2 * DAY_MS);
    await absolve(batch);
    const again = await declareNow(world.ledger, keyOf(batch));
    expect(again).toBeDefined();
  });
});
