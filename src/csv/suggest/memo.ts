/** Returns what was made for the same key before, or makes it. */
export type Memo = <Made>(key: string, make: () => Made) => Made;

/** Remembers what looking at a sample costs, because it is looked at again with each answer. */
export function openMemo(): Memo {
  const known = new Map<string, unknown>();
  return <Made>(key: string, make: () => Made): Made => {
    if (!known.has(key)) known.set(key, make());
    return known.get(key) as Made;
  };
}
