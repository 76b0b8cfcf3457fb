import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { App } from '../../src/app.ts';
import type { ResultAnswer } from '../../src/gateway/answers.ts';
import { handClock } from '../../src/kernel/clock.ts';
import { sha256Of } from '../../src/kernel/hash.ts';
import type { BatchKey } from '../../src/ledger/moves/move.ts';
import { readBatchRow } from '../../src/ledger/queries/read-file.ts';
import { pollBatch } from '../../workers/poll.ts';
import { submitBatch } from '../../workers/submit.ts';
import { logIntoLines, type LogLine } from '../queue/support/log-lines.ts';
import { httpAnswer } from '../gateway/support/scripted-server.ts';
import { batchResult, DONE, success, WAIT } from '../gateway/support/soap-answers.ts';
import { type Play, say } from '../support/scripted-service.ts';
import { cutAtStatement, POWER_CUT } from './support/failing-app.ts';
import { answering, answeringResult } from './support/scripted-gateway.ts';
import { agentCodeOf, openStepWorld, type StepWorld } from './support/step-world.ts';
import { jobsAddedBy, query, storyOf } from './support/story.ts';
import { takeInCharges } from './support/take-in.ts';

let world: StepWorld;
let logged: LogLine[];
beforeAll(async () => {
  const { log, lines } = logIntoLines();
  logged = lines;
  world = await openStepWorld({ accounts: 40, settings: { batch: { maxRows: 3 } }, log });
});
afterAll(() => world.close());

let batchIds = 100;

/** A batch of three rows that the service has taken; its first question is due. */
async function submitted(rows = 3): Promise<{ account: string; key: BatchKey; batchId: string }> {
  const account = world.freshAccount();
  const key = { fileId: await takeInCharges(world.app, account, rows), batchNo: 1 };
  const batchId = String((batchIds += 1));
  await submitBatch(answering(world.app, { kind: 'submitted', batchId, text: WAIT }).app, key);
  await makeDue(key);
  return { account, key, batchId };
}

async function makeDue(key: BatchKey): Promise<void> {
  await query(world.app, `UPDATE batch SET next_poll_at = now() - interval '1 s' WHERE file_id = $1`, [key.fileId]);
}

/** Rows as takeInCharges makes them, with the number masked as the service does it. */
const ROWS = [1, 2, 3].map((n) => `A-${n},Ada,Byron,CHECKING,0*********************000${n},25.00,June dues`);

function result(rows: readonly string[]): ResultAnswer {
  return { kind: 'done', file: Buffer.from(`${rows.join('\r\n')}\r\n`), text: DONE };
}

const GOOD = result(ROWS.map((row) => `${row},Received`));

async function outcomesOf(fileId: string): Promise<Record<number, string>> {
  const rows = await query<{ line: number; outcome: string }>(
    world.app,
    'SELECT line, outcome FROM row_outcome JOIN file USING (file_no) WHERE file_id = $1 ORDER BY line',
    [fileId],
  );
  return Object.fromEntries(rows.map((row) => [row.line, row.outcome]));
}

describe('pollBatch, while there is no result', () => {
  const ANSWERS: { answer: ResultAnswer; warns: boolean }[] = [
    { answer: { kind: 'running', text: WAIT }, warns: false },
    { answer: { kind: 'not_known', text: 'Invalid batch id' }, warns: true },
    { answer: { kind: 'failed', why: 'the result file is not base64' }, warns: true },
  ];

  it.each(ANSWERS)('$answer.kind: the batch stays submitted and is asked for again', async ({ answer, warns }) => {
    const { key } = await submitted();
    const asks = await jobsAddedBy(world.app, key.fileId, () => pollBatch(answeringResult(world.app, answer), key));
    expect(asks).toEqual(['poll-1-1']);
    expect(await storyOf(world.app, key)).toMatchObject({ state: 'submitted', moves: ['prepare', 'send', 'submit'] });
    expect(await outcomesOf(key.fileId)).toEqual({});
    expect(logged.some((line) => line.level === 40 && line['fileId'] === key.fileId)).toBe(warns);
  });

  it('waits grow by the factor of the account up to its longest', async () => {
    const { key } = await submitted();
    const clock = handClock(new Date());
    const app: App = { ...world.app, clock, ledger: { ...world.app.ledger, clock } };
    const waits: number[] = [];
    for (let question = 0; question < 5; question += 1) {
      await pollBatch(answeringResult(app, { kind: 'running', text: WAIT }), key);
      const { next_poll_at: next } = await readBatchRow(world.app.ledger, key);
      waits.push(next!.getTime() - clock.now().getTime());
      clock.set(next!);
    }
    expect(waits).toEqual([2_000, 4_000, 5_000, 5_000, 5_000]);
  });

  it('is not asked before its time, whoever comes, and is asked at its time', async () => {
    const { key } = await submitted();
    const running = answeringResult(world.app, { kind: 'running', text: WAIT });
    await pollBatch(running, key);
    await pollBatch(running, key);
    expect((await readBatchRow(world.app.ledger, key)).polls).toBe(1);
    await makeDue(key);
    await pollBatch(running, key);
    expect((await readBatchRow(world.app.ledger, key)).polls).toBe(2);
  });

  it('an error of the gateway leaves everything as it was', async () => {
    const { key } = await submitted();
    const before = await readBatchRow(world.app.ledger, key);
    await expect(pollBatch(answeringResult(world.app, new Error('no request')), key)).rejects.toThrow('no request');
    expect(await readBatchRow(world.app.ledger, key)).toEqual(before);
  });

  const DOUBTFUL: [string, (batchId: string) => Play][] = [
    ['running', (id) => say(success(batchResult(WAIT, id)))],
    ['no base64', (id) => say(success(batchResult(DONE, `${id}<BATCHPROCESSRESULTFILE>%%%</BATCHPROCESSRESULTFILE>`)))],
    ['done without a file', (id) => say(success(batchResult(DONE, id)))],
    ['a text that nobody knows', (id) => say(success(batchResult('Batch Not Found', id)))],
    ['the state of another batch', () => say(success(batchResult(WAIT, '<BATCHID>1</BATCHID>')))],
    ['an HTTP 500', () => (socket) => socket.end(httpAnswer(500, ''))],
    ['a reset', () => (socket) => socket.resetAndDestroy()],
  ];

  it.each(DOUBTFUL)('a service that answers with %s is asked again later', async (_what, play) => {
    const { account, key, batchId } = await submitted();
    const before = world.service.posts(agentCodeOf(account));
    world.service.play(agentCodeOf(account), play(`<BATCHID>${batchId}</BATCHID>`));
    await pollBatch(world.app, key);
    expect(world.service.posts(agentCodeOf(account)) - before).toBe(1);
    expect(await readBatchRow(world.app.ledger, key)).toMatchObject({ state: 'submitted', polls: 1 });
  });
});

describe('pollBatch, when the result is there', () => {
  it('seals it, gives every row its outcome and asks for the delivery', async () => {
    const { key } = await submitted();
    const asks = await jobsAddedBy(world.app, key.fileId, () => pollBatch(answeringResult(world.app, GOOD), key));
    expect(asks).toEqual(['deliver']);
    expect(await outcomesOf(key.fileId)).toEqual({
      1: 'accepted_pending',
      2: 'accepted_pending',
      3: 'accepted_pending',
    });
    expect(await storyOf(world.app, key)).toMatchObject({
      state: 'reconciled',
      moves: ['prepare', 'send', 'submit', 'receive', 'reconcile'],
    });
    const [part] = await query<{ bytes: Buffer }>(
      world.app,
      `SELECT bytes FROM sealed_part WHERE file_id = $1 AND part = 'result'`,
      [key.fileId],
    );
    expect(part!.bytes.includes('Received')).toBe(false);
    expect((await readBatchRow(world.app.ledger, key)).result_sha256).toBe(
      GOOD.kind === 'done' ? sha256Of(GOOD.file) : '',
    );
  });

  it('does not ask for the delivery while another batch of the file is open', async () => {
    const { key } = await submitted(6);
    const asks = await jobsAddedBy(world.app, key.fileId, () => pollBatch(answeringResult(world.app, GOOD), key));
    expect(asks).toEqual([]);
    expect((await storyOf(world.app, key)).state).toBe('reconciled');
  });

  it('asks nobody when it is reconciled already, and asks for the delivery once more', async () => {
    const { key } = await submitted();
    await pollBatch(answeringResult(world.app, GOOD), key);
    const asks = await jobsAddedBy(world.app, key.fileId, () =>
      pollBatch(answeringResult(world.app, new Error()), key),
    );
    expect(asks).toEqual(['deliver']);
  });

  it('two workers at once reconcile once', async () => {
    const { key } = await submitted();
    const app = answeringResult(world.app, GOOD);
    await Promise.all(Array.from({ length: 8 }, () => pollBatch(app, key)));
    expect((await storyOf(world.app, key)).moves).toEqual(['prepare', 'send', 'submit', 'receive', 'reconcile']);
    expect(Object.keys(await outcomesOf(key.fileId))).toHaveLength(3);
  });

  it('reads the outcome of each row from its own message', async () => {
    const { key } = await submitted();
    const messages = ['Received', 'REJECT: 40', 'something new, with a comma'];
    await pollBatch(answeringResult(world.app, result(ROWS.map((row, index) => `${row},${messages[index]}`))), key);
    expect(await outcomesOf(key.fileId)).toEqual({ 1: 'accepted_pending', 2: 'declined', 3: 'unknown' });
  });

  it('matches rows in another order by what they are', async () => {
    const { key } = await submitted();
    const [one, two, three] = ROWS;
    await pollBatch(
      answeringResult(world.app, result([`${three},REJECT: 40`, `${one},Received`, `${two},Received`])),
      key,
    );
    expect(await outcomesOf(key.fileId)).toEqual({ 1: 'accepted_pending', 2: 'accepted_pending', 3: 'declined' });
    const [link] = await query<{ evidence: object }>(
      world.app,
      `SELECT evidence FROM audit WHERE file_id = $1 AND move = 'reconcile'`,
      [key.fileId],
    );
    expect(link?.evidence).toMatchObject({ reordered: true });
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
    const { key } = await submitted();
    const asks = await jobsAddedBy(world.app, key.fileId, () =>
      pollBatch(answeringResult(world.app, result(rows)), key),
    );
    expect(asks).toEqual([]);
    expect(await storyOf(world.app, key)).toMatchObject({
      state: 'exception',
      moves: ['prepare', 'send', 'submit', 'receive', 'except'],
    });
    expect(await outcomesOf(key.fileId)).toEqual({});
    expect(logged).toContainEqual(expect.objectContaining({ level: 50, fileId: key.fileId, batchNo: 1 }));
  });

  it('the audit names the rows that differ and no number', async () => {
    const { key } = await submitted();
    const whole = ROWS[0]!.replace(/0\*+0001/, '02100002100000000040000009');
    await pollBatch(answeringResult(world.app, result(said([whole, ...ROWS.slice(1)]))), key);
    const [link] = await query<{ evidence: { differences: unknown[] } }>(
      world.app,
      `SELECT evidence FROM audit WHERE file_id = $1 AND move = 'except'`,
      [key.fileId],
    );
    expect(link?.evidence.differences).toEqual([
      { position: 1, line: 1, sent: expect.stringContaining('A-1, 25.00'), result: expect.stringContaining('0009') },
    ]);
    expect(JSON.stringify(link)).not.toContain('40000009');
  });

  it('is looked at once: polling again changes nothing', async () => {
    const { key } = await submitted();
    await pollBatch(answeringResult(world.app, result(said(ROWS.slice(1)))), key);
    const before = await readBatchRow(world.app.ledger, key);
    await pollBatch(answeringResult(world.app, GOOD), key);
    expect(await readBatchRow(world.app.ledger, key)).toEqual(before);
  });
});

describe('pollBatch, after the process died', () => {
  it.each([
    ['before the result was kept', /INSERT INTO sealed_part/, 'submitted'],
    ['between keeping and reconciling', /SELECT line, invoice/, 'result_in'],
    ['while outcomes were written', /COPY row_outcome/, 'result_in'],
    ['after they were written', /count\(\*\) AS rows/, 'result_in'],
  ])('%s: the next poll goes on from there', async (_when, statement, state) => {
    const { key } = await submitted();
    const cut = cutAtStatement(world.app, statement);
    await expect(pollBatch(answeringResult(cut.app, GOOD), key)).rejects.toThrow(POWER_CUT);
    expect(cut.wasCut()).toBe(true);
    expect((await storyOf(world.app, key)).state).toBe(state);
    expect(await outcomesOf(key.fileId)).toEqual({});

    const asked: string[] = [];
    const app = answeringResult(world.app, GOOD);
    const counting = (account: string) => {
      asked.push(account);
      return app.gateway(account);
    };
    await pollBatch({ ...app, gateway: counting }, key);
    expect(asked).toHaveLength(state === 'submitted' ? 1 : 0);
    expect((await storyOf(world.app, key)).state).toBe('reconciled');
    expect(Object.keys(await outcomesOf(key.fileId))).toHaveLength(3);
  });

  it('a sealed result that was changed is not believed', async () => {
    const { key } = await submitted();
    const cut = cutAtStatement(world.app, /SELECT line, invoice/);
    await expect(pollBatch(answeringResult(cut.app, GOOD), key)).rejects.toThrow(POWER_CUT);
    await query(
      world.app,
      `UPDATE sealed_part SET bytes = set_byte(bytes, 40, get_byte(bytes, 40) # 1) WHERE file_id = $1 AND part = 'result'`,
      [key.fileId],
    );
    await expect(pollBatch(world.app, key)).rejects.toThrow('sealed data was changed or cut');
    expect((await storyOf(world.app, key)).state).toBe('result_in');
    expect(await outcomesOf(key.fileId)).toEqual({});
  });
});
