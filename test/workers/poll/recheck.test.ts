import { describe, expect, it } from 'vitest';
import type { App } from '../../../src/app.ts';
import type { ResultAnswer } from '../../../src/gateway/answers.ts';
import { handClock } from '../../../src/kernel/clock.ts';
import type { BatchKey } from '../../../src/ledger/engine/move.ts';
import { findDueWork } from '../../support/due-work.ts';
import { readChanges } from '../../../src/ledger/row/change-outcomes.ts';
import { readBatchRow, readFileRow } from '../../../src/ledger/file/read-file.ts';
import { askForResult } from '../../../workers/poll/poll.ts';
import { nextRecheckAt } from '../../../workers/poll/recheck.ts';
import { CARD, cardRow, lines, upTo } from '../../support/payment-rows.ts';
import { cutAtStatement, POWER_CUT, stepWorld } from '../support/step-world.ts';
import { answering, answeringResult } from '../support/scripted-gateway.ts';
import { movesOf, query, rungBy } from '../support/story.ts';
import { deliverFile, submitBatch } from '../../support/work-alone.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const world = stepWorld({
  accounts: 20,
  special: { never: { recheck: { afterMs: [] } } },
  settings: { batch: { maxRows: 3 } },
});

let batchIds = 700;

function result(...messages: string[]): ResultAnswer {
  const rows = messages.map((message, index) => cardRow(index + 1).replace(CARD, '4***********2220') + `,${message}`);
  return { kind: 'done', file: Buffer.from(`${rows.join('\r\n')}\r\n`), text: 'done' };
}

const NO_RESULT: ResultAnswer = { kind: 'done', file: Buffer.from('<html></html>'), text: 'done' };
const FIRST = result('OK: 1', 'REJECT: 15', 'TIMEOUT');

/** Makes a completed file of one batch, with a manual clock at the time its outcomes were written. */
async function completed(account = world.freshAccount()) {
  const fileId = await world.takeIn(`drop/${account}/card`, lines(upTo(3).map((n) => cardRow(n))));
  const key: BatchKey = { fileId, batchNo: 1 };
  await submitBatch(answering(world.app, { kind: 'submitted', batchId: String((batchIds += 1)), text: 'ok' }).app, key);
  await world.query(`UPDATE batch SET next_poll_at = now() - interval '1 s' WHERE file_id = $1`, [fileId]);
  const clock = handClock(new Date());
  const app: App = { ...world.app, clock, ledger: { ...world.app.ledger, clock } };
  await askForResult(answeringResult(app, FIRST), key);
  await deliverFile(app, { fileId });
  const file = await readFileRow(app.ledger, fileId);
  const ask = async (answer: ResultAnswer | Error) => {
    clock.set((await readBatchRow(app.ledger, key)).next_recheck_at!);
    return askForResult(answeringResult(app, answer), key);
  };
  return { app, clock, key, file, ask };
}

describe('recheckBatch', () => {
  it('asks after an hour, a day, three and seven, and then never again', async () => {
    const { app, clock, key, ask } = await completed();
    const sinceMs = clock.now().getTime();
    const afterMs: number[] = [];
    while ((await readBatchRow(app.ledger, key)).next_recheck_at) {
      await ask(FIRST);
      afterMs.push(clock.now().getTime() - sinceMs);
    }
    expect(afterMs).toEqual([HOUR_MS, DAY_MS, 3 * DAY_MS, 7 * DAY_MS]);
    expect(await readBatchRow(app.ledger, key)).toMatchObject({ state: 'reconciled', rechecks: 4 });
    await askForResult(answeringResult(app, new Error('nobody may ask')), key);
  });

  it('is not asked before its time', async () => {
    const { app, clock, key } = await completed();
    clock.advance(HOUR_MS - 1);
    await askForResult(answeringResult(app, new Error('nobody may ask')), key);
    expect((await findDueWork(app.ledger)).poll.map((batch) => batch.file_id)).not.toContain(key.fileId);
    clock.advance(1);
    expect((await findDueWork(app.ledger)).poll.map((batch) => batch.file_id)).toContain(key.fileId);
  });

  it('is never asked where the account does not want it', async () => {
    const { app, key } = await completed('never');
    expect((await readBatchRow(app.ledger, key)).next_recheck_at).toBeNull();
  });

  it('records the row that says something else, and asks for the delivery', async () => {
    const { app, key, file, ask } = await completed();
    const asks = await rungBy(() => ask(result('OK: 1', 'REJECT: 15', 'OK: 99:')));
    expect(asks).toEqual(['deliver']);
    expect(await readChanges(app.ledger, file.file_no, 1)).toMatchObject([
      { line: 3, old_outcome: 'unknown', outcome: 'approved', authorization: '99', old_message: 'TIMEOUT' },
    ]);
    const parts = await query(app, `SELECT part FROM sealed_part WHERE file_id = $1 ORDER BY part`, [key.fileId]);
    expect(parts).toEqual([{ part: 'body' }, { part: 'recheck-1' }, { part: 'result' }]);
    expect((await movesOf(app, key)).at(-1)).toBe('correct');
  });

  it('says nothing when nothing has changed', async () => {
    const { app, key, file, ask } = await completed();
    const before = await movesOf(app, key);
    await ask(FIRST);
    await ask(result('OK: 1', 'REJECT: 15', 'timed out'));
    expect(await movesOf(app, key)).toEqual(before);
    expect(await readChanges(app.ledger, file.file_no, 1)).toEqual([]);
  });

  it.each([
    ['a row is missing', result('OK: 1', 'OK: 2')],
    ['a row is too many', result('OK: 1', 'OK: 2', 'OK: 3', 'OK: 4')],
    ['it is not a result', NO_RESULT],
  ])('changes nothing and raises an alarm when %s', async (_what, answer) => {
    const { app, key, file, ask } = await completed();
    await ask(answer);
    expect(await readChanges(app.ledger, file.file_no, 1)).toEqual([]);
    expect((await movesOf(app, key)).at(-1)).toBe('alarm');
    expect(world.logged).toContainEqual(expect.objectContaining({ level: 'error', fileId: key.fileId, batchNo: 1 }));
    expect((await readBatchRow(app.ledger, key)).rechecks).toBe(1);
    await ask(result('OK: 1', 'REJECT: 15', 'OK: 99:'));
    expect(await readChanges(app.ledger, file.file_no, 1)).toHaveLength(1);
  });

  it.each([
    { kind: 'running', text: 'Batch Processing, Please Wait ....' },
    { kind: 'not_known', text: 'Invalid Batch ID' },
  ] as const)('changes nothing when the service says $text', async (answer) => {
    const { app, key, file, ask } = await completed();
    await ask(answer);
    expect(await readBatchRow(app.ledger, key)).toMatchObject({ state: 'reconciled', rechecks: 1 });
    expect(await readChanges(app.ledger, file.file_no, 1)).toEqual([]);
    expect(world.logged.some((line) => line.level === 'error' && line['fileId'] === key.fileId)).toBe(true);
  });

  it('asks again an hour later when the service does not answer, and gives up in the end', async () => {
    const { app, clock, key, ask } = await completed();
    await ask({ kind: 'failed', why: 'reset' });
    expect(await readBatchRow(app.ledger, key)).toMatchObject({
      rechecks: 0,
      next_recheck_at: new Date(clock.now().getTime() + HOUR_MS),
    });
    clock.advance(14 * DAY_MS);
    await askForResult(answeringResult(app, { kind: 'failed', why: 'reset' }), key);
    for (let rechecks = 1; rechecks < 4; rechecks += 1) {
      expect(await readBatchRow(app.ledger, key)).toMatchObject({ rechecks, next_recheck_at: expect.any(Date) });
      await ask({ kind: 'failed', why: 'reset' });
    }
    expect(await readBatchRow(app.ledger, key)).toMatchObject({ rechecks: 4, next_recheck_at: null });
  });

  it('a worker that dies while it asks is followed by another an hour later', async () => {
    const { app, clock, key, file, ask } = await completed();
    await expect(ask(new Error('power cut'))).rejects.toThrow('power cut');
    expect((await readBatchRow(app.ledger, key)).rechecks).toBe(0);
    const cut = cutAtStatement(app, /INSERT INTO row_change/);
    clock.advance(HOUR_MS);
    const later = answeringResult(cut.app, result('OK: 1', 'REJECT: 15', 'OK: 99:'));
    await expect(askForResult(later, key)).rejects.toThrow(POWER_CUT);
    expect(await readChanges(app.ledger, file.file_no, 1)).toEqual([]);
    clock.advance(HOUR_MS);
    await askForResult(later, key);
    expect(await readChanges(app.ledger, file.file_no, 1)).toHaveLength(1);
  });

  it('eight workers at once make one correction', async () => {
    const { app, clock, key, file } = await completed();
    clock.advance(HOUR_MS);
    const later = answeringResult(app, result('OK: 1', 'OK: 2', 'OK: 99:'));
    await Promise.all(Array.from({ length: 8 }, () => askForResult(later, key)));
    expect(await readChanges(app.ledger, file.file_no, 1)).toHaveLength(2);
    expect(await readChanges(app.ledger, file.file_no, 2)).toEqual([]);
    expect((await readBatchRow(app.ledger, key)).rechecks).toBe(1);
  });
});

describe('nextRecheckAt', () => {
  it('is the next time of the account, counted from when the outcomes were written', () => {
    const account = [...world.settings.accounts.keys()][0]!;
    const now = new Date('2026-06-15T10:00:00Z');
    const app = { ...world.app, clock: handClock(now) };
    const after = (sinceMs: number, rechecks = 3) =>
      nextRecheckAt(app, { account, rechecks }, new Date(now.getTime() - sinceMs))?.toISOString();
    expect(after(0)).toBe('2026-06-15T11:00:00.000Z');
    expect(after(HOUR_MS - 1)).toBe('2026-06-15T10:00:00.001Z');
    expect(after(HOUR_MS)).toBe('2026-06-16T09:00:00.000Z');
    expect(after(7 * DAY_MS)).toBeUndefined();
    expect(nextRecheckAt(app, { account: 'never', rechecks: 0 })).toBeNull();
    // Rechecks that were missed, or that count from the future of a wrong clock.
    expect(after(400 * DAY_MS, 0)).toBe('2026-06-16T09:00:00.000Z');
    expect(after(-400 * DAY_MS, 1)).toBe('2026-06-17T10:00:00.000Z');
    expect(after(400 * DAY_MS)).toBeUndefined();
  });
});
