/** Returns the result of `counts`, with zero for every state not named. */
export function counts(some: Record<string, number>): Record<string, number> {
  return { waiting: 0, delayed: 0, active: 0, prioritized: 0, failed: 0, ...some };
}
