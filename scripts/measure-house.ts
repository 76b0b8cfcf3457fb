import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { readTree } from '../test/support/source-tree.ts';
import { ideasOf } from './house/ideas.ts';
import { outlineOf, type Outline } from './house/outline.ts';
import { filesOfFeature, folderOf, mutualPairs, roomOf } from './house/rooms.ts';
import { subjectsOf, unnamedTests } from './house/test-subjects.ts';
import { type Traced, traceFiles } from './house/trace.ts';
import type { Traffic } from './house/database-traffic.ts';

/**
 * `npm run house`: prints what a file passes, what belongs together and how much there is to read, in a minute. The
 * figures are for information; none fails. `npm run house -- --names` also names what is behind each figure.
 */
const { values } = parseArgs({ options: { names: { type: 'boolean', default: false } } });

/** A file has many ideas from this number on, and a test many subjects. */
const MANY_IDEAS = 3;
const MANY_SUBJECTS = 4;
const LONGEST_FUNCTIONS = 10;

/** How each feature is named in code. Where two words stand for one feature, both count. */
const FEATURES: Readonly<Record<string, RegExp>> = {
  profiles: /profile/i,
  doubt: /doubt/i,
  schedules: /schedule/i,
  archive: /archiv/i,
  reprocess: /reprocess/i,
  transfers: /transfer|sftp/i,
  approvals: /approve(?!d)|approval|propos/i,
  alarms: /alarm/i,
  users: /user|people|person/i,
};

const tree = readTree(fileURLToPath(new URL('..', import.meta.url)));
const product = tree.filter(({ path }) => /^(?:src|workers|schemas)\/.*\.tsx?$/.test(path)).map(outlineOf);
/** What tests may be named after: all code, also the programs in test/ that are tested themselves. */
const tested = tree.filter(({ path }) => /(?<!\.test)\.(?:tsx?|mjs)$/.test(path));
const testFolder = tree.filter(({ path }) => /^test\/.*\.tsx?$/.test(path)).map(outlineOf);
const tests = testFolder.filter(({ path }) => /\.test\.tsx?$/.test(path));

printTraces(await traceFiles());
printIdeas();
printTests();
printFeatures();
printPairs();
printSize();

function printTraces(traced: readonly Traced[]): void {
  heading('What a file passes from the drop to its outputs');
  explain(
    'Of the product, without the sandbox and without what runs anyway. What is sent to the database is counted for each file.',
  );
  const rows: [what: string, figureOf: (trace: Traced) => number][] = [
    ['source files', ({ calls }) => new Set([...calls.values()].map(({ path }) => path)).size],
    ['folders', ({ calls }) => new Set([...calls.values()].map(({ path }) => folderOf(path))).size],
    ['functions', ({ calls }) => calls.size],
    ['functions with a name', ({ calls }) => [...calls.values()].filter((call) => call.name !== '').length],
    ['statements of our own', ({ traffic, files }) => countStatements(traffic.own) / files],
    ['without BEGIN and COMMIT', ({ traffic, files }) => countStatements(traffic.own, /^(?!BEGIN|COMMIT)/) / files],
    ['different ones', ({ traffic }) => traffic.own.statements.size],
    ['messages of our own', ({ traffic, files }) => traffic.own.messages / files],
    ['COMMITs', ({ traffic, files }) => traffic.own.commits / files],
    ['transactions', ({ traffic, files }) => traffic.own.transactions / files],
    ['statements of the queue', ({ traffic, files }) => countStatements(traffic.queue) / files],
    ['messages of the queue', ({ traffic, files }) => traffic.queue.messages / files],
  ];
  console.log(['', ...traced.map(({ what }) => what)].map(padWide).join(''));
  for (const [what, figureOf] of rows)
    console.log([what, ...traced.map((trace) => String(Number(figureOf(trace).toFixed(1))))].map(padWide).join(''));
  const [first] = traced;
  name([...new Set([...(first?.calls.values() ?? [])].map(({ path }) => path))].toSorted());
  for (const side of ['own', 'queue'] as const)
    name(
      [...(first?.traffic[side].statements ?? [])].map(([text, count]) => `${count.toFixed(1)} ${text.slice(0, 120)}`),
    );
}

function countStatements({ statements }: Traffic, kind = /^/): number {
  return [...statements].reduce((sum, [text, count]) => sum + (kind.test(text) ? count : 0), 0);
}

function printIdeas(): void {
  heading('Files with three or more ideas that no importer shares');
  explain(`The exports of the file fall into ${MANY_IDEAS} or more groups; no product file imports from two groups.`);
  const findMany = (joinsUses: boolean) =>
    ideasOf(product, { joinsUses }).filter(({ groups }) => groups.length >= MANY_IDEAS);
  const files = findMany(true);
  figure(findMany(false).length, 'by importers alone');
  figure(files.length, 'where exports that use each other inside the file are one idea');
  name(files.map(({ path, groups }) => `${path}: ${groups.map((group) => group.join(', ')).join(' | ')}`));
}

function printTests(): void {
  heading(`Tests (${tests.length} files)`);
  explain('A test has a name if a source file or its folder, or a phrase of a title in the test has that name.');
  const untitled = tests.map((test) => ({ ...test, titles: [] }));
  const unnamed = unnamedTests(tests, tested);
  figure(unnamedTests(untitled, tested).length, 'named after no source');
  figure(unnamed.length, 'of these named after no behavior either');
  name(unnamed.map(({ path }) => path));
  explain('Two top-level describes share a subject if they use the same product file.');
  const sources = new Set(product.map(({ path }) => path));
  const long = tests.filter(({ titles }) => titles.filter(({ uses }) => uses).length >= MANY_SUBJECTS);
  const crowded = long.filter((test) => {
    const folders = test.imports.flatMap(({ from }) => (sources.has(from) ? [folderOf(from)] : []));
    return new Set(folders).size >= MANY_SUBJECTS && subjectsOf(test, sources).length >= MANY_SUBJECTS;
  });
  figure(long.length, `with ${MANY_SUBJECTS} or more top-level describes`);
  figure(crowded.length, `of these with ${MANY_SUBJECTS} or more subjects, and imports from as many product folders`);
  name(crowded.map(({ path }) => path));
}

function printFeatures(): void {
  heading('Rooms that a feature touches');
  explain(
    'By names: the path or an identifier holds a word of the feature. By text: comments and statements count too.',
  );
  console.log(['', 'files', 'rooms', 'files by text', 'rooms by text'].map(pad).join(''));
  for (const [feature, words] of Object.entries(FEATURES)) {
    const byNames = filesOfFeature(product, words);
    const byText = product.filter(({ path, text }) => words.test(path) || words.test(text));
    const figures = [byNames, byText].flatMap((files) => [files.length, roomsOf(files).length]);
    console.log([feature, ...figures.map(String)].map(pad).join(''));
    name([roomsOf(byNames).join(', ')]);
  }
}

function printPairs(): void {
  heading('Places that import each other');
  for (const [places, placeOf] of [
    ['rooms', roomOf],
    ['folders', folderOf],
  ] as const) {
    const pairs = mutualPairs(product, placeOf);
    const [within, beside] = [true, false].map((wanted) =>
      pairs.filter(([one, other]) => other.startsWith(`${one}/`) === wanted).map((pair) => pair.join(' - ')),
    ) as [string[], string[]];
    figure(beside.length, `pairs of ${places} beside each other`);
    name(beside);
    figure(within.length, `pairs of ${places}, one of them inside the other`);
    name(within);
  }
}

function printSize(): void {
  heading('Size');
  for (const [what, files] of [
    ['product', product],
    ['test', testFolder],
  ] as const)
    console.log(
      `  ${what}: ${linesOf(files)} lines in ${files.length} files, ${new Set(files.map(({ path }) => folderOf(path))).size} folders`,
    );
  console.log('  The longest functions of the product, in lines:');
  const sizes = product.flatMap(({ path, functions }) => functions.map((size) => ({ path, ...size })));
  for (const { path, line, lines, name: called } of sizes
    .toSorted((a, b) => b.lines - a.lines)
    .slice(0, LONGEST_FUNCTIONS))
    figure(lines, `${called} (${path}:${line})`);
}

function roomsOf(files: readonly Outline[]): string[] {
  return [...new Set(files.map(({ path }) => roomOf(path)))].toSorted();
}

function linesOf(files: readonly Outline[]): number {
  return files.reduce((sum, { text }) => sum + text.split('\n').length - 1, 0);
}

function heading(text: string): void {
  console.log(`\n${text}`);
}

function explain(text: string): void {
  console.log(`  ${text}`);
}

function figure(count: number, what: string): void {
  console.log(`${String(count).padStart(7)}  ${what}`);
}

function name(entries: readonly string[]): void {
  if (values.names) for (const entry of entries) console.log(`           ${entry}`);
}

function pad(cell: string): string {
  return cell.padStart(15);
}

function padWide(cell: string): string {
  return cell.padStart(26);
}
