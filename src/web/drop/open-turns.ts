/** Does some work when it is its turn. */
export type Turns = <Result>(work: () => Promise<Result>) => Promise<Result>;

/**
 * Lets so much work go on at once; what comes then waits, in the order in which it came. An upload that waits is not read,
 * so it costs nothing here.
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
      // Whoever is next takes over the place, so nobody who comes just now can slip in before him.
      const next = waiting.shift();
      if (next) next();
      else busy -= 1;
    }
  };
}
