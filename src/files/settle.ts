/**
 * When a drop has come to rest. The only evidence from outside is that nothing about it changes, so a drop is quiet
 * once it was seen in the same shape in `probes` looks that span at least `quietMs`.
 *
 * The age rule, last changed at least `quietMs` ago, follows from this: the last change lies before the first look at
 * the present shape. The time stamp itself is not asked, because the clock of a file server may run ahead of ours and a
 * stamp in the future would hold the file back for ever.
 */
export type QuietRule = { quietMs: number; probes: number };

/** `sinceMs` is the moment of the first look at the present shape, in ms since 1970. */
export type Sighting = { shape: string; sinceMs: number; probes: number };

/**
 * Notes one look at a drop. Any change starts the count again, and so does a clock that was set back behind the first
 * look, since the time passed is then unknown.
 */
export function noteSighting(earlier: Sighting | undefined, shape: string, nowMs: number): Sighting {
  if (earlier?.shape !== shape || nowMs < earlier.sinceMs) return { shape, sinceMs: nowMs, probes: 1 };
  return { ...earlier, probes: earlier.probes + 1 };
}

export function isQuiet(sighting: Sighting, rule: QuietRule, nowMs: number): boolean {
  return sighting.probes >= rule.probes && nowMs - sighting.sinceMs >= rule.quietMs;
}
