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
