import type { Clock } from '../kernel/clock.ts';
import { PipelineError } from '../kernel/errors.ts';

/** The clock of a sandbox: it ticks like any clock and can be moved as well. */
export type SandboxClock = Clock & { advance(ms: number): void; set(to: Date | string): void };

/**
 * A clock that starts at a moment of choice and runs on from there. One that stood still would leave every batch
 * waiting for its result until somebody moved it by hand.
 * @param base  what ticks
 * @param start the present moment when left out
 * @throws USAGE when a moment is not one
 */
export function startSandboxClock(base: Clock, start?: Date | string): SandboxClock {
  let aheadMs = 0;
  const clock: SandboxClock = {
    now: () => new Date(base.now().getTime() + aheadMs),
    advance: (ms) => {
      aheadMs += toFinite(ms, `move the clock of the sandbox by "${ms}"`);
    },
    set: (to) => {
      aheadMs =
        toFinite(new Date(to).getTime(), `set the clock of the sandbox to "${String(to)}"`) - base.now().getTime();
    },
  };
  if (start !== undefined) clock.set(start);
  return clock;
}

function toFinite(ms: number, action: string): number {
  if (Number.isFinite(ms)) return ms;
  throw new PipelineError('USAGE', action, 'it is not a moment', { next: 'Write it as in 2026-06-15T10:00:00Z.' });
}
