/** Runs work when its turn comes. */
export type Turns = <Result>(work: () => Promise<Result>) => Promise<Result>;

/**
 * Runs at most `most` tasks at once; later ones wait in order of arrival. A waiting upload is not read, so it costs
 * nothing here.
 */
export function openTurns(most: number): Turns {
  const waiting: (() => void)[] = [];
  let busy = 0;
  return async (work) => {
    if (busy < most) busy += 1;
    else await new Promise<void>((resolve) => waiting.push(resolve));
    try {
      return await work();
    } finally {
      // The next one takes over the slot, so that a new caller cannot overtake it.
      const next = waiting.shift();
      if (next) next();
      else busy -= 1;
    }
  };
}
