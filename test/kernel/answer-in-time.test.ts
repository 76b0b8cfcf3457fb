import { describe, expect, it } from 'vitest';
import { answerInTime } from '../../src/kernel/answer-in-time.ts';

describe('answerInTime', () => {
  it('gives the answer that comes in time', async () => {
    expect(await answerInTime(1_000, Promise.resolve('yes'))).toBe('yes');
  });

  it('fails as the answer fails', async () => {
    await expect(answerInTime(1_000, Promise.reject(new Error('no')))).rejects.toThrow('no');
  });

  it('gives up on an answer that does not come', async () => {
    await expect(answerInTime(10, new Promise(() => {}))).rejects.toThrow('no answer within 10 ms');
  });

  it('is not disturbed by a failure that comes after the time', async () => {
    const { promise, reject } = deferred();
    await expect(answerInTime(10, promise)).rejects.toThrow('no answer');
    reject(new Error('too late'));
    await expect(promise).rejects.toThrow('too late');
  });
});

function deferred(): { promise: Promise<void>; reject(error: Error): void } {
  let reject = (_error: Error) => {};
  const promise = new Promise<void>((_resolve, fail) => {
    reject = fail;
  });
  return { promise, reject };
}
