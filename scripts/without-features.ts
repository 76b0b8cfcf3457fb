import { execFile } from 'node:child_process';
import { cp, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { FEATURES } from '../src/features.ts';

/**
 * `npm run without-features [-- <name> …]`: takes each feature out of a copy of the tree, its folders and its two lines, and
 * shows that the rest has right types, can be built, starts and passes the short tests of the core.
 */
const run = promisify(execFile);
const ROOT = fileURLToPath(new URL('..', import.meta.url));
const LISTS = ['schemas/feature-list.ts', 'src/feature-list.ts'];

/** Folders of tests that need no feature. */
const CORE = [
  'calendar',
  'config',
  'crypto',
  'csv',
  'files',
  'kernel',
  'ledger',
  'queue',
  'reconcile',
  'rows',
  'workers',
];

const asked = process.argv.slice(2);
const strange = asked.filter((name) => FEATURES.every((feature) => feature.name !== name));
if (strange.length > 0) {
  console.error(`There is no feature ${strange.join(', ')}; there are ${FEATURES.map(({ name }) => name).join(', ')}.`);
  process.exit(1);
}
for (const { name } of FEATURES.filter((feature) => asked.length === 0 || asked.includes(feature.name))) {
  const began = performance.now();
  await tryWithout(name);
  console.log(`without ${name}: ${Math.round((performance.now() - began) / 1_000)} s`);
}

async function tryWithout(name: string): Promise<void> {
  const tree = await mkdtemp(join(tmpdir(), `paydrop-without-${name}-`));
  try {
    await copyTree(tree);
    for (const folder of ['src/features', 'test/features']) await rm(join(tree, folder, name), { recursive: true });
    for (const list of LISTS) await takeLineOut(join(tree, list), `/features/${name}/`);
    await inTree(tree, 'npx', 'tsc', '--noEmit', '-p', await productOnly(tree));
    await inTree(tree, 'node', 'scripts/build.mjs');
    await inTree(tree, 'node', 'dist/src/main.js', 'demo');
    await inTree(tree, 'npx', 'vitest', 'run', '--project', 'pure', '--project', 'shared', ...CORE.map(folderOfTests));
  } finally {
    await rm(tree, { recursive: true, force: true });
  }
}

function folderOfTests(folder: string): string {
  return `test/${folder}/`;
}

/** Copies what git knows, and lends the packages. */
async function copyTree(tree: string): Promise<void> {
  const { stdout } = await run('git', ['ls-files', '-z'], { cwd: ROOT, maxBuffer: 2 ** 24 });
  for (const path of stdout.split('\0').filter(Boolean))
    await cp(join(ROOT, path), join(tree, path), { recursive: true, errorOnExist: true, force: false });
  await symlink(join(ROOT, 'node_modules'), join(tree, 'node_modules'));
}

async function takeLineOut(path: string, words: string): Promise<void> {
  const lines = (await readFile(path, 'utf8')).split('\n');
  const kept = lines.filter((line) => !line.includes(words));
  if (kept.length !== lines.length - 1) throw new Error(`${path} has not one line with ${words}`);
  await writeFile(path, kept.join('\n'));
}

/** Tests of features, and of what all of them add up to, name features that are gone. */
async function productOnly(tree: string): Promise<string> {
  const path = join(tree, 'tsconfig.product.json');
  await writeFile(path, JSON.stringify({ extends: './tsconfig.json', include: ['schemas', 'src', 'workers'] }));
  return path;
}

async function inTree(cwd: string, command: string, ...words: string[]): Promise<void> {
  await run(command, words, { cwd, maxBuffer: 2 ** 26 }).catch((error: { stdout?: string; stderr?: string }) => {
    const said = `${error.stdout ?? ''}${error.stderr ?? ''}`.slice(-6_000);
    throw new Error(`"${command} ${words.join(' ')}" failed:\n${said}`, { cause: error });
  });
}
