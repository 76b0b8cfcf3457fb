/**
 * When a drop counts as settled. The only outside evidence is that nothing about it changes. So a drop is quiet once
 * `probes` scans that span at least `quietMs` saw it in the same shape.
 * The minimum age of `quietMs` since the last change follows, because that change precedes the first sighting of the
 * present shape. The time stamp itself is ignored: a file server's clock may run ahead of ours, and a future stamp
 * would hold the file back forever.
 */
export type QuietRule = { quietMs: number; probes: number };

/** `sinceMs` is the first sighting of the present shape, in ms since 1970. */
export type Sighting = { shape: string; sinceMs: number; probes: number };

/**
 * Records one sighting of a drop. Any change restarts the count. So does a clock set back before the first sighting,
 * because the elapsed time is then unknown.
 */
export function noteSighting(earlier: Sighting | undefined, shape: string, nowMs: number): Sighting {
  if (earlier?.shape !== shape || nowMs < earlier.sinceMs) return { shape, sinceMs: nowMs, probes: 1 };
  return { ...earlier, probes: earlier.probes + 1 };
}

export function isQuiet(sighting: Sighting, rule: QuietRule, nowMs: number): boolean {
  return sighting.probes >= rule.probes && nowMs - sighting.sinceMs >= rule.quietMs;
}
