/** The only source of the current time. Tests and the sandbox use a clock that is moved by hand. */
export type Clock = { now(): Date };

export const systemClock: Clock = { now: () => new Date() };

/** Returns a clock that stands still until it is moved. */
export function handClock(start: Date | string): Clock & { advance(ms: number): void; set(to: Date | string): void } {
  let at = new Date(start).getTime();
  return {
    now: () => new Date(at),
    advance: (ms) => {
      at += ms;
    },
    set: (to) => {
      at = new Date(to).getTime();
    },
  };
}

/**
 * Returns how long to wait until a moment, in ms.
 *
 * A clock that is later set back would make the wait longer, perhaps by a day. A moment farther away than any possible
 * wait therefore counts as reached.
 * @param until null for no wait
 * @param longestMs the longest wait of this kind
 */
export function waitLeftMs(until: Date | null, now: Date, longestMs: number): number {
  const leftMs = (until?.getTime() ?? 0) - now.getTime();
  return leftMs > longestMs ? 0 : Math.max(0, leftMs);
}
