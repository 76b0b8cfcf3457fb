/** `npm run house`: how much there is to read, as a table. What can be kept is kept by test/tidy.test.ts. */
import { fileURLToPath } from 'node:url';
import { groupBy } from '../src/kernel/group-by.ts';
import { foreignNumbers, importsOf, readTree, type SourceFile, targetOf } from '../test/support/source-tree.ts';

const TREE = readTree(fileURLToPath(new URL('..', import.meta.url)));
const PRODUCT = TREE.filter(({ path }) => /^(?:src|workers|schemas)\/.*\.tsx?$/.test(path));
const TESTS = TREE.filter(({ path }) => /^test\/.*\.tsx?$/.test(path));
const MOST_FILES = 20;
const SHORT_LINES = 60;
const LARGE_ROOM_LINES = 1_000;

const IMPORTERS = groupBy(
  PRODUCT.flatMap((from) => [...new Set(importsOf(from))].map((name) => ({ from, to: targetOf(from, name) ?? name }))),
  ({ to }) => to,
);

const flat = foldersOf(PRODUCT).filter(([, files]) => files.length > MOST_FILES);
const single = PRODUCT.filter((file) => linesOf([file]) <= SHORT_LINES && hasOneNeighbor(file));
const rooms = roomsOf(PRODUCT).filter(([, files]) => linesOf(files) > LARGE_ROOM_LINES);
const silent = rooms.filter(([room]) => !TREE.some(({ path }) => path === `${room}/README.md`));

print([
  ['product lines', linesOf(PRODUCT)],
  ['product files', PRODUCT.length, 720],
  ['test lines', linesOf(TESTS)],
  ['test files', TESTS.length, 700],
  [`folders with more than ${MOST_FILES} files`, flat.length, 0],
  [`files of at most ${SHORT_LINES} lines with one importer, in the same folder`, single.length, 30],
  ['references to documents that are not here', foreignNumbers(TREE).length, 0],
  [`rooms of more than ${LARGE_ROOM_LINES} lines without a README`, silent.length, 0],
]);
console.log(`\nFlat folders: ${flat.map(([folder, files]) => `${folder} (${files.length})`).join(', ') || 'none'}`);
console.log(`Rooms without a README: ${silent.map(([room]) => room).join(', ') || 'none'}`);

function foldersOf(files: readonly SourceFile[]): [string, SourceFile[]][] {
  return [...groupBy(files, folderOf)];
}

/** A room is a folder of src, or `workers` and `schemas` as a whole. */
function roomsOf(files: readonly SourceFile[]): [string, SourceFile[]][] {
  return [...groupBy(files, ({ path }) => /^(?:src\/[^/]+|workers|schemas)/.exec(path)?.[0] ?? path)];
}

function hasOneNeighbor(file: SourceFile): boolean {
  const [first, ...others] = IMPORTERS.get(file.path) ?? [];
  return first !== undefined && others.length === 0 && folderOf(first.from) === folderOf(file);
}

function folderOf({ path }: SourceFile): string {
  return path.slice(0, path.lastIndexOf('/'));
}

function linesOf(files: readonly SourceFile[]): number {
  return files.reduce((sum, { text }) => sum + text.split('\n').length - 1, 0);
}

/** Prints each figure beside the most that is wanted, if there is a limit. */
function print(rows: readonly (readonly [what: string, today: number, wanted?: number])[]): void {
  for (const [what, today, wanted] of rows) {
    const limit = wanted === undefined ? '' : `of ${String(wanted).padStart(3)}`;
    const verdict = wanted === undefined ? '' : today <= wanted ? 'ok' : 'NO';
    console.log(`${verdict.padEnd(3)} ${String(today).padStart(7)} ${limit.padEnd(6)}  ${what}`);
  }
}
