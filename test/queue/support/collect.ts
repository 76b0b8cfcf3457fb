/** Returns a handler that keeps what it gets, and lets the test wait for the next payload. */
export function collect(): { take: (payload: object) => Promise<void>; next(): Promise<object>; count(): number } {
  const got: object[] = [];
  let read = 0;
  let wake = () => {};
  return {
    take: async (payload) => {
      got.push(payload);
      wake();
    },
    next: async () => {
      while (got[read] === undefined) {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
      return got[read++] as object;
    },
    count: () => got.length,
  };
}
