import { readFile, writeFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { App } from '../../../src/app.ts';
import type { ResultAnswer } from '../../../src/gateway/answers.ts';
import type { BatchKey } from '../../../src/ledger/engine/move.ts';
import { readInDoubt } from '../../../src/ledger/doubt/in-doubt.ts';
import { readForgottenSends } from '../../../src/ledger/account/read-holds.ts';
import { openSendJournal } from '../../../src/ledger/admission/send-journal.ts';
import { seenBatchIds } from '../../../src/explain/batch-reference.ts';
import { submitBatch } from '../../../workers/submit/submit.ts';
import { idsBehind } from '../../../workers/submit/look-ahead.ts';
import { skipPauses } from '../../queue/support/queue-world.ts';
import { GOOD, pollWorld, withGateway } from '../support/scripted-gateway.ts';

const world = pollWorld();
let makePausesLast: () => void;
beforeAll(() => {
  makePausesLast = skipPauses();
});
afterAll(() => makePausesLast());

const UNKNOWN_ID: ResultAnswer = { kind: 'not_known', text: 'Invalid Batch ID' };

/**
 * Returns a new process, on a restarted machine if `isNewBoot`. Its account has batch id `newest` and a waiting batch.
 */
async function begunAgain({ isNewBoot = true } = {}) {
  const { account, batchId } = await world.submitted();
  const key: BatchKey = { fileId: await world.takeInCharges(account, 3, 4), batchNo: 1 };
  const { path } = world.app.journal;
  const journalText = await readFile(path, 'utf8');
  if (isNewBoot) await writeFile(path, journalText.replaceAll(/"boot":"[^"]*"/g, '"boot":"before"'));
  const app: App = { ...world.app, journal: await openSendJournal(path) };
  return { app, account, key, newest: Number(batchId) };
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
  return { asked, sent, story: await world.storyOf(key) };
}

describe('lookAhead', () => {
  it('asks for the ids behind the newest once after each start of the machine', async () => {
    const { app, key, newest } = await begunAgain();
    const first = await submit(app, key, () => UNKNOWN_ID);
    expect(first).toMatchObject({ sent: 1, asked: [1, 2, 3, 4, 5].map((more) => newest + more) });
    const again = await begunAgain({ isNewBoot: false });
    expect(await submit(again.app, again.key, () => UNKNOWN_ID)).toMatchObject({ sent: 1, asked: [] });
  });

  it('sends nothing where the service has the same rows already: the batch is in doubt under that id', async () => {
    const { account, batchId } = await world.submitted({ from: 7 });
    const key = { fileId: await world.takeInCharges(account, 3), batchNo: 1 };
    const { path } = world.app.journal;
    await writeFile(path, (await readFile(path, 'utf8')).replaceAll(/"boot":"[^"]*"/g, '"boot":"before"'));
    const app = { ...world.app, journal: await openSendJournal(path) };
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
    const again = { ...world.app, journal: await openSendJournal(world.app.journal.path) };
    expect(await submit(again, key, answer)).toMatchObject({ sent: 1 });
  });

  it('takes what the service has for calls that the ledger knows to be forgotten, as long as there are as many', async () => {
    const { app, account, key, newest } = await begunAgain();
    await world.query(
      `INSERT INTO forgotten_send (file_id, batch_no, attempt, account, sha256, at, since) VALUES ('gone', 1, 1, $1, '', now(), now())`,
      [account],
    );
    const running: ResultAnswer = { kind: 'running', text: '' };
    expect(await submit(app, key, (id) => (id === newest + 1 ? running : UNKNOWN_ID))).toMatchObject({ sent: 1 });
  });

  it('asks for what the id of the first call has jumped over, before the second', async () => {
    const { app, account, key, newest } = await begunAgain();
    const first = await submit(app, key, () => UNKNOWN_ID);
    expect(first.sent).toBe(1);
    await world.query('UPDATE batch SET batch_id = $2 WHERE file_id = $1', [key.fileId, String(newest + 8)]);
    const next: BatchKey = { fileId: await world.takeInCharges(account, 3, 10), batchNo: 1 };
    const again = { ...world.app, journal: await openSendJournal(world.app.journal.path) };
    const running: ResultAnswer = { kind: 'running', text: '' };
    const second = await submit(again, next, (id) => (id === newest + 7 ? running : UNKNOWN_ID));
    expect(second).toMatchObject({ sent: 0, asked: [newest + 6, newest + 7] });
    expect(second.story.stop).toContain(`batch id ${newest + 7}`);
  });

  it('sends nothing as long as the service gives no answer', async () => {
    const { app, key } = await begunAgain();
    const { sent, story } = await submit(app, key, () => ({ kind: 'failed', why: 'no answer' }));
    expect({ sent, state: story.state, attempts: story.attempts }).toEqual({ sent: 0, state: 'ready', attempts: [] });
    const { rows } = await world.app.ledger.pool.query(
      `SELECT reason FROM failing_work WHERE reason LIKE '%later batches%'`,
    );
    expect(rows).toHaveLength(1);
  });
});

describe('idsBehind', () => {
  it.each([
    ['the newest and the four behind it', ['8', '9'], ['10', '11', '12', '13', '14']],
    ['from the greatest', ['5', '7', '6'], ['8', '9', '10', '11', '12']],
    ['nothing behind ids that are no numbers', ['A-7', '007'], []],
    ['nothing without any', [], []],
  ])('gives %s', (_, ids, behind) => {
    expect(idsBehind(ids)).toEqual(behind);
  });

  it('goes three times as far as ids usually are apart, and 200 at most', () => {
    expect(idsBehind(['100', '110', '120'])).toHaveLength(30);
    expect(idsBehind(['100', '9100'])).toHaveLength(200);
  });
});
