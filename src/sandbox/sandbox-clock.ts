import type { Clock } from '../kernel/clock.ts';
import { PipelineError } from '../kernel/errors.ts';

/** The clock of a sandbox: it ticks, and it can be moved. */
export type SandboxClock = Clock & { advance(ms: number): void; set(to: Date | string): void };

/**
 * Starts a running clock at a chosen moment. A stopped clock would keep every batch waiting for its result until it is
 * moved by hand.
 * @param base   the clock that ticks
 * @param start  now when omitted
 * @param onMove called after each move
 * @throws USAGE when a moment is invalid or outside the years 1000 to 9998
 */
export function startSandboxClock(base: Clock, start?: Date | string, onMove?: () => void): SandboxClock {
  let aheadMs = start === undefined ? 0 : aheadOf(base, start);
  const clock: SandboxClock = {
    now: () => new Date(base.now().getTime() + aheadMs),
    advance: (ms) => {
      toMoment(clock.now().getTime() + ms, `move the clock of the sandbox by "${ms}"`);
      aheadMs += ms;
      onMove?.();
    },
    set: (to) => {
      aheadMs = aheadOf(base, to);
      onMove?.();
    },
  };
  return clock;
}

function aheadOf(base: Clock, to: Date | string): number {
  return toMoment(new Date(to).getTime(), `set the clock of the sandbox to "${String(to)}"`) - base.now().getTime();
}

/** Limits the clock to years of four digits; text with any other year would be wrong. */
const EARLIEST_MS = Date.parse('1000-01-01T00:00:00Z');
const LATEST_MS = Date.parse('9999-01-01T00:00:00Z');

function toMoment(ms: number, action: string): number {
  if (ms >= EARLIEST_MS && ms < LATEST_MS) return ms;
  throw new PipelineError('USAGE', action, 'it is not a moment of the years 1000 to 9998', {
    next: 'Write it as in 2026-06-15T10:00:00Z.',
  });
}
