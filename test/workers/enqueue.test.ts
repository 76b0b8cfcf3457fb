import { describe, expect, it } from 'vitest';
import type { BatchRow } from '../../src/ledger/engine/records.ts';
import {
  enqueueDelivery,
  enqueueIntake,
  enqueueNextBatch,
  enqueuePoll,
  enqueueSubmit,
  isStale,
  JOB_KEYS,
  jobKeyOf,
  longestPollDelayMs,
  pollDelayMs,
} from '../../workers/enqueue.ts';
import { submitBatch } from '../../workers/submit/submit.ts';
import { answering } from './support/scripted-gateway.ts';
import { stepWorld } from './support/step-world.ts';
import { jobIds } from './support/story.ts';
import { AccountConfig } from '../../schemas/config.ts';

const FILE = '0123456789abcdef';
const POLLED = { file_id: FILE, batch_no: 2, polls: 3, rechecks: 0, next_poll_at: null } as BatchRow;

const world = stepWorld({ accounts: 8 });

describe('asking a stage', () => {
  it.each([
    ['enqueueIntake', () => enqueueIntake(world.app, [FILE], world.app.settings.site), JOB_KEYS.intake(FILE)],
    [
      'enqueueSubmit',
      () => enqueueSubmit(world.app, { fileId: FILE, batchNo: 2 }),
      JOB_KEYS.submit({ fileId: FILE, batchNo: 2 }),
    ],
    ['enqueuePoll', () => enqueuePoll(world.app, POLLED), JOB_KEYS.poll(POLLED)],
    ['enqueueDelivery', () => enqueueDelivery(world.app, FILE), JOB_KEYS.deliver(FILE)],
  ])('%s adds a job whose key tells at what to look, another one each time', async (_name, ask, jobKey) => {
    const before = await jobIds(world.app, FILE);
    await ask();
    await ask();
    const added = [...(await jobIds(world.app, FILE))].filter((id) => !before.has(id));
    expect(added.map(jobKeyOf)).toEqual([jobKey, jobKey]);
    expect(new Set(added).size).toBe(2);
  });

  it.each([
    [JOB_KEYS.submit({ fileId: FILE, batchNo: 1 }), JOB_KEYS.submit({ fileId: FILE, batchNo: 11 })],
    [pollStem(1, 0), pollStem(1, 1)],
    [pollStem(1, 11), pollStem(11, 1)],
    [pollStem(1, 4, 0), pollStem(1, 4, 1)],
  ])('%s and %s are told apart', (one, other) => {
    expect(jobKeyOf(`${one}-0123abcd`)).not.toBe(jobKeyOf(`${other}-0123abcd`));
  });

  it.each([
    ['a time to come', 60_000, 'delayed'],
    ['a time that has passed', -60_000, 'waiting'],
  ])('a poll for %s is %s', async (_what, fromNowMs, state) => {
    const before = await world.app.queue.counts('poll');
    await enqueuePoll(world.app, { ...POLLED, next_poll_at: new Date(Date.now() + fromNowMs) });
    const after = await world.app.queue.counts('poll');
    expect(after[state]! - (before[state] ?? 0)).toBe(1);
  });
});

describe('enqueueNextBatch', () => {
  it('asks for the next batch of the account and of no other', async () => {
    const [account, other] = [world.freshAccount(), world.freshAccount()];
    const first = await world.takeInCharges(account, 4, 1);
    const second = await world.takeInCharges(account, 4, 11);
    const foreign = await world.takeInCharges(other, 4);
    const asked = await world.jobsAddedBy(first, async () => {
      expect(await world.jobsAddedBy(second, () => enqueueNextBatch(world.app, account))).toEqual([]);
    });
    expect(asked).toEqual(['submit-1']);
    expect(await world.jobsAddedBy(foreign, () => enqueueNextBatch(world.app, account))).toEqual([]);
  });

  it('goes on with the second batch when the first is on its way', async () => {
    const account = world.freshAccount();
    const fileId = await world.takeInCharges(account, 4);
    await submitBatch(answering(world.app, { kind: 'submitted', batchId: '1', text: 'taken' }).app, {
      fileId,
      batchNo: 1,
    });
    expect(await world.jobsAddedBy(fileId, () => enqueueNextBatch(world.app, account))).toEqual(['submit-2']);
  });

  it.each([
    ['stopped', `INSERT INTO account_stop SELECT account, 'stopped', now() FROM file WHERE file_id = $1`],
    ['waiting', `UPDATE batch SET not_before = now() + interval '1 minute' WHERE file_id = $1`],
    ['calling', `UPDATE batch SET state = 'preparing' WHERE file_id = $1 AND batch_no = 1`],
  ])('asks for nothing of an account that is %s', async (_why, sql) => {
    const account = world.freshAccount();
    const fileId = await world.takeInCharges(account, 4);
    await world.query(sql, [fileId]);
    expect(await world.jobsAddedBy(fileId, () => enqueueNextBatch(world.app, account))).toEqual([]);
  });
});

function pollStem(batchNo: number, polls: number, rechecks = 0): string {
  return JOB_KEYS.poll({ file_id: FILE, batch_no: batchNo, polls, rechecks });
}

const account = AccountConfig.parse({
  server: 'NA',
  country: 'US',
  currency: 'USD',
  agentCode: 'TEST88',
  password: 'TEST88',
});
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

describe('pollDelayMs', () => {
  it('grows from the first wait to five minutes, by default', () => {
    expect([0, 1, 2, 7, 8, 1_000_000].map((polls) => pollDelayMs(account, polls, 0))).toEqual([
      15_000, 22_500, 33_750, 256_289.0625, 300_000, 300_000,
    ]);
  });

  it.each([
    [DAY_MS - 1, 300_000, false],
    [DAY_MS, HOUR_MS, true],
    [7 * DAY_MS - 1, HOUR_MS, true],
    [7 * DAY_MS, DAY_MS, true],
    [365 * DAY_MS, DAY_MS, true],
  ])('after %i ms waits %i ms; overdue: %s', (ageMs, delayMs, stale) => {
    expect(pollDelayMs(account, 100, ageMs)).toBe(delayMs);
    expect(isStale(account, ageMs)).toBe(stale);
  });
});

describe('longestPollDelayMs', () => {
  it.each([0, 60_000, DAY_MS - 1, DAY_MS, 5 * DAY_MS, 7 * DAY_MS - 1, 7 * DAY_MS, 30 * DAY_MS])(
    'is never less than the wait that began at an age of %i ms',
    (ageMs) => {
      for (const polls of [0, 5, 100]) {
        const delayMs = pollDelayMs(account, polls, ageMs);
        expect(longestPollDelayMs(account, ageMs + delayMs)).toBeGreaterThanOrEqual(delayMs);
      }
    },
  );
});
