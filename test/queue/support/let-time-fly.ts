import { createRequire, syncBuiltinESMExports } from 'node:module';
import { vi } from 'vitest';

/** The module as CommonJS sees it, where its functions can be replaced. */
const timers = createRequire(import.meta.url)('node:timers/promises') as { setTimeout: typeof waitAlong };

const STEP_MS = 50;

/**
 * Runs `work` while timers run as fast as the machine can; sockets and files keep their own pace.
 * @param work receives a function that returns the ms passed for its timers
 */
export async function letTimeFly<Result>(work: (passedMs: () => number) => Promise<Result>): Promise<Result> {
  vi.useFakeTimers({ toFake: ['Date', 'setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] });
  const makePausesLast = replacePauses(waitAlong);
  try {
    const now = () => vi.getMockedSystemTime()!.getTime();
    const begun = now();
    let isOver = false;
    const result = work(() => now() - begun).finally(() => {
      isOver = true;
    });
    result.catch(() => {});
    while (!isOver) {
      await vi.advanceTimersByTimeAsync(STEP_MS);
      await new Promise((resolve) => setImmediate(resolve));
    }
    return await result;
  } finally {
    makePausesLast();
    vi.useRealTimers();
  }
}

/** Shortens awaited pauses, but no other timers, to one turn of the event loop. Returns how to restore them. */
export function skipPauses(): () => void {
  return replacePauses((_ms, value, options) => waitAlong(0, value, options));
}

function replacePauses(pause: typeof waitAlong): () => void {
  const { setTimeout: wait } = timers;
  const use = (other: typeof waitAlong) => {
    timers.setTimeout = other;
    syncBuiltinESMExports();
  };
  use(pause);
  return () => use(wait);
}

/** Replaces the pause of `node:timers/promises`, whose clock Vitest does not control. */
function waitAlong<Value>(ms: number, value?: Value, { signal }: { signal?: AbortSignal } = {}): Promise<Value> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => resolve(value as Value), ms);
    signal?.addEventListener('abort', () => {
      clearTimeout(timer);
      reject(signal.reason as Error);
    });
  });
}
