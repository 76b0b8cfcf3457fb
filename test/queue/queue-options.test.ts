import { describe, expect, it } from 'vitest';
import { PipelineError } from '../../src/kernel/errors.ts';
import { assertSafeOptions, QUEUE_OPTIONS, type QueueOptions } from '../../src/queue/queue-options.ts';

describe('QUEUE_OPTIONS', () => {
  it('is safe, and keeps no more of a job than its ids and a sentence', () => {
    expect(() => assertSafeOptions(QUEUE_OPTIONS)).not.toThrow();
    expect(QUEUE_OPTIONS.job).toEqual({
      attempts: 1,
      removeOnComplete: true,
      removeOnFail: { count: 1000 },
      stackTraceLimit: 0,
    });
  });

  it('renews a lock several times before it is taken for that of a dead worker', () => {
    const { lockDuration, stalledInterval } = QUEUE_OPTIONS.worker;
    expect(lockDuration).toBe(60_000);
    expect(stalledInterval).toBeLessThanOrEqual(lockDuration / 2);
  });
});

describe('assertSafeOptions', () => {
  it.each<[string, Partial<QueueOptions['job']>, Partial<QueueOptions['worker']>]>([
    ['"attempts" is 2', { attempts: 2 }, {}],
    ['"attempts" is 0', { attempts: 0 }, {}],
    ['"attempts" is NaN', { attempts: Number.NaN }, {}],
    ['"maxStalledCount" is 1', {}, { maxStalledCount: 1 }],
    // BullMQ replaces a missing value with its own 1.
    ['"maxStalledCount" is undefined', {}, { maxStalledCount: undefined as unknown as number }],
  ])('refuses %s', (said, job, worker) => {
    const weakened = { job: { ...QUEUE_OPTIONS.job, ...job }, worker: { ...QUEUE_OPTIONS.worker, ...worker } };
    const refusal = expect(() => assertSafeOptions(weakened));
    refusal.toThrow(PipelineError);
    refusal.toThrow(said);
  });
});
