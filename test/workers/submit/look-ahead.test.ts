import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { App } from '../../../src/app.ts';
import type { ResultAnswer } from '../../../src/gateway/answers.ts';
import type { BatchKey } from '../../../src/ledger/engine/move.ts';
import { readBlocks } from '../../../src/explain/read-blocks.ts';
import { ALIVE_LOCKS } from '../../../src/ledger/engine/instance.ts';
import { readInDoubt } from '../../../src/ledger/doubt/in-doubt.ts';
import { readForgottenSends } from '../../../src/ledger/account/read-holds.ts';
import { openSendJournal } from '../../../src/ledger/admission/send-journal.ts';
import { seenBatchIds } from '../../../src/explain/batch-reference.ts';
import { runOnce } from '../../../workers/stage.ts';
import { submitStage } from '../../../workers/submit/submit.ts';
import { idsBehind } from '../../../workers/submit/look-ahead.ts';
import { skipPauses } from '../../queue/support/queue-world.ts';
import { GOOD, pollWorld, withGateway } from '../support/scripted-gateway.ts';
import { dueOf, endWait } from '../support/stage-steps.ts';
import { submitBatch } from '../../support/work-alone.ts';

const world = pollWorld();
let makePausesLast: () => void;
beforeAll(() => {
  makePausesLast = skipPauses();
});
afterAll(() => makePausesLast());

const UNKNOWN_ID: ResultAnswer = { kind: 'not_known', text: 'Invalid Batch ID' };

/** Makes the look of an account one of an earlier opening, and by default of another generation of the data folder. */
async function forgetLook(account: string, generation = 'before'): Promise<void> {
  await world.query(
    'UPDATE look_ahead SET generation = $2, epoch = epoch - 1 WHERE merchant_no = (SELECT merchant_of($1))',
    [account, generation],
  );
}

/** Lets the files of an account leave, as after a comparison with the forgotten calls. */
async function decideAbout(account: string): Promise<void> {
  await world.query('UPDATE file SET compared_to = newest_forgotten(merchant_no) WHERE account = $1', [account]);
}

/** Returns another process, on one of these hosts. */
async function otherProcess(senders?: string[]): Promise<App> {
  const journal = await openSendJournal(world.app.journal.path);
  return { ...world.app, journal, settings: { ...world.app.settings, senders } };
}

/** Returns a new process in a new opening of the ledger. Its account has batch id `newest` and a waiting batch. */
async function begunAgain({ generation = 'before' } = {}) {
  const { account, batchId } = await world.submitted();
  const key: BatchKey = { fileId: await world.takeInCharges(account, 3, 4), batchNo: 1 };
  await forgetLook(account, generation);
  return { app: await otherProcess(), account, key, newest: Number(batchId) };
}

/** Submits the batch while `results` answers each query to the service. */
async function submit(app: App, key: BatchKey, results: (id: number) => ResultAnswer) {
  const asked: number[] = [];
  let sent = 0;
  const scripted = withGateway(app, {
    fetchBatchResult: async ({ batchId }) => {
      asked.push(Number(batchId));
      return results(Number(batchId));
    },
    submitBatch: async ({ beforeFirstByte }) => {
      if (!(await beforeFirstByte({ url: 'https://service.example/', requestBytes: 1 }))) return { kind: 'withheld' };
      sent += 1;
      return { kind: 'submitted', batchId: `9${key.fileId}`, text: '' };
    },
  });
  await submitBatch(scripted, key);
  await app.journal.close();
  asked.sort((one, other) => one - other);
  return { asked, sent, story: await world.storyOf(key) };
}

/** Lets another process ask for ids of an account, which was last seen to `seconds` ago. */
async function letLook(account: string, looker: string, seconds: number): Promise<void> {
  const now = world.app.ledger.databaseNow();
  await world.query(
    `UPDATE look_ahead SET asked_by = $2, since = ${now}, seen_at = ${now} - $3 * interval '1 second', done = 40, total = 150
     WHERE merchant_no = merchant_of($1)`,
    [account, looker, seconds],
  );
}

/** Holds the lock by which a process shows that it is alive. */
async function withAliveLock(instanceId: string, run: () => Promise<void>): Promise<void> {
  const client = await world.app.ledger.pool.connect();
  try {
    await client.query('SELECT pg_advisory_lock($1, hashtext($2))', [ALIVE_LOCKS, instanceId]);
    await run();
  } finally {
    await client.query('SELECT pg_advisory_unlock_all()');
    client.release();
  }
}

describe('lookAhead', () => {
  it.each([
    ['five ids where the mark of the data folder has changed', 'before', [1, 2, 3, 4, 5]],
    ['two in any other opening, although the machine runs on', undefined, [1, 2]],
  ])('asks for the ids behind the newest in each opening of the ledger: %s', async (_, before, behind) => {
    const { app, account, key, newest } = await begunAgain({
      generation: before ?? world.app.folderMark.generation,
    });
    const first = await submit(app, key, () => UNKNOWN_ID);
    expect(first).toMatchObject({ sent: 1, asked: behind.map((more) => newest + more) });
    await world.query('UPDATE batch SET batch_id = $2 WHERE file_id = $1', [key.fileId, String(newest + 1)]);
    for (const from of [10, 20]) {
      const next: BatchKey = { fileId: await world.takeInCharges(account, 3, from), batchNo: 1 };
      expect(await submit(await otherProcess(), next, () => UNKNOWN_ID)).toMatchObject({ sent: 1, asked: [] });
    }
  });

  it('sends nothing where the service has the same rows already: the batch is in doubt under that id', async () => {
    const { account, batchId } = await world.submitted({ from: 7 });
    const key = { fileId: await world.takeInCharges(account, 3), batchNo: 1 };
    await forgetLook(account);
    const app = await otherProcess();
    const had = Number(batchId) + 3;
    const { sent, story } = await submit(app, key, (id) => (id === had ? GOOD : UNKNOWN_ID));
    expect(sent).toBe(0);
    expect(story).toMatchObject({ state: 'unknown', attempts: [{ verdict: 'unknown' }], maySend: false });
    expect(story.stop).toContain(`batch id ${had}`);
    const doubt = (await readInDoubt(world.app.ledger)).find(({ file }) => file.account === account)!;
    expect(seenBatchIds(doubt)).toEqual([String(had)]);
  });

  it('stops the account over what else the service has, and is content when a person has looked', async () => {
    const { app, account, key, newest } = await begunAgain();
    const running: ResultAnswer = { kind: 'running', text: '' };
    const answer = (id: number) => (id === newest + 2 ? running : id === newest + 4 ? GOOD : UNKNOWN_ID);
    const { sent, story } = await submit(app, key, answer);
    expect({ sent, state: story.state }).toEqual({ sent: 0, state: 'ready' });
    expect(story.stop).toContain(`2 batches missing from the ledger and the send journal`);
    expect((await readForgottenSends(world.app.ledger, account)).map((send) => send.batchId)).toEqual([
      String(newest + 2),
      String(newest + 4),
    ]);
    await world.app.ledger.pool.query('DELETE FROM account_stop WHERE account = $1', [account]);
    await decideAbout(account);
    const again = await otherProcess();
    expect(await submit(again, key, answer)).toMatchObject({ sent: 1 });
  });

  it('takes what the service has for calls that the ledger knows to be forgotten, as long as there are as many', async () => {
    const { app, account, key, newest } = await begunAgain();
    await world.query(
      `INSERT INTO forgotten_send (file_id, batch_no, attempt, account, merchant_no, sha256, at, since)
       VALUES ('gone', 1, 1, $1, merchant_of($1), '', now(), now())`,
      [account],
    );
    await decideAbout(account);
    const running: ResultAnswer = { kind: 'running', text: '' };
    expect(await submit(app, key, (id) => (id === newest + 1 ? running : UNKNOWN_ID))).toMatchObject({ sent: 1 });
  });

  it('asks for what the id of the first call has jumped over, before the second', async () => {
    const { app, account, key, newest } = await begunAgain();
    const first = await submit(app, key, () => UNKNOWN_ID);
    expect(first.sent).toBe(1);
    await world.query('UPDATE batch SET batch_id = $2 WHERE file_id = $1', [key.fileId, String(newest + 8)]);
    const next: BatchKey = { fileId: await world.takeInCharges(account, 3, 10), batchNo: 1 };
    const again = await otherProcess();
    const running: ResultAnswer = { kind: 'running', text: '' };
    const second = await submit(again, next, (id) => (id === newest + 7 ? running : UNKNOWN_ID));
    expect(second).toMatchObject({ sent: 0, asked: [newest + 6, newest + 7] });
    expect(second.story.stop).toContain(`batch id ${newest + 7}`);
  });

  it('asks once for all hosts in an opening of the ledger, and again in the next', async () => {
    const hosts = ['a', 'b'];
    // No other test has ids like these.
    const FIRST = 1_000_000;
    const took = ({ fileId }: BatchKey, id: number) =>
      world.query('UPDATE batch SET batch_id = $2 WHERE file_id = $1', [fileId, String(id)]);
    const behind = (id: number) => [1, 2, 3, 4, 5].map((more) => id + more);
    const { account, key } = await world.submitted();
    await took(key, FIRST);
    await forgetLook(account);
    const sendNext = async (from: number, id: number) => {
      const next: BatchKey = { fileId: await world.takeInCharges(account, 3, from), batchNo: 1 };
      const { asked, sent } = await submit(await otherProcess(hosts), next, () => UNKNOWN_ID);
      await took(next, id);
      return { asked, sent };
    };
    expect(await sendNext(10, FIRST + 1)).toEqual({ sent: 1, asked: behind(FIRST) });
    expect(await sendNext(20, FIRST + 2)).toEqual({ sent: 1, asked: [] });
    // The same generation of the folder, but the ledger may have gone back.
    await world.query('UPDATE look_ahead SET epoch = epoch - 1 WHERE merchant_no = merchant_of($1)', [account]);
    expect(await sendNext(30, FIRST + 3)).toEqual({ sent: 1, asked: [FIRST + 3, FIRST + 4] });
  });

  it('leaves an account to the living process that asks for it, and shows how far that is', async () => {
    const { app, account, key, newest } = await begunAgain();
    const other = `${account}-other`;
    await withAliveLock(other, async () => {
      await letLook(account, other, 500);
      expect(await submit(app, key, () => UNKNOWN_ID)).toMatchObject({ sent: 0, asked: [], story: { state: 'ready' } });
      const [block] = (await readBlocks(world.app.ledger, world.app.settings))(account);
      expect(block).toMatchObject({ kind: 'looking', says: expect.stringContaining('40 of 150 batch ids so far') });
    });
    // The other process has died.
    expect((await readBlocks(world.app.ledger, world.app.settings))(account)).toEqual([]);
    const after = await submit(await otherProcess(), key, () => UNKNOWN_ID);
    expect(after).toMatchObject({ sent: 1, asked: [1, 2, 3, 4, 5].map((more) => newest + more) });
    expect((await readBlocks(world.app.ledger, world.app.settings))(account)).toEqual([]);
  });

  it.each([601, -700])(
    'asks itself where the living process that asks was last seen %i seconds ago',
    async (seconds) => {
      const { app, account, key } = await begunAgain();
      const other = `${account}-other`;
      await withAliveLock(other, async () => {
        await letLook(account, other, seconds);
        expect((await readBlocks(world.app.ledger, world.app.settings))(account)).toEqual([]);
        const { asked, sent } = await submit(app, key, () => UNKNOWN_ID);
        expect([sent, asked.length > 0]).toEqual([1, true]);
      });
    },
  );

  it('sends nothing as long as the service gives no answer', async () => {
    const { app, key } = await begunAgain();
    const { sent, story } = await submit(app, key, () => ({ kind: 'failed', why: 'no answer' }));
    expect({ sent, state: story.state, attempts: story.attempts }).toEqual({ sent: 0, state: 'ready', attempts: [] });
    const { rows } = await world.app.ledger.pool.query(
      `SELECT reason FROM failing_work WHERE reason LIKE '%later batches%'`,
    );
    expect(rows).toHaveLength(1);
  });

  it('leaves an account alone for a while when another process asks for it', async () => {
    const { app, account, key } = await begunAgain();
    const other = `${account}-other`;
    const only = { ...app, settings: { ...app.settings, accounts: new Map([[account, app.account(account)]]) } };
    await withAliveLock(other, async () => {
      await letLook(account, other, 500);
      expect(await runOnce(only, submitStage())).toBe(1);
      expect((await world.storyOf(key)).state).toBe('ready');
      expect(await dueOf(only, submitStage())).toEqual([]);
      await endWait(app, 'submit', account);
      expect(await dueOf(only, submitStage())).toEqual([{ account }]);
    });
    await app.journal.close();
  });
});

describe('idsBehind', () => {
  it.each([
    ['the newest and the four behind it', ['8', '9'], ['10', '11', '12', '13', '14']],
    ['from the greatest', ['5', '7', '6'], ['8', '9', '10', '11', '12']],
    ['nothing behind ids that are no numbers', ['A-7', '007'], []],
    ['nothing without any', [], []],
  ])('gives %s', (_, ids, behind) => {
    expect(idsBehind(ids, 'wide')).toEqual(behind);
  });

  it.each([
    ['usual', 2, 10, 200],
    ['wide', 5, 30, 200],
  ] as const)(
    'goes as far as the next id usually is, or three times as far, and to 200 at most: %s',
    (reach, ...counts) => {
      const some = [['100'], ['100', '110', '120'], ['100', '9100']];
      expect(some.map((ids) => idsBehind(ids, reach).length)).toEqual(counts);
    },
  );
});
