import { setTimeout as sleep } from 'node:timers/promises';
import { onTestFinished, vi } from 'vitest';

const TURNS = 50;

/** Time-outs of this test pass only where it says so, so that a busy machine is no slow service. */
export function stopTime(): void {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
}

/** Lets whatever is on its way over loopback arrive, and then so much time pass. */
export async function passTime(ms: number): Promise<void> {
  // These timers are real ones.
  for (let turns = 0; turns < TURNS; turns += 1) await sleep(1);
  await vi.advanceTimersByTimeAsync(ms);
}

/** Waits for something while time stands still; `expect.poll` and `vi.waitFor` would let it pass with each look. */
export async function waitUntil(isSo: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await isSo())) await sleep(1);
}
