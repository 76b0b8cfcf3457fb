import { setImmediate as nextRound } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { handClock } from '../../src/kernel/clock.ts';
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
  mayBeSent,
  pollDelayMs,
} from '../../workers/enqueue.ts';
import { submitBatch } from '../../workers/submit/submit.ts';
import { answering } from './support/scripted-gateway.ts';
import { stepWorld } from './support/step-world.ts';
import { jobIds } from './support/story.ts';
import { AccountConfig } from '../../schemas/config.ts';
import type { App } from '../../src/app.ts';
import { keepOrder, runForSlice } from '../../workers/run-for-slice.ts';
import { logIntoLines } from '../queue/support/queue-world.ts';

const FILE = '0123456789abcdef';
const POLLED = { file_id: FILE, batch_no: 2, polls: 3, rechecks: 0, next_poll_at: null } as BatchRow;

const world = stepWorld({ accounts: 8 });

describe('the window of an account', () => {
  const days = ['mon', 'tue', 'wed', 'thu', 'fri'] as const;
  const window = { from: '08:00', to: '18:00', days: [...days], holidays: [] };
  it.each([
    ['in its window', '2026-06-15T08:00:00Z', 'main', true],
    ['before it opens', '2026-06-15T07:59:59Z', 'main', false],
    ['after it has closed', '2026-06-15T18:00:00Z', 'main', false],
    ['on another day', '2026-06-14T12:00:00Z', 'main', false],
    ['of an account without one', '2026-06-14T12:00:00Z', 'always', true],
    ['of an account that left', '2026-06-14T12:00:00Z', 'gone', true],
  ])('decides about a batch %s', (_when, at, account, may) => {
    const accounts = new Map([
      ['main', { window, timeZone: 'UTC' }],
      ['always', { timeZone: 'UTC' }],
    ]);
    expect(mayBeSent({ settings: { accounts }, clock: handClock(at) } as unknown as App, account)).toBe(may);
  });
});

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

const JOB: { fileId: string; more?: string[] } = { fileId: 'one', more: ['two', 'three'] };

/** Runs a time slice over three files. @returns the files worked on and those requested again */
async function take(
  work: (fileId: string) => void | Promise<void>,
  { sliceMs = 60_000, signal = new AbortController().signal, job = JOB } = {},
) {
  const { log, lines } = logIntoLines();
  const done: string[] = [];
  const again: string[] = [];
  const failure = await runForSlice(
    { log } as App,
    job,
    { signal, sliceMs, askAgain: async (fileIds) => void again.push(...fileIds) },
    async (fileId) => {
      done.push(fileId);
      await work(fileId);
    },
  ).then(
    () => undefined,
    (error: unknown) => error,
  );
  return { done, again, failure, lines };
}

describe('runForSlice', () => {
  it('works on every file of its job, one after the other', async () => {
    let running = 0;
    const taken = await take(async () => {
      running += 1;
      expect(running).toBe(1);
      await Promise.resolve();
      running -= 1;
    });
    expect(taken).toMatchObject({ done: ['one', 'two', 'three'], again: [], failure: undefined });
  });

  it('takes a job of one file', async () => {
    expect(await take(() => {}, { job: { fileId: 'one' } })).toMatchObject({ done: ['one'], again: [] });
  });

  it('asks again for what is left when its time is over', async () => {
    expect(await take(() => {}, { sliceMs: 0 })).toMatchObject({ done: ['one'], again: ['two', 'three'] });
  });

  it('asks again for what is left when it is told to end', async () => {
    const stop = new AbortController();
    const taken = await take((fileId) => (fileId === 'two' ? stop.abort() : undefined), { signal: stop.signal });
    expect(taken).toMatchObject({ done: ['one', 'two'], again: ['three'] });
  });

  it('goes on behind a file that fails, says which one it was, and fails in the end', async () => {
    const broken = new Error('one is broken');
    const taken = await take((fileId) => {
      if (fileId === 'one') throw broken;
    });
    expect(taken).toMatchObject({ done: ['one', 'two', 'three'], again: [], failure: broken });
    expect(taken.lines).toMatchObject([{ fileId: 'one', msg: 'one is broken' }]);
  });

  it('leaves the failure of an only file to the queue, which says it', async () => {
    const taken = await take(
      () => {
        throw new Error('broken');
      },
      { job: { fileId: 'one' } },
    );
    expect(taken.failure).toMatchObject({ message: 'broken' });
    expect(taken.lines).toEqual([]);
  });
});

/** Works on items, each waiting this many rounds before its turn. @returns what happened, in order */
async function workOn(rounds: readonly number[], atOnce: number): Promise<string[]> {
  const story: string[] = [];
  await keepOrder(
    rounds.map((count, place) => ({ count, place })),
    atOnce,
    async ({ count, place }, turn) => {
      story.push(`begin ${place}`);
      for (let round = 0; round < count; round += 1) await nextRound();
      await turn;
      story.push(`end ${place}`);
    },
  );
  return story;
}

describe('keepOrder', () => {
  it.each([1, 2, 4, 9])('lets all end in their order, %s at a time', async (atOnce) => {
    const story = await workOn([9, 0, 3, 0, 0, 5, 1], atOnce);
    const ends = story.filter((step) => step.startsWith('end'));
    expect(ends).toEqual([0, 1, 2, 3, 4, 5, 6].map((place) => `end ${place}`));
  });

  it('begins as many as it may before the first has ended, and no more', async () => {
    expect((await workOn([5, 0, 0, 0], 3)).slice(0, 4)).toEqual(['begin 0', 'begin 1', 'begin 2', 'end 0']);
    expect((await workOn([5, 0], 1)).slice(0, 2)).toEqual(['begin 0', 'end 0']);
  });

  it('keeps the order behind one that ends without waiting for its turn', async () => {
    const story: number[] = [];
    await keepOrder([0, 1, 2], 3, async (place, turn) => {
      if (place === 1) return;
      if (place === 0) for (let round = 0; round < 5; round += 1) await nextRound();
      await turn;
      story.push(place);
    });
    expect(story).toEqual([0, 2]);
  });

  it('has nothing to do with nothing', async () => {
    expect(await workOn([], 2)).toEqual([]);
  });
});
