/** Returns the middle value, or the mean of the two middle ones. NaN when there are none. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((one, other) => one - other);
  const middle = sorted.length / 2;
  return sorted.length % 2 === 1 ? sorted[Math.floor(middle)]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}

/**
 * Returns how many times larger the first is: the median of the ratios per round. Shared machines drift in speed by
 * nearly half; the two values of a round are affected alike.
 * @param over values in the order of the rounds
 * @param under as many, of the same rounds
 */
export function medianRatio(over: readonly number[], under: readonly number[]): number {
  if (over.length !== under.length) throw new Error('ratios need the same rounds on both sides');
  return median(over.map((value, round) => value / under[round]!));
}

/** Returns the value below which this share of the values lies, by the nearest rank. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((one, other) => one - other);
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? Number.NaN;
}
