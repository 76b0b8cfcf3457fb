import { describe, expect, it } from 'vitest';
import { aborted, withStopSignal } from '../../../src/cli/process/stop-signal.ts';

const SIGNALS = ['SIGINT', 'SIGTERM'] as const;

function counts(): number[] {
  return SIGNALS.map((name) => process.listenerCount(name));
}

describe('withStopSignal', () => {
  it.each(SIGNALS)('%s aborts, and both signals have the answer of the system again', async (name) => {
    const before = counts();
    const states = await withStopSignal(async (stop) => {
      const hear = process.listeners(name).at(-1) as () => void;
      const states = [stop.aborted];
      hear();
      await aborted(stop);
      expect(counts()).toEqual(before);
      return [...states, stop.aborted];
    });
    expect(states).toEqual([false, true]);
  });

  it('listens no more when the work is done, or has failed', async () => {
    const before = counts();
    expect(await withStopSignal(async () => counts())).toEqual(before.map((count) => count + 1));
    await expect(withStopSignal(() => Promise.reject(new Error('work')))).rejects.toThrow('work');
    expect(counts()).toEqual(before);
  });
});

describe('aborted', () => {
  it('resolves at once for a signal that was there before', async () => {
    await expect(aborted(AbortSignal.abort())).resolves.toBeUndefined();
  });
});
