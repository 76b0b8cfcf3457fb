/** Returns whole numbers from 0 to below `end`; the same seed gives the same numbers on every machine. */
export function seededChoice(seed: number): (end: number) => number {
  let state = seed >>> 0;
  return (end) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    // The high bits, because the low bits of this generator repeat after a few steps.
    return Math.floor((state / 2 ** 32) * end);
  };
}
