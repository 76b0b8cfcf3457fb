import { describe, expect, it } from 'vitest';
import { sha256Of } from '../../../src/kernel/hash.ts';
import { readBatchRow, readFileRow } from '../../../src/ledger/file/read-file.ts';
import { findOwner, askForResult } from '../../../workers/poll/poll.ts';
import { cutAtStatement, POWER_CUT } from '../support/step-world.ts';
import { answeringResult, GOOD, pollWorld, result, ROWS } from '../support/scripted-gateway.ts';
import { rungBy, storyOf } from '../support/story.ts';
import type { App } from '../../../src/app.ts';
import type { ResultAnswer } from '../../../src/gateway/answers.ts';
import { handClock } from '../../../src/kernel/clock.ts';
import { findDueWork } from '../../support/due-work.ts';
import { codeRow, lines, upTo } from '../../support/payment-rows.ts';
import { openResult } from '../../../workers/open-original.ts';

const world = pollWorld();

describe('askForResult, when the result is there', () => {
  it('seals it, gives every row its outcome and asks for the delivery', async () => {
    const { key } = await world.submitted();
    const asks = await rungBy(() => askForResult(answeringResult(world.app, GOOD), key));
    expect(asks).toEqual(['deliver']);
    expect(await world.outcomesOf(key.fileId)).toEqual({
      1: 'accepted_pending',
      2: 'accepted_pending',
      3: 'accepted_pending',
    });
    expect(await world.storyOf(key)).toMatchObject({
      state: 'reconciled',
      moves: ['send', 'submit', 'receive', 'reconcile'],
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
    const asks = await rungBy(() => askForResult(answeringResult(world.app, GOOD), key));
    expect(asks).toEqual([]);
    expect((await world.storyOf(key)).state).toBe('reconciled');
  });

  it('asks nobody when it is reconciled already, and asks for the delivery once more', async () => {
    const { key } = await world.submitted();
    await askForResult(answeringResult(world.app, GOOD), key);
    const asks = await rungBy(() => askForResult(answeringResult(world.app, new Error()), key));
    expect(asks).toEqual(['deliver']);
  });

  it('two workers at once reconcile once', async () => {
    const { key } = await world.submitted();
    const app = answeringResult(world.app, GOOD);
    await Promise.all(Array.from({ length: 8 }, () => askForResult(app, key)));
    expect((await world.storyOf(key)).moves).toEqual(['send', 'submit', 'receive', 'reconcile']);
    expect(Object.keys(await world.outcomesOf(key.fileId))).toHaveLength(3);
  });

  it('reads the outcome of each row from its own message', async () => {
    const { key } = await world.submitted();
    const messages = ['Received', 'REJECT: 40', 'something new, with a comma'];
    await askForResult(answeringResult(world.app, result(ROWS.map((row, index) => `${row},${messages[index]}`))), key);
    expect(await world.outcomesOf(key.fileId)).toEqual({ 1: 'accepted_pending', 2: 'declined', 3: 'unknown' });
  });

  it('matches rows in another order by what they are', async () => {
    const { key } = await world.submitted();
    const [one, two, three] = ROWS;
    await askForResult(
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

describe('askForResult, after the process died', () => {
  it.each([
    ['before anything was kept', /commit_results/, 'submitted', 0],
    ['while outcomes were written and again while the result alone was kept', /COPY row_outcome/, 'submitted', 1],
    ['while the result was judged and kept', /commit_results/, 'result_in'],
    ['while outcomes were written', /COPY row_outcome/, 'result_in'],
    ['after they were written', /JOIN batch_outcome/, 'result_in'],
  ])('%s: the next poll goes on from there', async (_when, statement, state, keptAlone = 9) => {
    const { key } = await world.submitted();
    const cut = cutAtStatement(cutAtStatement(world.app, /commit_results/, keptAlone).app, statement);
    await expect(askForResult(answeringResult(cut.app, GOOD), key)).rejects.toThrow(POWER_CUT);
    expect(cut.wasCut()).toBe(true);
    expect((await world.storyOf(key)).state).toBe(state);
    expect(await world.outcomesOf(key.fileId)).toEqual({});

    const asked: string[] = [];
    const app = answeringResult(world.app, GOOD);
    const counting: App['gateway'] = (of) => {
      asked.push(of.account);
      return app.gateway(of);
    };
    await askForResult({ ...app, gateway: counting }, key);
    expect(asked).toHaveLength(state === 'submitted' ? 1 : 0);
    expect((await world.storyOf(key)).state).toBe('reconciled');
    expect(Object.keys(await world.outcomesOf(key.fileId))).toHaveLength(3);
  });

  it('a sealed result that was changed is not believed', async () => {
    const { key } = await world.submitted();
    const cut = cutAtStatement(world.app, /COPY row_outcome/);
    await expect(askForResult(answeringResult(cut.app, GOOD), key)).rejects.toThrow(POWER_CUT);
    await world.query(
      `UPDATE sealed_part SET bytes = set_byte(bytes, 40, get_byte(bytes, 40) # 1) WHERE file_id = $1 AND part = 'result'`,
      [key.fileId],
    );
    await expect(askForResult(world.app, key)).rejects.toThrow('sealed data was changed or cut off');
    expect((await world.storyOf(key)).state).toBe('result_in');
    expect(await world.outcomesOf(key.fileId)).toEqual({});
  });
});

describe('askForResult, when the result does not fit', () => {
  const said = (rows: string[]) => rows.map((row) => `${row},Received`);

  it('a row is missing: an exception, no outcome, no delivery', async () => {
    const { key } = await world.submitted();
    const missing = result(said(ROWS.slice(0, 2)));
    const asks = await rungBy(() => askForResult(answeringResult(world.app, missing), key));
    expect(asks).toEqual([]);
    expect(await world.storyOf(key)).toMatchObject({
      state: 'exception',
      moves: ['send', 'submit', 'receive', 'except'],
    });
    expect(await world.outcomesOf(key.fileId)).toEqual({});
    expect(world.logged).toContainEqual(expect.objectContaining({ level: 'error', fileId: key.fileId, batchNo: 1 }));
  });

  it('a NUL stands in an invoice, which the ledger cannot keep: an exception as well', async () => {
    const { key } = await world.submitted();
    await askForResult(
      answeringResult(world.app, result(said([ROWS[0]!.replace('A-1', 'A-\u0000'), ...ROWS.slice(1)]))),
      key,
    );
    expect(await world.storyOf(key)).toMatchObject({ state: 'exception' });
    expect(await world.outcomesOf(key.fileId)).toEqual({});
  });

  it('the audit names the rows that differ and no number', async () => {
    const { key } = await world.submitted();
    const whole = ROWS[0]!.replace(/0\*+0001/, '02100002100000000040000009');
    await askForResult(answeringResult(world.app, result(said([whole, ...ROWS.slice(1)]))), key);
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
    await askForResult(answeringResult(app, result(said(ROWS.slice(1)))), key);
    const { next_poll_at: next } = await readBatchRow(app.ledger, key);
    expect(next!.getTime() - clock.now().getTime()).toBe(24 * 3_600_000);
    clock.set(next!);
    expect((await findDueWork(app.ledger)).poll.map((batch) => batch.file_id)).toContain(key.fileId);
    const asks = await rungBy(() => askForResult(answeringResult(app, GOOD), key));
    expect(asks).toEqual(['deliver']);
    expect(await storyOf(app, key)).toMatchObject({
      state: 'reconciled',
      moves: ['send', 'submit', 'receive', 'except', 'recover'],
    });
    expect(Object.keys(await world.outcomesOf(key.fileId))).toHaveLength(3);
    const file = await readFileRow(app.ledger, key.fileId);
    const kept = GOOD.kind === 'done' ? GOOD.file : undefined;
    expect(await openResult(app, file, 1)).toEqual(kept);
  });

  it.each([/commit_results/, /COPY row_outcome/, /JOIN batch_outcome/])(
    'stays as it is when the process dies at %s while a late one is kept, and the next poll reconciles it',
    async (statement) => {
      const { key } = await world.submitted();
      const missing = result(said(ROWS.slice(1)));
      await askForResult(answeringResult(world.app, missing), key);
      await world.makeDue(key);
      const before = await world.batch(key);
      const cut = cutAtStatement(world.app, statement);
      await expect(askForResult(answeringResult(cut.app, GOOD), key)).rejects.toThrow(POWER_CUT);
      expect(await world.batch(key)).toEqual(before);
      expect(await world.outcomesOf(key.fileId)).toEqual({});
      const file = await readFileRow(world.app.ledger, key.fileId);
      expect(await openResult(world.app, file, 1)).toEqual(missing.kind === 'done' && missing.file);
      await askForResult(answeringResult(world.app, GOOD), key);
      expect((await world.storyOf(key)).moves.slice(-2)).toEqual(['except', 'recover']);
    },
  );

  it('stays an exception while it does not fit, and keeps the latest result for comparison', async () => {
    const { key } = await world.submitted();
    const clock = handClock(new Date());
    const app: App = { ...world.app, clock, ledger: { ...world.app.ledger, clock } };
    const missing = result(said(ROWS.slice(1)));
    const ask = async (answer: ResultAnswer) => {
      await askForResult(answeringResult(app, answer), key);
      clock.set((await readBatchRow(app.ledger, key)).next_poll_at!);
    };
    await ask(missing);
    await ask(missing);
    await ask(result(said(ROWS.slice(2))));
    await ask({ kind: 'not_known', text: 'gone' });
    await ask({ kind: 'failed', why: 'reset' });
    expect(await storyOf(app, key)).toMatchObject({
      state: 'exception',
      moves: ['send', 'submit', 'receive', 'except', 'misfit-again', 'alarm'],
      reason: '1 result row for 3 sent rows, 2 of them differ',
    });
    expect(await world.outcomesOf(key.fileId)).toEqual({});
  });

  it("says so when it is another batch's result, row by row", async () => {
    const { account, key: one } = await world.submitted();
    const { key: other } = await world.submitted({ account, from: 11 });
    await askForResult(answeringResult(world.app, GOOD), other);
    const story = await world.storyOf(other);
    expect(story.state).toBe('exception');
    expect(story.reason).toContain(`it is the result of batch 1 of file "june-1.csv" (${one.fileId})`);
    const almost = result(said(ROWS).with(2, 'x,Received'));
    await askForResult(answeringResult(world.app, almost), one);
    expect((await world.storyOf(one)).reason).not.toContain('it is the result of');
  });

  it('is looked at once: polling again changes nothing', async () => {
    const { key } = await world.submitted();
    await askForResult(answeringResult(world.app, result(said(ROWS.slice(1)))), key);
    const before = await world.batch(key);
    await askForResult(answeringResult(world.app, GOOD), key);
    expect(await world.batch(key)).toEqual(before);
  });
});

const bankResult = (from: number) =>
  upTo(3).map(
    (n) => `A-${from - 1 + n},Ada,Byron,CHECKING,0*********************${ending(from - 1 + n)},25.00,x,Received`,
  );
const ending = (n: number) => String(n).padStart(4, '0');
const bytesOf = (rows: readonly string[]) => Buffer.from(rows.map((row) => `${row}\r\n`).join(''));

describe('findOwner', () => {
  it('finds the batch of the account whose rows these are, whatever its layout', async () => {
    const account = world.freshAccount();
    const mine = await world.takeInCharges(account, 3, 101);
    const other = await world.takeInCharges(account, 6, 1);
    const codes = await world.takeIn(`drop/${account}/ach-charge`, lines(upTo(3).map((n) => codeRow(n))), 'codes.csv');
    const batch = await world.batch({ fileId: mine, batchNo: 1 });
    const find = (rows: readonly string[]) => findOwner(world.app, batch, bytesOf(rows));
    expect(await find(bankResult(4))).toEqual({ fileId: other, batchNo: 2, name: 'june-1.csv' });
    expect(await find(upTo(3).map((n) => `K-${n},A${10_000_000 + n},25.00,x,Received`))).toMatchObject({
      fileId: codes,
    });
    expect(await find(bankResult(4).slice(1))).toBeUndefined();
    expect(await find(bankResult(900))).toBeUndefined();
    expect(await find(bankResult(101))).toBeUndefined();
    expect(await find([])).toBeUndefined();
  });

  it('does not look at other accounts', async () => {
    await world.takeInCharges(world.freshAccount(), 3, 201);
    const mine = await world.takeInCharges(world.freshAccount(), 3, 301);
    const batch = await world.batch({ fileId: mine, batchNo: 1 });
    expect(await findOwner(world.app, batch, bytesOf(bankResult(201)))).toBeUndefined();
  });
});
