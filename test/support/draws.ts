import fc from 'fast-check';

/**
 * Numbers from which a chooser makes its choices, so that fast-check draws and shrinks them. It shrinks each towards 0,
 * which stands for the plainest choice.
 */
export function draws(count: number): fc.Arbitrary<readonly number[]> {
  return fc.noBias(fc.array(DRAW, { minLength: count, maxLength: count }));
}

const ALL = 2 ** 32;
const DRAW = fc.nat(ALL - 1);

/** Returns the draws one after the other, as numbers from 0 to below 1, then 0 for ever. */
export function replay(drawn: readonly number[]): () => number {
  let next = 0;
  return () => (drawn[next++] ?? 0) / ALL;
}

/** Takes a value in so many of a hundred cases. */
export function sometimes<Value>(percent: number, value: fc.Arbitrary<Value>): fc.Arbitrary<Value | undefined> {
  return fc.oneof({ weight: 100 - percent, arbitrary: fc.constant(undefined) }, { weight: percent, arbitrary: value });
}
