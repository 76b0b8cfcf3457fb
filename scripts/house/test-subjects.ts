import { componentsOf } from './components.ts';
import type { Outline } from './outline.ts';

/**
 * Finds tests that are named after nothing: after no source file, no folder of sources, and no phrase of a title in the
 * test itself.
 */
export function unnamedTests(tests: readonly Outline[], sources: readonly { path: string }[]): Outline[] {
  const names = new Set(sources.flatMap(({ path }) => path.replace(/\.\w+$/, '').split('/')));
  return tests.filter(
    (test) => !names.has(nameOf(test)) && !test.titles.some(({ text }) => hasPhrase(text, nameOf(test))),
  );
}

/** Returns the name of the file without its kind: `submit`. */
function nameOf({ path }: { path: string }): string {
  return (path.split('/').at(-1) ?? '').replace(/(?:\.(?:test|soak|property))*\.tsx?$/, '');
}

function hasPhrase(text: string, name: string): boolean {
  return ` ${wordsOf(text)} `.includes(` ${wordsOf(name)} `);
}

function wordsOf(text: string): string {
  return text
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, ' ')
    .trim();
}

/**
 * Groups the top-level describes of a test by the sources that they use: two describes that use names of one source file
 * share their subject.
 */
export function subjectsOf(test: Outline, sources: ReadonlySet<string>): string[][] {
  const describes = test.titles.filter(({ uses }) => uses !== undefined);
  const imports = test.imports.filter(({ from }) => sources.has(from));
  const users = [...new Set(imports.map(({ from }) => from))].map((source) =>
    describes.filter(({ uses }) => imports.some(({ from, local }) => from === source && uses!.has(local))),
  );
  return componentsOf(describes, users).map((group) => group.map(({ text }) => text));
}
