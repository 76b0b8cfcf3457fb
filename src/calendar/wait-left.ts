/**
 * How long something that waits until a moment has to wait still, in ms.
 *
 * Moments are written down by a clock that may be set back afterwards, and then the wait would last for as long as the
 * clock jumped, a day perhaps. So a moment that lies farther away than any wait can be counts as come.
 * @param until null: it does not wait
 * @param longestMs no wait of this kind is longer
 */
export function waitLeftMs(until: Date | null, now: Date, longestMs: number): number {
  const leftMs = (until?.getTime() ?? 0) - now.getTime();
  return leftMs > longestMs ? 0 : Math.max(0, leftMs);
}
