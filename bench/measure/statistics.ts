import type { About, Measurement, Sample } from './record.ts';

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

/** Returns the one measurement that matches; undefined when it was not made. @throws Error when several match */
export function lookUp(measurements: readonly Measurement[], about: Partial<About>): Measurement | undefined {
  const keys = Object.keys(about) as (keyof About)[];
  const found = measurements.filter((measurement) => keys.every((key) => measurement[key] === about[key]));
  if (found.length > 1) throw new Error(`${JSON.stringify(about)} describes ${found.length} measurements`);
  return found[0];
}

/** What to read from a sample: its seconds, its peak memory or one of its figures. */
export type Quantity = 'seconds' | 'peakMb' | (string & {});

/** Returns the median over the rounds; undefined when it was not measured. */
export function medianOf(measurement: Measurement | undefined, quantity: Quantity = 'seconds'): number | undefined {
  const values = measurement && valuesOf(measurement, quantity);
  return values && values.length > 0 ? median(values) : undefined;
}

/** Returns how many times larger the first is, as the median over rounds; undefined when either was not measured. */
export function ratioOf(
  over: Measurement | undefined,
  under: Measurement | undefined,
  quantities: { over?: Quantity; under?: Quantity } = {},
): number | undefined {
  if (!over || !under) return undefined;
  const [above, below] = [valuesOf(over, quantities.over), valuesOf(under, quantities.under)];
  return above.length > 0 && above.length === below.length ? medianRatio(above, below) : undefined;
}

function valuesOf({ samples }: Measurement, quantity: Quantity = 'seconds'): number[] {
  return samples.flatMap((sample) => valueOf(sample, quantity) ?? []);
}

function valueOf({ seconds, peakMb, figures }: Sample, quantity: Quantity): number | null | undefined {
  if (quantity === 'seconds') return seconds;
  return quantity === 'peakMb' ? peakMb : figures[quantity];
}
