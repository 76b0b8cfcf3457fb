import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DelayedError, UnrecoverableError } from 'bullmq';
import { Redis } from 'ioredis';
import { answerWithin, limitLog } from '../../src/queue/answer-within.ts';
import { handClock } from '../../src/kernel/clock.ts';
import { logIntoLines } from './support/queue-world.ts';
import { PipelineError } from '../../src/kernel/errors.ts';
import { describeFailure, FOREIGN_FAILURE, safeFailure } from '../../src/queue/safe-failure.ts';
import { inspectRedis } from '../../src/queue/redis-connection.ts';
import { redisIsInstalled, redisVerdict, startTestRedis, type TestRedis } from '../support/redis.ts';
import { closedUrl } from '../workers/support/step-world.ts';

describe('answerWithin', () => {
  it('gives the answer that comes in time', async () => {
    expect(await answerWithin(1_000, 'ask', Promise.resolve('yes'))).toBe('yes');
  });

  it('gives up on an answer that does not come', async () => {
    await expect(answerWithin(10, 'ring "submit"', new Promise(() => {}))).rejects.toMatchObject({
      code: 'QUEUE_UNREACHABLE',
      message: expect.stringMatching(/^Cannot ring "submit": no answer within 10 ms\. Check Redis or PostgreSQL/),
    });
  });

  it.each([
    ['a message', new Error('connect ECONNREFUSED'), 'connect ECONNREFUSED'],
    ['a message that ends a sentence', new Error('Connection is closed.'), 'Connection is closed'],
    ['a code only', Object.assign(new AggregateError([]), { code: 'ECONNREFUSED' }), 'ECONNREFUSED'],
    ['nothing', new Error(''), 'no reason given'],
  ])('says why when the error has %s', async (_what, error, reason) => {
    await expect(answerWithin(1_000, 'ask', Promise.reject(error))).rejects.toMatchObject({
      code: 'QUEUE_UNREACHABLE',
      message: expect.stringMatching(new RegExp(`^Cannot ask: ${reason}\\. Check`)),
      cause: error,
    });
  });

  it.each([
    [
      "Stream isn't writeable and enableOfflineQueue options is false",
      'WRONGPASS invalid password.',
      'WRONGPASS invalid password',
    ],
    ['Connection is closed.', 'connect ECONNREFUSED', 'connect ECONNREFUSED'],
    ['NOREPLICAS not enough good replicas', 'connect ECONNREFUSED', 'NOREPLICAS not enough good replicas'],
  ])('of "%s" says what the connection reported, where that says more', async (message, cause, reason) => {
    await expect(answerWithin(1_000, 'ask', Promise.reject(new Error(message)), () => cause)).rejects.toMatchObject({
      message: expect.stringMatching(new RegExp(`^Cannot ask: ${reason}\\. Check`)),
    });
    await expect(answerWithin(1, 'ask', new Promise(() => {}), () => cause)).rejects.toThrow(cause);
  });

  it('is not disturbed by a failure that comes after the time', async () => {
    let fail = (_error: Error) => {};
    const answer = new Promise<never>((_resolve, reject) => {
      fail = reject;
    });
    await expect(answerWithin(5, 'ask', answer)).rejects.toMatchObject({ code: 'QUEUE_UNREACHABLE' });
    // An unhandled rejection would fail the run.
    fail(new Error('too late'));
    await expect(answer).rejects.toThrow('too late');
  });
});

function open() {
  const clock = handClock('2026-06-15T08:00:00Z');
  const { log, lines } = logIntoLines();
  const said = () => lines.map(({ reason, leftOut }) => [reason, leftOut]);
  return { clock, said, report: limitLog(log, clock) };
}

describe('limitLog', () => {
  it('says a reason once in ten seconds and counts the rest', () => {
    const { clock, said, report } = open();
    for (let times = 0; times < 1_000; times += 1) report(new Error('connect ECONNREFUSED'));
    expect(said()).toEqual([['connect ECONNREFUSED', 0]]);
    clock.advance(9_999);
    report(new Error('connect ECONNREFUSED'));
    expect(said()).toHaveLength(1);
    clock.advance(1);
    report(new Error('connect ECONNREFUSED'));
    expect(said()[1]).toEqual(['connect ECONNREFUSED', 1_000]);
  });

  it('says different reasons, but not without end', () => {
    const { said, report } = open();
    for (let job = 0; job < 100; job += 1) report(new Error(`could not renew lock for job ${job}`));
    expect(said()).toHaveLength(5);
  });

  it('has something to say of an error without a message', () => {
    const { said, report } = open();
    report(Object.assign(new AggregateError([]), { code: 'ECONNREFUSED' }));
    report(new Error(''));
    expect(said().map(([reason]) => reason)).toEqual(['ECONNREFUSED', 'no reason given']);
  });
});

const CARD = '4222222222222220';

describe('safeFailure', () => {
  it('keeps the message of a PipelineError, without its cause', () => {
    const error = new PipelineError('DISK_FULL', 'write "out"', undefined, { cause: new Error(CARD) });
    const failure = safeFailure(error);
    expect(failure.message).toBe(error.message);
    expect(failure.cause).toBeUndefined();
  });

  it.each([
    ['an error', new Error(`Unexpected token in ${CARD}`)],
    ['a text', CARD],
    ['nothing', undefined],
    ["BullMQ's own wish to run later", new DelayedError(CARD)],
  ])('puts a fixed sentence in the place of %s', (_what, error) => {
    expect(safeFailure(error).message).toBe(FOREIGN_FAILURE);
  });

  it('is final for BullMQ and has no stack to store', () => {
    const failure = safeFailure(new Error('x'));
    expect(failure).toBeInstanceOf(UnrecoverableError);
    expect(failure.stack).toBe('');
  });
});

describe('describeFailure', () => {
  it('gives code and message of a PipelineError', () => {
    const error = new PipelineError('DISK_FULL', 'write "out"');
    expect(describeFailure(error)).toEqual({ code: 'DISK_FULL', reason: error.message });
  });

  it('hides numbers in a foreign message and says where in the code it was thrown', () => {
    const error = new SyntaxError(`Unexpected token, "INV-7,${CARD},4222 2222 2222 2220" is not valid JSON`);
    const { code, reason, at } = describeFailure(error);
    expect(code).toBeUndefined();
    expect(reason).toBe('Unexpected token, "INV-7,[digits],[digits] [digits] [digits] [digits]" is not valid JSON');
    expect(at).toContain('answer-within.test.');
  });

  it('gives the code of a system error and cuts a long message', () => {
    const error = Object.assign(new Error('x'.repeat(1_000)), { code: 'ENOENT' });
    expect(describeFailure(error)).toMatchObject({ code: 'ENOENT', reason: 'x'.repeat(300) });
  });

  it('copes with what is no error', () => {
    expect(describeFailure(CARD)).toEqual({ code: undefined, reason: '[digits]', at: undefined });
  });
});

describe('inspectRedis', () => {
  it('says when it does not answer', async () => {
    const url = (await closedUrl()).replace('http', 'redis');
    await expect(inspectRedis(url)).rejects.toMatchObject({ code: 'QUEUE_UNREACHABLE' });
  });

  it(redisVerdict().sentence, () => {
    expect(redisVerdict().isFine).toBe(true);
  });
});

describe.runIf(redisIsInstalled())('inspectRedis, against Redis', () => {
  let redis: TestRedis;
  beforeAll(async () => {
    redis = await startTestRedis();
  });
  afterAll(() => redis.stop());

  it('names a wrong password', async () => {
    const client = new Redis(redis.url);
    await client.config('SET', 'requirepass', 'right');
    await expect(inspectRedis(redis.url.replace('//', '//:wrong@'))).rejects.toThrow('WRONGPASS');
    await client.config('SET', 'requirepass', '');
    client.disconnect();
  });

  it('reads what decides whether it keeps the queue', async () => {
    expect(await inspectRedis(redis.url)).toEqual({
      version: expect.stringMatching(/^\d+\./),
      policy: 'noeviction',
      isAppendOnly: false,
    });
  });

  describe('says that it takes no writes, and leaves nothing', () => {
    const asked = async (spoil: (client: Redis) => Promise<unknown>, restore: (client: Redis) => Promise<unknown>) => {
      const client = new Redis(redis.url);
      try {
        await spoil(client);
        const state = await inspectRedis(redis.url);
        expect(await client.dbsize()).toBe(0);
        return state;
      } finally {
        await restore(client);
        client.disconnect();
      }
    };

    it.each([
      ['a full memory', 'maxmemory', '1', 'OOM'],
      ['too few replicas', 'min-replicas-to-write', '3', 'NOREPLICAS'],
    ])('%s', async (_, setting, value, code) => {
      const set = (to: string) => (client: Redis) => client.config('SET', setting, to);
      expect(await asked(set(value), set('0'))).toMatchObject({ refusal: expect.stringContaining(code) });
      expect(await inspectRedis(redis.url)).not.toHaveProperty('refusal');
    });

    it('a replica', async () => {
      const state = await asked(
        (client) => client.replicaof('127.0.0.1', 1),
        (client) => client.replicaof('NO', 'ONE'),
      );
      expect(state).toMatchObject({ refusal: expect.stringContaining('READONLY') });
    });

    it.each([
      ['paydrop:*', undefined],
      ['other:*', 'NOPERM'],
    ])('a right to write %s', async (keys, code) => {
      const rights =
        (...rules: string[]) =>
        (client: Redis) =>
          client.call('ACL', 'SETUSER', 'default', ...rules);
      const { refusal } = await asked(rights('resetkeys', `~${keys}`), rights('allkeys'));
      expect(refusal?.split(' ')[0]).toBe(code);
    });
  });
});
