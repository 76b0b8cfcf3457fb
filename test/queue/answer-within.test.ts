import { describe, expect, it } from 'vitest';
import { answerWithin } from '../../src/queue/answer-within.ts';

describe('answerWithin', () => {
  it('gives the answer that comes in time', async () => {
    expect(await answerWithin(1_000, 'ask', Promise.resolve('yes'))).toBe('yes');
  });

  it('gives up on an answer that does not come', async () => {
    await expect(answerWithin(10, 'add the job "x"', new Promise(() => {}))).rejects.toMatchObject({
      code: 'QUEUE_UNREACHABLE',
      message: expect.stringMatching(/^Cannot add the job "x": no answer within 10 ms\. Check Redis or PostgreSQL/),
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
