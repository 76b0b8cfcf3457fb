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

/** Returns a gate: a handler waits for `passed` until the test calls `open`. */
export function openGate(): { passed: Promise<void>; open(): void } {
  let open = () => {};
  const passed = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { passed, open: () => open() };
}

/** Returns the result of `counts`, with zero for every state not named. */
export function counts(some: Record<string, number>): Record<string, number> {
  return { waiting: 0, delayed: 0, active: 0, prioritized: 0, failed: 0, ...some };
}
