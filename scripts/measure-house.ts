/** `npm run house`: how much there is to read. It prints for information; test/tidy.test.ts keeps the rules. */
import { fileURLToPath } from 'node:url';
import { readTree, type SourceFile } from '../test/support/source-tree.ts';

const TREE = readTree(fileURLToPath(new URL('..', import.meta.url)));
const PRODUCT = TREE.filter(({ path }) => /^(?:src|workers|schemas)\/.*\.tsx?$/.test(path));
const TESTS = TREE.filter(({ path }) => /^test\/.*\.tsx?$/.test(path));

for (const [what, files] of [
  ['product', PRODUCT],
  ['test', TESTS],
] as const) {
  console.log(`${what}: ${linesOf(files)} lines in ${files.length} files`);
}

function linesOf(files: readonly SourceFile[]): number {
  return files.reduce((sum, { text }) => sum + text.split('\n').length - 1, 0);
}
