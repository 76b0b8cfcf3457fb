import { setTimeout as sleep } from 'node:timers/promises';
import { onTestFinished, vi } from 'vitest';

const TURNS = 50;

/** Stops time: timeouts elapse only when the test says so, so a busy machine is not taken for a slow service. */
export function stopTime(): void {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
}

/** Lets everything in transit over loopback arrive, then advances time. */
export async function passTime(ms: number): Promise<void> {
  // These timers are real.
  for (let turns = 0; turns < TURNS; turns += 1) await sleep(1);
  await vi.advanceTimersByTimeAsync(ms);
}

/** Waits for a condition while time stands still; `expect.poll` and `vi.waitFor` would advance it with each check. */
export async function waitUntil(isSo: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await isSo())) await sleep(1);
}
