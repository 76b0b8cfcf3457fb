import { describe, expect, it } from 'vitest';
import { letTimeFly } from './support/let-time-fly.ts';
import { logIntoLines } from './support/log-lines.ts';
import { closeWorker } from '../../src/queue/start-worker.ts';

const NEVER = new Promise<void>(() => {});

function setUp(closed: Promise<void>, jobs: Promise<void>[], waitMs?: number) {
  const { log, lines } = logIntoLines();
  const worker = { name: 'submit', closes: 0, close: () => ((worker.closes += 1), closed) };
  const closing = closeWorker({ worker, running: new Set(jobs), waitMs, log });
  return { worker, closing, lines };
}

describe('closeWorker', () => {
  it('tells BullMQ at once, so that no new job is taken, and ends when BullMQ has closed', async () => {
    const { worker, closing, lines } = setUp(Promise.resolve(), []);
    expect(worker.closes).toBe(1);
    await closing;
    expect(lines).toEqual([]);
  });

  it('leaves a job that runs longer than waitMs, and says so', async () => {
    const { closing, lines } = setUp(NEVER, [NEVER], 10);
    await closing;
    expect(lines).toMatchObject([{ queue: 'submit', running: 1, msg: 'a worker was left before it had closed' }]);
  });

  it('does not count waitMs against a worker without jobs', async () => {
    let end = () => {};
    const closed = new Promise<void>((resolve) => {
      end = resolve;
    });
    const { closing, lines } = setUp(closed, [], 0);
    setImmediate(() => end());
    await closing;
    expect(lines).toEqual([]);
  });

  it('leaves BullMQ three seconds after the last job, because its server may be away', async () => {
    const { lines, afterMs } = await letTimeFly(async (passedMs) => {
      const { closing, lines: said } = setUp(NEVER, []);
      await closing;
      return { lines: said, afterMs: passedMs() };
    });
    expect(afterMs).toBe(3_000);
    expect(lines).toMatchObject([{ running: 0 }]);
  });
});
