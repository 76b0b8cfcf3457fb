/** The middle of the values, or the mean of the two in the middle. NaN when there are none. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((one, other) => one - other);
  const middle = sorted.length / 2;
  return sorted.length % 2 === 1 ? sorted[Math.floor(middle)]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}

/**
 * How many times larger the first is than the second: the median of the ratios round by round. The speed of a machine
 * drifts, by nearly a half on shared ones; within a round both had the same share of it.
 * @param over  values in the order of the rounds
 * @param under as many, of the same rounds
 */
export function medianRatio(over: readonly number[], under: readonly number[]): number {
  if (over.length !== under.length) throw new Error('ratios need the same rounds on both sides');
  return median(over.map((value, round) => value / under[round]!));
}

/** The value below which this share of the values lies, by the nearest rank. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((one, other) => one - other);
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? Number.NaN;
}
