import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { importsOf, targetOf } from './source-tree.ts';

/** What opens a database, a queue or a thread, compiles the tree, or needs what the setup of a run prepares. */
const HEAVY = new RegExp(
  `^(?:${[
    'src/app\\.ts',
    'src/cli/',
    'src/thread/',
    'src/ledger/postgres/',
    'src/ledger/engine/open-ledger\\.ts',
    'src/queue/open-queue\\.ts',
    'test/support/(?:build-program|daemon|installation|postgres|redis|start-run)\\.ts',
  ].join('|')})`,
);

/** What a test starts a process or a browser with. The product may import them: it starts nothing on its own. */
const STARTERS: readonly string[] = ['node:child_process', 'playwright-core', 'src/config/config-secret.ts'];

/** Returns the files of `npm test` that are pure, by their paths from the root. */
export function findPureTests(root: string): string[] {
  const known = new Map<string, readonly string[]>();
  const importsIn = (path: string): readonly string[] => {
    const imports = known.get(path) ?? readImports(root, path);
    known.set(path, imports);
    return imports;
  };
  return readdirSync(join(root, 'test'), { recursive: true, encoding: 'utf8' })
    .filter((name) => /(?<!\.soak)\.test\.ts$/.test(name))
    .map((name) => `test/${name.replaceAll('\\', '/')}`)
    .filter((path) => findHeavyImport(path, importsIn) === undefined)
    .toSorted();
}

/**
 * Returns the import that makes a test impure, or undefined for a pure test. A pure test, with all that it imports, needs
 * no database, no Redis, no process, no setup of the run and no compiled code.
 */
export function findHeavyImport(test: string, importsIn: (path: string) => readonly string[]): string | undefined {
  const reached = new Set([test]);
  for (const path of reached) {
    const isProduct = /^(?:schemas|src|workers)\//.test(path);
    for (const specifier of importsIn(path)) {
      const target = targetOf({ path, text: '' }, specifier) ?? specifier;
      if (HEAVY.test(target) || (!isProduct && STARTERS.includes(target))) return target;
      if (/\.tsx?$/.test(target)) reached.add(target);
    }
  }
  return undefined;
}

/** Returns the imports of a file that are left when it runs: none of types. */
function readImports(root: string, path: string): string[] {
  // Texts in tests of import rules look like imports of files that are not there.
  if (!existsSync(join(root, path))) return [];
  return importsOf({ path, text: readFileSync(join(root, path), 'utf8').replace(TYPE_IMPORT, '') });
}

const TYPE_IMPORT = /^(?:import|export) type\b[^;'"]*?\bfrom\s*['"][^'"]+['"]/gm;
