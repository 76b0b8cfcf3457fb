import { setTimeout as sleep } from 'node:timers/promises';
import type { Socket } from 'node:net';
import type { PoolClient } from 'pg';
import { describe, expect, it } from 'vitest';
import { take, takenAnswer } from '../../support/scripted-service.ts';
import { agentCodeOf, beforeStatement, cutAtStatement, POWER_CUT, stepWorld } from '../support/step-world.ts';
import { readJournal } from '../support/story.ts';
import type { App } from '../../../src/app.ts';
import { handClock } from '../../../src/kernel/clock.ts';
import type { BatchKey } from '../../../src/ledger/engine/move.ts';
import { longestCallMs } from '../../../workers/upkeep/sweep.ts';
import { answering } from '../support/scripted-gateway.ts';
import { recoverBatches } from '../../../src/ledger/batch/recover-batches.ts';
import { submitBatch } from '../../support/work-alone.ts';

/** What the ledger records of a call that goes to the socket, and of an answer that it does not take at once. */

const world = stepWorld({ accounts: 9, special: { hasty: { answerTimeoutMs: 150 } } });

const DOUBT = { state: 'unknown', moves: ['send', 'doubt'], journal: [1], maySend: false };

describe('submitBatch against a service', () => {
  it('half an answer: unknown after one POST, with what came as evidence, and the account sends no more', async () => {
    const name = world.freshAccount();
    const { first, second } = await world.twoBatches(name);
    world.service.play(agentCodeOf(name), halfAnAnswer);
    await submitBatch(world.app, first);

    const story = await world.storyOf(first);
    expect(story).toMatchObject(DOUBT);
    const evidence = { httpStatus: 200, answerText: expect.stringMatching(/^BATCHID 9000/) as unknown };
    expect(story.attempts).toMatchObject([{ attempt: 1, verdict: 'unknown', evidence }]);
    expect(story.attempts[0]?.evidence?.['bytesWritten']).toBeGreaterThan(500);

    world.service.play(agentCodeOf(name), take);
    for (const key of [first, second]) await submitBatch(world.app, key);
    expect(world.service.posts(agentCodeOf(name))).toBe(1);
  });

  it('an answer that comes after the time-out changes nothing any more', async () => {
    let late: (() => boolean) | undefined;
    const { first } = await world.twoBatches('hasty');
    world.service.play(agentCodeOf('hasty'), (socket, request) => {
      late = () => socket.write(takenAnswer(request, '9009'));
    });
    await submitBatch(world.app, first);
    const before = await world.storyOf(first);
    late?.();
    expect(before).toMatchObject({ ...DOUBT, reason: 'no complete answer within 150 ms' });
    expect(await world.storyOf(first)).toEqual(before);
    expect(world.service.posts(agentCodeOf('hasty'))).toBe(1);
  });

  it('the journal has its line and the ledger says sending when the first byte comes in', async () => {
    const name = world.freshAccount();
    const { first } = await world.twoBatches(name);
    const journal: unknown[] = [];
    let state = '';
    world.service.onFirstByte((agentCode) => {
      if (agentCode === agentCodeOf(name))
        journal.push(...readJournal(world.app).filter((entry) => entry.account === name));
    });
    world.service.play(agentCodeOf(name), (socket, request) => {
      void world.batch(first).then((row) => {
        state = row.state;
        take(socket, request);
      });
    });
    await submitBatch(world.app, first);
    expect(journal).toEqual([expect.objectContaining({ ...first, account: name, attempt: 1 })]);
    expect(state).toBe('sending');
    expect((await world.storyOf(first)).state).toBe('submitted');
  });

  it('names the host and the size of the request in the attempt', async () => {
    const name = world.freshAccount();
    const { first } = await world.twoBatches(name);
    await submitBatch(world.app, first);
    const [attempt] = await world.query<{ host: string; request_bytes: number; worker: string }>(
      'SELECT host, request_bytes, worker FROM attempt WHERE file_id = $1',
      [first.fileId],
    );
    expect(attempt).toMatchObject({ host: new URL(world.service.url).host, worker: world.app.ledger.instance.id });
    expect(attempt?.request_bytes).toBeGreaterThan(500);
  });
});

function halfAnAnswer(socket: Socket, request: string): void {
  const whole = takenAnswer(request, '9000');
  socket.end(whole.subarray(0, whole.length - 60));
}

const TAKEN = { kind: 'submitted', batchId: '8001', text: 'taken' } as const;
/** The first of its commits declares a call, the second ends it. */
const VERDICT = /commit_send/;

async function freshBatch(): Promise<BatchKey> {
  return { fileId: await world.takeInCharges(world.freshAccount(), 2), batchNo: 1 };
}

function answersOf(key: BatchKey): unknown[] {
  return readJournal(world.app)
    .filter((entry) => entry.fileId === key.fileId && 'answer' in entry)
    .map((entry) => (entry as unknown as { answer: unknown }).answer);
}

describe('recordAnswer, while other work has every other connection', () => {
  it('does not wait for one of them', async () => {
    const key = await freshBatch();
    const { pool, answers } = world.app.ledger;
    const busy: PoolClient[] = [];
    const takeAll = async () => {
      while (busy.length < pool.options.max) busy.push(await pool.connect());
    };
    const sent = submitBatch(answering(world.app, TAKEN, { after: takeAll }).app, key);
    try {
      const stateOf = 'SELECT state FROM batch WHERE file_id = $1';
      await expect
        .poll(async () => (await answers.query(stateOf, [key.fileId])).rows, { interval: 5 })
        .toEqual([{ state: 'submitted' }]);
      expect(busy).toHaveLength(pool.options.max);
    } finally {
      for (const client of busy) client.release();
    }
    await sent;
  });
});

describe('recordAnswer, when the ledger does not take the answer', () => {
  it('asks again until it does; meanwhile the answer stands in the log and in the send journal', async () => {
    const key = await freshBatch();
    const cut = cutAtStatement(world.app, VERDICT, 1);
    await submitBatch(answering(cut.app, TAKEN).app, key);
    expect(cut.wasCut()).toBe(true);
    expect(await world.storyOf(key)).toMatchObject({
      state: 'submitted',
      batchId: '8001',
      attempts: [{ attempt: 1, verdict: 'submitted' }],
    });
    expect(answersOf(key)).toEqual([{ verdict: 'submitted', batchId: '8001' }]);
    expect(world.logged).toContainEqual(
      expect.objectContaining({
        level: 'error',
        fileId: key.fileId,
        answer: { verdict: 'submitted', batchId: '8001' },
        msg: `the ledger does not accept the answer of the service yet: ${POWER_CUT}`,
      }),
    );
  });

  it('keeps it beside the doubt, when others have put the batch in doubt meanwhile', async () => {
    const key = await freshBatch();
    const cut = cutAtStatement(world.app, VERDICT, 1);
    const putInDoubt = async () => {
      await world.query(`UPDATE batch SET lease_until = 'epoch' WHERE file_id = $1`, [key.fileId]);
      await recoverBatches(world.app.ledger, longestCallMs(world.app));
    };
    const doubted = beforeStatement(cut.app, VERDICT, () => (cut.wasCut() ? putInDoubt() : undefined));
    await submitBatch(answering(doubted, { ...TAKEN, batchId: '8002' }).app, key);
    expect(await world.storyOf(key)).toMatchObject({
      state: 'unknown',
      batchId: null,
      moves: ['send', 'doubt', 'late-answer'],
      maySend: false,
    });
  });

  it('writes nothing beside the ledger when that takes the answer at once', async () => {
    const key = await freshBatch();
    await submitBatch(answering(world.app, { ...TAKEN, batchId: '8003' }).app, key);
    expect(answersOf(key)).toEqual([]);
  });
});

describe('the intent to send', () => {
  it('is withdrawn when it took longer than the lease to become durable: nothing leaves', async () => {
    const key = await freshBatch();
    const clock = handClock(new Date());
    const { leaseMs } = world.app.account('account-1');
    // As when the process is stopped, or the host sleeps, between the commit and the first byte.
    const slow: App = {
      ...world.app,
      clock,
      journal: {
        ...world.app.journal,
        append: async (entry) => {
          await world.app.journal.append(entry);
          clock.advance(leaseMs + 1);
        },
      },
    };
    const scripted = answering(slow, TAKEN);
    await submitBatch(scripted.app, key);
    expect(scripted.bodies).toEqual([]);
    const attempts = [{ attempt: 1, verdict: 'not_sent' }];
    expect(await world.storyOf(key)).toMatchObject({ state: 'ready', attempt: 2, attempts });
  });

  it('is withdrawn then also when the clock of the host was set back meanwhile', async () => {
    const key = await freshBatch();
    const clock = handClock(new Date());
    let leaseMs = world.app.account('account-1').leaseMs;
    const slow: App = {
      ...world.app,
      clock,
      account: (name) => ({ ...world.app.account(name), leaseMs }),
      journal: {
        ...world.app.journal,
        append: async (entry) => {
          await world.app.journal.append(entry);
          clock.advance(-3_600_000);
          await sleep(2 * leaseMs);
        },
      },
    };
    // The lease of the ledger stays long: only the time until the first byte is too much.
    const before = async () => void (leaseMs = 20);
    const scripted = answering(slow, TAKEN, { before });
    await submitBatch(scripted.app, key);
    expect(scripted.bodies).toEqual([]);
    const attempts = [{ attempt: 1, verdict: 'not_sent' }];
    expect(await world.storyOf(key)).toMatchObject({ state: 'ready', attempt: 2, attempts, journal: [1] });
  });
});
