/** Joins items that a tie names together, directly or through others. Each group keeps the order of the items. */
export function componentsOf<Item>(items: readonly Item[], ties: readonly (readonly Item[])[]): Item[][] {
  const groupOf = new Map<Item, Item[]>(items.map((item) => [item, [item]]));
  for (const tie of ties) {
    const groups = new Set(tie.flatMap((item) => [groupOf.get(item) ?? []]).filter((group) => group.length > 0));
    const joined = [...groups].flat();
    for (const item of joined) groupOf.set(item, joined);
  }
  const place = new Map(items.map((item, index) => [item, index]));
  return [...new Set(groupOf.values())].map((group) => group.toSorted((a, b) => place.get(a)! - place.get(b)!));
}
