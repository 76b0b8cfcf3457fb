import { componentsOf } from './components.ts';
import type { Outline } from './outline.ts';

/** Names that a file exports, in groups. No importer takes names of two groups. */
export type Ideas = { readonly path: string; readonly groups: readonly string[][] };

/**
 * Groups the exports of each file by who imports them. A name that a file only passes on counts at its origin. A name
 * that no file imports does not count.
 * @param options.joinsUses also joins exports that use each other inside the file, directly or through private names
 */
export function ideasOf(files: readonly Outline[], options: { joinsUses: boolean }): Ideas[] {
  const wanted = namesByImporter(files);
  return files.map((file) => {
    const wishes = [...(wanted.get(file.path)?.values() ?? [])].map((names) => [...names]);
    const names = [...file.exported.keys()].filter((name) => wishes.some((wish) => wish.includes(name)));
    const uses = options.joinsUses ? names.map((name) => reachedFrom(file, name)) : [];
    return { path: file.path, groups: componentsOf(names, [...wishes, ...uses]) };
  });
}

type Origin = { readonly path: string; readonly name: string };

/** Returns for each file which of its names each importer takes. */
function namesByImporter(files: readonly Outline[]): Map<string, Map<string, Set<string>>> {
  const byPath = new Map(files.map((file) => [file.path, file]));
  const wanted = new Map<string, Map<string, Set<string>>>();
  for (const importer of files)
    for (const { from, name, passedAs } of importer.imports) {
      if (passedAs !== '') continue;
      const names = name === '*' ? [...(byPath.get(from)?.exported.keys() ?? [])] : [name];
      for (const origin of names.flatMap((each) => findOrigin(byPath, { path: from, name: each }) ?? [])) {
        const importers = wanted.get(origin.path) ?? new Map<string, Set<string>>();
        wanted.set(
          origin.path,
          importers.set(importer.path, (importers.get(importer.path) ?? new Set()).add(origin.name)),
        );
      }
    }
  return wanted;
}

/** Follows a name through the files that pass it on. */
function findOrigin(files: ReadonlyMap<string, Outline>, { path, name }: Origin): Origin | undefined {
  const file = files.get(path);
  if (file === undefined) return undefined;
  const local = file.exported.get(name);
  if (local !== undefined && file.declared.has(local)) return { path, name };
  const passed = file.imports.find(({ passedAs, local: here }) => passedAs === name || (local && here === local));
  if (passed) return findOrigin(files, { path: passed.from, name: passed.name });
  const everything = file.imports.filter(({ passedAs }) => passedAs === '*');
  return everything.map(({ from }) => findOrigin(files, { path: from, name })).find((origin) => origin !== undefined);
}

/** Returns the export and those that its declaration uses. The way ends at each export and leads through private names. */
function reachedFrom({ exported, declared }: Outline, name: string): string[] {
  const exportOf = new Map([...exported].map(([shown, local]) => [local, shown]));
  const reached = new Set([exported.get(name)!]);
  // The set grows while it is read.
  for (const local of reached)
    if (!exportOf.has(local) || exportOf.get(local) === name)
      for (const used of declared.get(local) ?? []) if (declared.has(used)) reached.add(used);
  return [...reached].flatMap((local) => exportOf.get(local) ?? []);
}
