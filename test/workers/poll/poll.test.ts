import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { sha256Of } from '../../../src/kernel/hash.ts';
import { readBatchRow, readFileRow } from '../../../src/ledger/file/read-file.ts';
import { pollBatch } from '../../../workers/poll/poll.ts';
import { cutAtStatement, POWER_CUT } from '../support/step-world.ts';
import { answeringResult, GOOD, pollWorld, result, ROWS } from '../support/scripted-gateway.ts';
import { jobsAddedBy, storyOf } from '../support/story.ts';
import type { App } from '../../../src/app.ts';
import type { ResultAnswer } from '../../../src/gateway/answers.ts';
import { handClock } from '../../../src/kernel/clock.ts';
import { findDueWork } from '../../../src/ledger/batch/due-work.ts';
import { openResult } from '../../../workers/open-original.ts';

const world = pollWorld();

describe('pollBatch, when the result is there', () => {
  it('seals it, gives every row its outcome and asks for the delivery', async () => {
    const { key } = await world.submitted();
    const asks = await world.jobsAddedBy(key.fileId, () => pollBatch(answeringResult(world.app, GOOD), key));
    expect(asks).toEqual(['deliver']);
    expect(await world.outcomesOf(key.fileId)).toEqual({
      1: 'accepted_pending',
      2: 'accepted_pending',
      3: 'accepted_pending',
    });
    expect(await world.storyOf(key)).toMatchObject({
      state: 'reconciled',
      moves: ['prepare', 'send', 'submit', 'receive', 'reconcile'],
    });
    const [part] = await world.query<{ bytes: Buffer }>(
      `SELECT bytes FROM sealed_part WHERE file_id = $1 AND part = 'result'`,
      [key.fileId],
    );
    expect(part!.bytes.includes('Received')).toBe(false);
    expect((await world.batch(key)).result_sha256).toBe(GOOD.kind === 'done' ? sha256Of(GOOD.file) : '');
  });

  it('does not ask for the delivery while another batch of the file is open', async () => {
    const { key } = await world.submitted({ rows: 6 });
    const asks = await world.jobsAddedBy(key.fileId, () => pollBatch(answeringResult(world.app, GOOD), key));
    expect(asks).toEqual([]);
    expect((await world.storyOf(key)).state).toBe('reconciled');
  });

  it('asks nobody when it is reconciled already, and asks for the delivery once more', async () => {
    const { key } = await world.submitted();
    await pollBatch(answeringResult(world.app, GOOD), key);
    const asks = await world.jobsAddedBy(key.fileId, () => pollBatch(answeringResult(world.app, new Error()), key));
    expect(asks).toEqual(['deliver']);
  });

  it('two workers at once reconcile once', async () => {
    const { key } = await world.submitted();
    const app = answeringResult(world.app, GOOD);
    await Promise.all(Array.from({ length: 8 }, () => pollBatch(app, key)));
    expect((await world.storyOf(key)).moves).toEqual(['prepare', 'send', 'submit', 'receive', 'reconcile']);
    expect(Object.keys(await world.outcomesOf(key.fileId))).toHaveLength(3);
  });

  it('reads the outcome of each row from its own message', async () => {
    const { key } = await world.submitted();
    const messages = ['Received', 'REJECT: 40', 'something new, with a comma'];
    await pollBatch(answeringResult(world.app, result(ROWS.map((row, index) => `${row},${messages[index]}`))), key);
    expect(await world.outcomesOf(key.fileId)).toEqual({ 1: 'accepted_pending', 2: 'declined', 3: 'unknown' });
  });

  it('matches rows in another order by what they are', async () => {
    const { key } = await world.submitted();
    const [one, two, three] = ROWS;
    await pollBatch(
      answeringResult(world.app, result([`${three},REJECT: 40`, `${one},Received`, `${two},Received`])),
      key,
    );
    expect(await world.outcomesOf(key.fileId)).toEqual({ 1: 'accepted_pending', 2: 'accepted_pending', 3: 'declined' });
    const [link] = await world.query<{ evidence: object }>(
      `SELECT evidence FROM audit WHERE file_id = $1 AND move = 'reconcile'`,
      [key.fileId],
    );
    expect(link?.evidence).toMatchObject({ reordered: true });
  });
});

describe('pollBatch, after the process died', () => {
  it.each([
    ['before the result was kept', /INSERT INTO sealed_part/, 'submitted'],
    ['between keeping and reconciling', /next_recheck_at = /, 'result_in'],
    ['while outcomes were written', /COPY row_outcome/, 'result_in'],
    ['after they were written', /JOIN batch_outcome/, 'result_in'],
  ])('%s: the next poll goes on from there', async (_when, statement, state) => {
    const { key } = await world.submitted();
    const cut = cutAtStatement(world.app, statement);
    await expect(pollBatch(answeringResult(cut.app, GOOD), key)).rejects.toThrow(POWER_CUT);
    expect(cut.wasCut()).toBe(true);
    expect((await world.storyOf(key)).state).toBe(state);
    expect(await world.outcomesOf(key.fileId)).toEqual({});

    const asked: string[] = [];
    const app = answeringResult(world.app, GOOD);
    const counting = (account: string) => {
      asked.push(account);
      return app.gateway(account);
    };
    await pollBatch({ ...app, gateway: counting }, key);
    expect(asked).toHaveLength(state === 'submitted' ? 1 : 0);
    expect((await world.storyOf(key)).state).toBe('reconciled');
    expect(Object.keys(await world.outcomesOf(key.fileId))).toHaveLength(3);
  });

  it('a sealed result that was changed is not believed', async () => {
    const { key } = await world.submitted();
    const cut = cutAtStatement(world.app, /next_recheck_at = /);
    await expect(pollBatch(answeringResult(cut.app, GOOD), key)).rejects.toThrow(POWER_CUT);
    await world.query(
      `UPDATE sealed_part SET bytes = set_byte(bytes, 40, get_byte(bytes, 40) # 1) WHERE file_id = $1 AND part = 'result'`,
      [key.fileId],
    );
    await expect(pollBatch(world.app, key)).rejects.toThrow('sealed data was changed or cut off');
    expect((await world.storyOf(key)).state).toBe('result_in');
    expect(await world.outcomesOf(key.fileId)).toEqual({});
  });
});

describe('pollBatch, when the result does not fit', () => {
  const said = (rows: string[]) => rows.map((row) => `${row},Received`);
  const MISFITS: [string, string[]][] = [
    ['a row is missing', said(ROWS.slice(0, 2))],
    ['a row is too many', said([...ROWS, ROWS[0]!.replace('A-1', 'A-4')])],
    ['a row stands twice', said([ROWS[0]!, ROWS[1]!, ROWS[1]!])],
    ['an amount is another', said([ROWS[0]!.replace('25.00', '25.01'), ...ROWS.slice(1)])],
    ['an invoice is another', said([ROWS[0]!.replace('A-1', 'A-9'), ...ROWS.slice(1)])],
    ['a number ends otherwise', said([ROWS[0]!.replace('0001', '0009'), ...ROWS.slice(1)])],
    [
      'two amounts have changed places',
      said([ROWS[0]!.replace('25.00', '24.00'), ROWS[1]!.replace('25.00', '26.00'), ROWS[2]!]),
    ],
    ['the columns are cut', ROWS.map((row) => row.split(',').slice(0, 4).join(','))],
    ['there is nothing in it', ['']],
    ['it is not text at all', ['\u0000\u0001\u0002'.repeat(40)]],
    ['it is a page', ['<html>', '<body>Service Unavailable</body>', '</html>']],
  ];

  it.each(MISFITS)('%s: an exception, no outcome, no delivery', async (_what, rows) => {
    const { key } = await world.submitted();
    const asks = await world.jobsAddedBy(key.fileId, () => pollBatch(answeringResult(world.app, result(rows)), key));
    expect(asks).toEqual([]);
    expect(await world.storyOf(key)).toMatchObject({
      state: 'exception',
      moves: ['prepare', 'send', 'submit', 'receive', 'except'],
    });
    expect(await world.outcomesOf(key.fileId)).toEqual({});
    expect(world.logged).toContainEqual(expect.objectContaining({ level: 'error', fileId: key.fileId, batchNo: 1 }));
  });

  const WHOLE = said(ROWS).join('\r\n');
  it.each([
    ['a NUL stands in an invoice', Buffer.from(WHOLE.replace('A-1', 'A-\u0000'))],
    ['it is in UTF-16', Buffer.from(`\ufeff${WHOLE}`, 'utf16le')],
    ['it is compressed', gzipSync(WHOLE)],
    ['half a character stands in it', Buffer.from(WHOLE.replace('Ada', 'Ad\ud800'), 'utf16le')],
  ])('%s: an exception as well, also while other batches of the account wait', async (_what, file) => {
    const { key } = await world.submitted();
    const done: ResultAnswer = { kind: 'done', file, text: 'done' };
    await pollBatch(answeringResult(world.app, done), key);
    expect(await world.storyOf(key)).toMatchObject({ state: 'exception' });
    expect(await world.outcomesOf(key.fileId)).toEqual({});
    await pollBatch(answeringResult(world.app, GOOD), key);
  });

  it('the audit names the rows that differ and no number', async () => {
    const { key } = await world.submitted();
    const whole = ROWS[0]!.replace(/0\*+0001/, '02100002100000000040000009');
    await pollBatch(answeringResult(world.app, result(said([whole, ...ROWS.slice(1)]))), key);
    const [link] = await world.query<{ evidence: { differences: unknown[] } }>(
      `SELECT evidence FROM audit WHERE file_id = $1 AND move = 'except'`,
      [key.fileId],
    );
    expect(link?.evidence.differences).toEqual([
      { position: 1, line: 1, sent: expect.stringContaining('A-1, 25.00'), result: expect.stringContaining('0009') },
    ]);
    expect(JSON.stringify(link)).not.toContain('40000009');
  });

  it('is asked for again after a day, and reconciled when it fits by then', async () => {
    const { key } = await world.submitted();
    const clock = handClock(new Date());
    const app: App = { ...world.app, clock, ledger: { ...world.app.ledger, clock } };
    await pollBatch(answeringResult(app, result(said(ROWS.slice(1)))), key);
    const { next_poll_at: next } = await readBatchRow(app.ledger, key);
    expect(next!.getTime() - clock.now().getTime()).toBe(24 * 3_600_000);
    clock.set(next!);
    expect((await findDueWork(app.ledger)).poll.map((batch) => batch.file_id)).toContain(key.fileId);
    const asks = await jobsAddedBy(app, key.fileId, () => pollBatch(answeringResult(app, GOOD), key));
    expect(asks).toEqual(['deliver']);
    expect(await storyOf(app, key)).toMatchObject({
      state: 'reconciled',
      moves: ['prepare', 'send', 'submit', 'receive', 'except', 'recover'],
    });
    expect(Object.keys(await world.outcomesOf(key.fileId))).toHaveLength(3);
    const file = await readFileRow(app.ledger, key.fileId);
    const kept = GOOD.kind === 'done' ? GOOD.file : undefined;
    expect(await openResult(app, file, 1)).toEqual(kept);
  });

  it('stays an exception while it does not fit, and keeps the latest result for comparison', async () => {
    const { key } = await world.submitted();
    const clock = handClock(new Date());
    const app: App = { ...world.app, clock, ledger: { ...world.app.ledger, clock } };
    const missing = result(said(ROWS.slice(1)));
    const ask = async (answer: ResultAnswer) => {
      await pollBatch(answeringResult(app, answer), key);
      clock.set((await readBatchRow(app.ledger, key)).next_poll_at!);
    };
    await ask(missing);
    await ask(missing);
    await ask(result(said(ROWS.slice(2))));
    await ask({ kind: 'not_known', text: 'gone' });
    await ask({ kind: 'failed', why: 'reset' });
    expect(await storyOf(app, key)).toMatchObject({
      state: 'exception',
      moves: ['prepare', 'send', 'submit', 'receive', 'except', 'misfit-again', 'alarm'],
      reason: '1 result row for 3 sent rows, 2 of them differ',
    });
    expect(await world.outcomesOf(key.fileId)).toEqual({});
  });

  it("says so when it is another batch's result, row by row", async () => {
    const { account, key: one } = await world.submitted();
    const { key: other } = await world.submitted({ account, from: 11 });
    await pollBatch(answeringResult(world.app, GOOD), other);
    const story = await world.storyOf(other);
    expect(story.state).toBe('exception');
    expect(story.reason).toContain(`it is the result of batch 1 of file "june-1.csv" (${one.fileId})`);
    const almost = result(said(ROWS).with(2, 'x,Received'));
    await pollBatch(answeringResult(world.app, almost), one);
    expect((await world.storyOf(one)).reason).not.toContain('it is the result of');
  });

  it('is looked at once: polling again changes nothing', async () => {
    const { key } = await world.submitted();
    await pollBatch(answeringResult(world.app, result(said(ROWS.slice(1)))), key);
    const before = await world.batch(key);
    await pollBatch(answeringResult(world.app, GOOD), key);
    expect(await world.batch(key)).toEqual(before);
  });
});
