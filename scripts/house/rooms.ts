import type { Outline } from './outline.ts';

/** Returns `src/ledger`, `workers/intake` or `schemas`. Files directly in `src` or `workers` form a room of their own. */
export function roomOf(path: string): string {
  return /^(?:src|workers)\/[^/]+(?=\/)/.exec(path)?.[0] ?? path.split('/')[0] ?? path;
}

export function folderOf(path: string): string {
  return path.slice(0, path.lastIndexOf('/'));
}

/** Finds pairs of places that import each other, in alphabetical order. */
export function mutualPairs(
  files: readonly Pick<Outline, 'path' | 'imports'>[],
  placeOf: (path: string) => string,
): [string, string][] {
  const imported = new Map<string, Set<string>>();
  for (const { path, imports } of files) {
    const place = placeOf(path);
    imported.set(place, new Set([...(imported.get(place) ?? []), ...imports.map(({ from }) => placeOf(from))]));
  }
  return [...imported.keys()]
    .flatMap((one) => [...imported.get(one)!].map((other): [string, string] => [one, other]))
    .filter(([one, other]) => one < other && imported.get(other)?.has(one))
    .toSorted(([a, b], [c, d]) => a.localeCompare(c) || b.localeCompare(d));
}

/** Finds the product files whose path or identifiers hold a word of the feature. */
export function filesOfFeature(files: readonly Outline[], words: RegExp): Outline[] {
  return files.filter(({ path, identifiers }) => words.test(path) || [...identifiers].some((name) => words.test(name)));
}
