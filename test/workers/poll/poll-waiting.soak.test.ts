import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it, vi } from 'vitest';
import type { App } from '../../../src/app.ts';
import type { ResultAnswer } from '../../../src/gateway/answers.ts';
import { handClock } from '../../../src/kernel/clock.ts';
import { detachResult } from '../../../src/ledger/doubt/resolution-actions.ts';
import type { BatchKey } from '../../../src/ledger/engine/move.ts';
import { transact } from '../../../src/ledger/engine/transaction.ts';
import { compareBatch } from '../../../src/explain/compare-batch.ts';
import { askForResult, pollStage } from '../../../workers/poll/poll.ts';
import { runOnce, startStage, WorkingGroups } from '../../../workers/stage.ts';
import { stopTime, waitUntil } from '../../gateway/support/scripted-server.ts';
import { openGate } from '../../queue/support/queue-world.ts';
import { listDue } from '../../support/due-work.ts';
import { forceSql } from '../../support/force-sql.ts';
import { WAIT } from '../../gateway/support/soap-answers.ts';
import { answeringResult, GOOD, pollWorld, result, ROWS, withGateway } from '../support/scripted-gateway.ts';
import { dueOf, endWait, nextDueOf, onlyOf, takenOf } from '../support/stage-steps.ts';
import { cutAtStatement } from '../support/step-world.ts';
import { rungBy } from '../support/story.ts';

const world = pollWorld();

describe('askForResult, while there is no result', () => {
  const ANSWERS: { answer: ResultAnswer; level?: string; moves?: string[] }[] = [
    { answer: { kind: 'running', text: WAIT } },
    { answer: { kind: 'not_known', text: 'Invalid batch id' }, level: 'error', moves: ['alarm'] },
    { answer: { kind: 'failed', why: 'the result file is not base64' }, level: 'warn' },
  ];

  it.each(ANSWERS)('$answer.kind: the batch stays submitted and is asked for again', async (row) => {
    const { answer, level, moves = [] } = row;
    const { key } = await world.submitted();
    expect(await rungBy(() => askForResult(answeringResult(world.app, answer), key))).toEqual([]);
    const { next_poll_at: next } = await world.batch(key);
    const due = await nextDueOf(world.app, pollStage());
    expect(next!.getTime()).toBeGreaterThan(Date.now() - 1_000);
    expect(due!.getTime()).toBeLessThanOrEqual(next!.getTime());
    expect(await world.storyOf(key)).toMatchObject({
      state: 'submitted',
      moves: ['send', 'submit', ...moves],
    });
    expect(await world.outcomesOf(key.fileId)).toEqual({});
    const levels = world.logged.filter((line) => line['fileId'] === key.fileId).map((line) => line.level);
    expect(levels.filter((logLevel) => logLevel !== 'info' && logLevel !== 'debug')).toEqual(level ? [level] : []);
  });

  it('a text that is not known is asked on, however often it comes, and raises one alarm', async () => {
    const { key } = await world.submitted();
    const gone = answeringResult(world.app, { kind: 'not_known', text: 'Batch 4222222222222220 is gone' });
    for (let question = 0; question < 3; question += 1) {
      await askForResult(gone, key);
      await world.makeDue(key);
    }
    expect(await world.batch(key)).toMatchObject({ state: 'submitted', polls: 3 });
    const alarms = world.logged.filter((line) => line.level === 'error' && line['fileId'] === key.fileId);
    expect(alarms).toHaveLength(1);
    expect(JSON.stringify([alarms, await world.query('SELECT reason FROM audit')])).not.toContain('422222222222');
    await askForResult(answeringResult(world.app, GOOD), key);
    expect((await world.storyOf(key)).state).toBe('reconciled');
  });

  it('a batch id that the service denies ten times in a row is an exception, which a person can put in doubt', async () => {
    const { key } = await world.submitted();
    const ask = async (answer: ResultAnswer) => {
      await askForResult(answeringResult(world.app, answer), key);
      await world.makeDue(key);
    };
    const denied = { kind: 'not_known', text: 'Invalid Batch ID' } as const;
    for (let n = 0; n < 9; n += 1) await ask(denied);
    await ask({ kind: 'running', text: WAIT });
    for (let n = 0; n < 5; n += 1) await ask(denied);
    await ask({ kind: 'failed', why: 'the connection was reset' });
    for (let n = 0; n < 4; n += 1) await ask(denied);
    expect((await world.storyOf(key)).state).toBe('submitted');
    await ask(denied);
    const batch = await world.batch(key);
    const reason = 'the service answered 10 times for its batch id: Invalid Batch ID';
    expect(batch).toMatchObject({ state: 'exception', reason, result_sha256: null });
    const file = await world.file(key.fileId);
    const both = await compareBatch(world.app, file, batch);
    expect(both).toMatchObject({ unreadable: reason, resultRows: 0, differing: both.sentRows });
    await transact(world.app.ledger, (tx) => detachResult(tx, key, { actor: 'operator:ada', reason: 'a wrong id' }));
    expect(await world.batch(key)).toMatchObject({ state: 'unknown', batch_id: null });
  });

  it('a batch id that the service knows after all comes to its end by itself', async () => {
    const { key } = await world.submitted();
    for (let n = 0; n < 10; n += 1) {
      await askForResult(answeringResult(world.app, { kind: 'not_known', text: 'Invalid Batch ID' }), key);
      await world.makeDue(key);
    }
    expect((await world.storyOf(key)).state).toBe('exception');
    await askForResult(answeringResult(world.app, GOOD), key);
    expect((await world.storyOf(key)).state).toBe('reconciled');
  });

  it('a result that is overdue is flagged once, and asked for hourly, after a week daily', async () => {
    const { key } = await world.submitted();
    const { submitted_at: since } = await world.batch(key);
    const clock = handClock(since!);
    const app = answeringResult(
      { ...world.app, clock, ledger: { ...world.app.ledger, clock } },
      {
        kind: 'running',
        text: WAIT,
      },
    );
    const hours = 3_600_000;
    const waits: [number, number, boolean][] = [];
    for (const ageHours of [23.9, 24, 48, 167, 168, 400]) {
      clock.set(new Date(since!.getTime() + ageHours * hours));
      await askForResult(app, key);
      const batch = await world.batch(key);
      waits.push([ageHours, batch.next_poll_at!.getTime() - clock.now().getTime(), batch.stale_since !== null]);
    }
    expect(waits).toEqual([
      [23.9, 2_000, false],
      [24, hours, true],
      [48, hours, true],
      [167, hours, true],
      [168, 24 * hours, true],
      [400, 24 * hours, true],
    ]);
    expect((await world.storyOf(key)).moves).toEqual(['send', 'submit', 'stale']);
    const { stale_since: staleSince } = await world.batch(key);
    expect(staleSince).toEqual(new Date(since!.getTime() + 24 * hours));
  });

  it('waits grow by the factor of the account up to its longest', async () => {
    const { key } = await world.submitted();
    const clock = handClock(new Date());
    const app: App = { ...world.app, clock, ledger: { ...world.app.ledger, clock } };
    const waits: number[] = [];
    for (let question = 0; question < 5; question += 1) {
      await askForResult(answeringResult(app, { kind: 'running', text: WAIT }), key);
      const { next_poll_at: next } = await world.batch(key);
      waits.push(next!.getTime() - clock.now().getTime());
      clock.set(next!);
    }
    expect(waits).toEqual([2_000, 4_000, 5_000, 5_000, 5_000]);
  });

  it('is not queried before its time, and is queried at its time', async () => {
    const { key } = await world.submitted();
    const running = answeringResult(world.app, { kind: 'running', text: WAIT });
    await askForResult(running, key);
    await askForResult(running, key);
    expect((await world.batch(key)).polls).toBe(1);
    await world.makeDue(key);
    await askForResult(running, key);
    expect((await world.batch(key)).polls).toBe(2);
  });

  it('a question without an answer shows as trouble while it waits, and no more when the answer is there', async () => {
    const { account, key } = await world.submitted();
    const asked: ((answer: ResultAnswer) => void)[] = [];
    const silent = withGateway(world.app, { fetchBatchResult: () => new Promise((answer) => asked.push(answer)) });
    const failing = () => world.query('SELECT reason FROM failing_work WHERE subject = $1', [account]);
    stopTime();
    const poll = askForResult(silent, key);
    await waitUntil(() => asked.length > 0);
    await vi.advanceTimersByTimeAsync(9_999);
    expect(await failing()).toEqual([]);
    await vi.advanceTimersByTimeAsync(1);
    await waitUntil(async () => (await failing()).length > 0);
    expect(await failing()).toEqual([{ reason: 'no answer for 10 s' }]);
    asked[0]!(GOOD);
    await poll;
    expect(await failing()).toEqual([]);
  });

  it('an error of the gateway leaves everything as it was', async () => {
    const { key } = await world.submitted();
    const before = await world.batch(key);
    await expect(askForResult(answeringResult(world.app, new Error('no request')), key)).rejects.toThrow('no request');
    expect(await world.batch(key)).toEqual(before);
  });
});

describe('pollStage, with several batches', () => {
  /** What the service says of a batch: a result that fits unless told otherwise. */
  type Says = Record<string, ResultAnswer | Error | Promise<ResultAnswer>>;

  /** No machine is so busy that an answer takes longer. */
  const WHOLE_MS = 300_000;

  async function submittedThree() {
    const all = [await world.submitted(), await world.submitted(), await world.submitted()];
    const keys = all.map(({ key }) => key) as [BatchKey, BatchKey, BatchKey];
    const asked: string[] = [];
    const saying = (says: Says, app = world.app) =>
      withGateway(app, {
        fetchBatchResult: async ({ batchId }) => {
          asked.push(batchId);
          const answer = says[batchId] ?? GOOD;
          if (answer instanceof Error) throw answer;
          return answer;
        },
      });
    const states = () => Promise.all(all.map(async ({ key }) => (await world.storyOf(key)).state));
    const ids = all.map(({ batchId }) => batchId);
    return { ids, keys, asked, saying, states };
  }

  /** Takes these batches as one group, in this order. @returns how many it had */
  function poll(app: App, keys: readonly BatchKey[], patienceMs = WHOLE_MS): Promise<number> {
    const polls = keys.map((key) => ({ key, asked: {} }));
    return runOnce(app, onlyOf(pollStage(patienceMs), polls));
  }

  async function commitsOf(keys: readonly BatchKey[]): Promise<number> {
    const fileIds = keys.map(({ fileId }) => fileId);
    const [row] = await world.query<{ commits: number }>(
      `SELECT count(DISTINCT o.xmin::text)::int AS commits FROM row_outcome o JOIN file USING (file_no) WHERE file_id = ANY ($1)`,
      [fileIds],
    );
    return row!.commits;
  }

  it('asks for all at once, ends them in one transaction, and rings for their files', async () => {
    const { keys, asked, saying, states } = await submittedThree();
    const asks = await rungBy(() => poll(saying({}), keys));
    expect([asks, asked.length, await states()]).toEqual([['deliver'], 3, Array(3).fill('reconciled')]);
    expect(await commitsOf(keys)).toBe(1);
    for (const key of keys)
      expect((await world.storyOf(key)).moves).toEqual(['send', 'submit', 'receive', 'reconcile']);
  });

  it.each<[string, (id: string) => Says, string]>([
    ['does not fit', (id) => ({ [id]: result(ROWS.slice(1)) }), 'exception'],
    ['is not there', (id) => ({ [id]: { kind: 'running', text: 'please wait' } }), 'submitted'],
    ['is not plain', (id) => ({ [id]: result([...ROWS].reverse().map((row) => `${row},Received`)) }), 'reconciled'],
  ])('ends the others together when the result of one %s, and asks for that one once', async (_what, says, state) => {
    const { ids, keys, asked, saying, states } = await submittedThree();
    await poll(saying(says(ids[1]!)), keys);
    expect([await states(), asked.length]).toEqual([['reconciled', state, 'reconciled'], 3]);
    expect(await commitsOf([keys[0], keys[2]])).toBe(1);
  });

  it('ends late results with the others, asks for each once, and much later for one that does not fit again', async () => {
    const { ids, keys, asked, saying, states } = await submittedThree();
    const [one, , three] = keys;
    const missing = result(ROWS.slice(1));
    await poll(saying({ [ids[0]!]: missing, [ids[2]!]: missing }), [one, three]);
    for (const key of [one, three]) await world.makeDue(key);
    const { polls } = await world.batch(three);
    const cut = cutAtStatement(world.app, /JOIN batch_outcome/);
    const again = { [ids[2]!]: result(ROWS.slice(2)) };
    await poll(saying(again, cut.app), keys);
    expect([cut.wasCut(), await states()]).toEqual([true, ['reconciled', 'reconciled', 'exception']]);
    expect(asked).toHaveLength(5);
    const { next_poll_at: next, polls: now } = await world.batch(three);
    expect([next!.getTime() > Date.now() + 80_000_000, now - polls]).toEqual([true, 1]);
    expect((await world.storyOf(three)).moves.slice(-2)).toEqual(['except', 'misfit-again']);
  });

  it('ends late results and first ones in one transaction', async () => {
    const { ids, keys, saying, states } = await submittedThree();
    const [one, two, three] = keys;
    const missing = result(ROWS.slice(1));
    await poll(saying({ [ids[0]!]: missing, [ids[2]!]: missing }), [one, three]);
    for (const key of [one, three]) await world.makeDue(key);
    await poll(saying({ [ids[2]!]: result(ROWS.slice(2)) }), keys);
    expect(await states()).toEqual(['reconciled', 'reconciled', 'exception']);
    expect(await commitsOf([one, two])).toBe(1);
  });

  it('does not wait for a late result with those that are here', async () => {
    const { ids, keys, asked, saying, states } = await submittedThree();
    const others = async () => (await states()).filter((state) => state === 'reconciled').length;
    const late = async (): Promise<ResultAnswer> => {
      while ((await others()) < 2) await sleep(20);
      return GOOD;
    };
    await poll(saying({ [ids[1]!]: late() }), keys, 500);
    expect([await states(), asked.length]).toEqual([Array(3).fill('reconciled'), 3]);
  });

  it('uses no answer that was given for another batch id', async () => {
    const { ids, keys, asked, saying, states } = await submittedThree();
    const [, key] = keys;
    const adopt = async (): Promise<ResultAnswer> => {
      await world.query(`UPDATE batch SET batch_id = 'adopted' WHERE file_id = $1`, [key.fileId]);
      return result(ROWS.slice(1));
    };
    const says = new Proxy<Says>({}, { get: (_, id) => (id === ids[1] ? adopt() : undefined) });
    await poll(saying(says), keys);
    expect(await states()).toEqual(['reconciled', 'submitted', 'reconciled']);
    await poll(saying(says), keys);
    expect([await states(), asked.at(-1)]).toEqual([Array(3).fill('reconciled'), 'adopted']);
  });

  it('ends the others together when a query fails, and leaves only its batch alone for a while', async () => {
    const { ids, keys, saying, states } = await submittedThree();
    expect(await poll(saying({ [ids[1]!]: new Error('no line') }), keys)).toBe(3);
    expect(await states()).toEqual(['reconciled', 'submitted', 'reconciled']);
    expect(await takenOf(world.app, 'poll')).toEqual([{ subject: subjectOf(keys[1]), isWorkedOn: false }]);
    expect(world.logged).toContainEqual(expect.objectContaining({ level: 'error', ...keys[1], reason: 'no line' }));
    expect(await poll(saying({}), keys.slice(1, 2))).toBe(0);
    await endWait(world.app, 'poll', subjectOf(keys[1]));
    expect(await poll(saying({}), keys.slice(1, 2))).toBe(1);
    expect(await states()).toEqual(Array(3).fill('reconciled'));
  });

  const STEPS = [/commit_results/, /COPY row_outcome/, /LEFT JOIN batch_outcome/];
  it.each(STEPS)('ends them one by one when %s fails for all together', async (statement) => {
    const { keys, asked, saying, states } = await submittedThree();
    const cut = cutAtStatement(world.app, statement);
    await poll(saying({}, cut.app), keys);
    expect([cut.wasCut(), asked.length, await states()]).toEqual([true, 3, Array(3).fill('reconciled')]);
    expect(await commitsOf(keys)).toBe(3);
  });

  it('takes no batch that another process has, and each is ended once', async () => {
    const { ids, keys, asked, saying, states } = await submittedThree();
    const [one, two, three] = keys;
    const here = openGate();
    const app = saying({ [ids[0]!]: here.passed.then(() => GOOD), [ids[1]!]: here.passed.then(() => GOOD) });
    const first = poll(app, [two, one]);
    await expect.poll(() => asked.length, { interval: 10 }).toBe(2);
    expect(await poll(app, [one, two, three])).toBe(1);
    expect(await poll(app, [one, two])).toBe(0);
    here.open();
    expect(await first).toBe(2);
    expect([await states(), asked.length]).toEqual([Array(3).fill('reconciled'), 3]);
    for (const key of keys)
      expect((await world.storyOf(key)).moves.filter((move) => move === 'reconcile')).toHaveLength(1);
    expect(await takenOf(world.app, 'poll')).toEqual([]);
  });

  it('ends each once when several processes find them at the same moment in different order', async () => {
    const { keys, saying, states } = await submittedThree();
    const [one, two, three] = keys;
    const app = saying({});
    await Promise.all([poll(app, keys), poll(app, [three, one]), poll(app, [two, three])]);
    expect(await states()).toEqual(Array(3).fill('reconciled'));
    for (const key of keys)
      expect((await world.storyOf(key)).moves.filter((move) => move === 'reconcile')).toHaveLength(1);
  });

  it('goes on asking for a result that is asked for often, as soon as each time has come', async () => {
    const { account, key, batchId } = await world.submitted();
    const poll = { ...world.app.account(account).poll, firstMs: 20, factor: 1, longestMs: 20 };
    let asked = 0;
    const answering = withGateway(world.app, {
      fetchBatchResult: async () => ((asked += 1) < 15 ? { kind: 'running', text: WAIT } : GOOD),
    });
    // A batch that is left alone is so for longer than this test lasts.
    const settings = { ...world.app.settings, sweepMs: 60_000 };
    const app: App = { ...answering, settings, account: (name) => ({ ...world.app.account(name), poll }) };
    const findDue = async () => {
      const due = await listDue(app.ledger, await pollStage().findDue(app));
      const next = (await world.batch(key)).next_poll_at;
      const asked = { names: due.filter((subject) => subject === subjectOf(key)), opens: next ? [next] : [] };
      return { due: 'names', asked } as const;
    };
    const stopping = new AbortController();
    const runner = startStage(
      app,
      { ...pollStage(), findDue },
      { hands: 1, stopping: stopping.signal, groups: new WorkingGroups() },
    );
    try {
      await runner.wake();
      const state = async () => (await world.batch(key)).state;
      await expect.poll(state, { interval: 20, timeout: 10_000 }).toBe('reconciled');
      expect([asked, (await world.batch(key)).batch_id]).toEqual([15, batchId]);
    } finally {
      stopping.abort();
      await runner.stop(60_000);
    }
  });

  it('takes those first that are due first, and no more rows than fit into memory', async () => {
    const { ids, keys, asked, saying } = await submittedThree();
    const [one, two, three] = keys;
    const put = (key: BatchKey, days: number, rows: number) =>
      forceSql(
        world.app,
        `UPDATE batch SET next_poll_at = now() - $3 * interval '1 day', rows = $4 WHERE file_id = $1 AND batch_no = $2`,
        [key.fileId, key.batchNo, days, rows],
      );
    // All are due before those of other tests. The last one does not fit beside them.
    await put(two, 300, 9_000);
    await put(three, 200, 2_500);
    await put(one, 100, 2_501);
    const due = (await dueOf(world.app, pollStage())).map(({ key }) => key);
    expect(due.slice(0, 3)).toEqual([two, three, one]);
    const app = saying(Object.fromEntries(ids.map((id) => [id, { kind: 'running', text: WAIT }])));
    expect(await runOnce(app, pollStage(WHOLE_MS))).toBe(1);
    expect(await runOnce(app, pollStage(WHOLE_MS))).toBe(1);
    expect(asked).toEqual([ids[1], ids[2]]);
  });
});

function subjectOf({ fileId, batchNo }: BatchKey): string {
  return `${fileId}/${batchNo}`;
}
