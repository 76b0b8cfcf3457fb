import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { cp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { rolldown } from 'rolldown';
import { minify } from 'rolldown/utils';
import { writePackageLists } from './package-lists.mjs';

/**
 * Makes the package: `node scripts/build.mjs [folder]`, by default `dist`. Loading 700 small modules takes longer than a
 * short command runs, so modules that are loaded together are one file. Functions keep their names, for readable stack
 * traces.
 */
const ROOT = fileURLToPath(new URL('..', import.meta.url));
const [folder = join(ROOT, 'dist')] = process.argv.slice(2);
const OUT = resolve(folder);

/** What is run or imported by its path. Each file keeps its place. */
const ENTRIES = [
  'src/main.ts',
  'src/cli/commands.ts',
  'src/features.ts',
  'src/gateway/index.ts',
  'src/sandbox/index.ts',
  'src/thread/serve-tasks.ts',
  'workers/intake/read-content.ts',
];

/**
 * Modules that are loaded together, with all they import; one that several groups need belongs to the first. The rest
 * is in small files, as commands need it.
 */
const GROUPS = {
  line: ['src/cli/run-command-line.ts'],
  ask: ['src/cli/show/find.ts', 'src/cli/show/status.ts'],
  // What `start` needs to start the database. While that starts, it loads the rest, which brings large packages.
  open: ['src/cli/process/start.ts'],
  work: [
    'src/cli/process/with-workers.ts',
    'src/cli/process/with-dashboard.ts',
    'src/queue/open-queue.ts',
    'src/gateway/soap/load-wsdl.ts',
  ],
  web: ['src/web/open-dashboard.tsx', 'src/web/monitor/open-monitor.ts'],
};

const { dependencies: DEPENDENCIES } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));

/**
 * Packages that every command loads, though others need them beside the package too. All that is a `devDependency` is
 * inside as well. The rest stays outside: inside it would make the package twice as large.
 */
const INSIDE = new Set(['pg', 'pino']);

/** How pg finds out whether it runs at Cloudflare. */
const ASKS_FOR_RESPONSE = "typeof Response === 'function'";

const NO_TRANSPORT = `module.exports = () => { throw new Error('pino has no transports in this package') };`;

/** Modules of each group, once they are known. */
const reached = new Map();

await rm(OUT, { recursive: true, force: true });
await declareEntries();
const { output } = await bundle();
await copyAssets();
await listCommands();
await writePackageLists(foldersOf(output), OUT);

/** Only the entries that others import have types, and all that these refer to. */
async function declareEntries() {
  const tsc = join(ROOT, 'node_modules', '.bin', 'tsc');
  await promisify(execFile)(tsc, ['-p', join(ROOT, 'tsconfig.build.json'), '--outDir', OUT]).catch((error) => {
    throw new Error(error.stdout || error.message);
  });
  const entries = ['gateway', 'sandbox'].map((room) => join(OUT, 'src', room, 'index.d.ts'));
  const exported = new Set(entries);
  const needed = new Set();
  const open = [...entries];
  for (let path = open.pop(); path !== undefined; path = open.pop()) {
    if (needed.has(path)) continue;
    needed.add(path);
    const names = [...(await readFile(path, 'utf8')).matchAll(/(?:from |import\()'([^']+)'/g)].map(([, name]) => name);
    const stray = names.find((name) => /^(?!\.|node:)/.test(name) && !(name in DEPENDENCIES));
    if (stray !== undefined) throw new Error(`${path} needs types of ${stray}`);
    const ours = names.filter((name) => name.startsWith('.')).map((name) => declarationAt(path, name));
    if (entries.includes(path)) ours.forEach((one) => exported.add(one));
    open.push(...ours);
  }
  for (const path of await filesBelow(OUT)) {
    if (!needed.has(path)) await rm(path);
    // Editors show comments of what a program can import.
    else if (!exported.has(path))
      await writeFile(path, (await readFile(path, 'utf8')).replace(/^ *\/\*\*[^]*?\*\/\n/gm, ''));
  }
}

function declarationAt(from, name) {
  return resolve(dirname(from), name.replace(/\.tsx?$/, '.d.ts'));
}

async function filesBelow(folder) {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name));
}

async function bundle() {
  const program = await rolldown({
    cwd: ROOT,
    input: Object.fromEntries(ENTRIES.map((path) => [path.replace(/\.ts$/, ''), path])),
    platform: 'node',
    transform: { target: 'node20' },
    external: isOutside,
    // OpenTelemetry has modules beside its CommonJS, of which only a third is used.
    resolve: { mainFields: ['module', 'main'] },
    plugins: [{ name: 'paydrop', transform, generateBundle: escapeOthers }],
    checks: { ineffectiveDynamicImport: false },
    onLog: (_level, { message }) => {
      throw new Error(message);
    },
  });
  const groups = Object.entries(GROUPS).map(([name, roots], index) => ({
    name: (id, modules) => (reach(name, roots, modules).has(id) ? name : null),
    debugName: name,
    priority: Object.keys(GROUPS).length - index,
  }));
  return program.write({
    dir: OUT,
    format: 'esm',
    entryFileNames: '[name].js',
    // As deep in the folder as the entries, which `transform` relies on.
    chunkFileNames: 'src/chunks/[name]-[hash].js',
    comments: false,
    minify: { compress: true, mangle: { keepNames: true }, codegen: true },
    codeSplitting: { groups },
  });
}

/** Returns the ids of the modules that are loaded with these, and their own. */
function reach(name, roots, modules) {
  const found = reached.get(name) ?? new Set();
  if (reached.has(name)) return found;
  reached.set(name, found);
  const open = roots.map((path) => join(ROOT, path));
  for (let id = open.pop(); id !== undefined; id = open.pop()) {
    if (found.has(id)) continue;
    found.add(id);
    open.push(...(modules.getModuleInfo(id)?.importedIds ?? []));
  }
  return found;
}

function isOutside(id) {
  if (id.startsWith('node:')) return true;
  const [name] = /^(?:@[^/]+\/)?[^./][^/]*/.exec(id) ?? [];
  if (name === undefined || !(name in DEPENDENCIES)) return false;
  return !INSIDE.has(name);
}

/**
 * Lets `import.meta.url` mean the place of the module, not of the file that it became part of. And keeps pg from
 * making a `Response` to find out whether it runs at Cloudflare: Node 20 would load its whole web client for that.
 * What pino has for logs that another thread writes is left out, as paydrop writes its own.
 */
function transform(code, id) {
  if (id.endsWith('/pino/lib/transport.js')) return NO_TRANSPORT;
  if (id.endsWith('/pg/lib/stream.js')) {
    if (!code.includes(ASKS_FOR_RESPONSE)) throw new Error(`"${ASKS_FOR_RESPONSE}" is not in ${id} any more`);
    return code.replace(ASKS_FOR_RESPONSE, 'false');
  }
  if (id.includes('/node_modules/') || !code.includes('import.meta.url')) return undefined;
  const place = join('..', '..', relative(ROOT, id).replace(/\.tsx?$/, '.js'));
  return code.replaceAll('import.meta.url', `new URL(${JSON.stringify(place)}, import.meta.url).href`);
}

/** Node decodes plain ASCII ten times as fast, and V8 keeps it in half the memory. */
function escapeOthers(_options, files) {
  for (const file of Object.values(files).filter(({ type }) => type === 'chunk'))
    file.code = file.code.replace(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** Files of src and schemas that are not TypeScript, SQL above all, keep their places. */
async function copyAssets() {
  const folders = await Promise.all(['src', 'schemas'].map((folder) => filesBelow(join(ROOT, folder))));
  for (const from of folders.flat()) {
    const to = join(OUT, relative(ROOT, from));
    if (/\.(?:tsx?|md|mjs)$/.test(from)) continue;
    await cp(from, to);
    if (/\bassets\W.*\.(?:css|js)$/.test(from)) await writeFile(to, await shorten(from));
  }
}

/** Takes comments and indents out of styles and scripts, except the licence at the head of a script of others. */
async function shorten(path) {
  const text = await readFile(path, 'utf8');
  if (path.endsWith('.css')) return text.replace(/\/\*[^]*?\*\//g, '').replace(/\n\s*/g, '\n');
  const { code, errors } = await minify(path, text, { module: true });
  if (errors.length > 0) throw new Error(`${path}: ${errors[0].message}`);
  const [licence = ''] = /^(?:\/\*[^]*?\*\/|\/\/.*)\n/.exec(text) ?? [];
  return (path.includes('vendor') ? licence : '') + code;
}

/** Lists the commands for `--help`, which would take a second to load them all. What only one of them shows stays out. */
async function listCommands() {
  const { loadCommands } = await import(pathToFileURL(join(OUT, 'src', 'cli', 'commands.js')).href);
  const { FEATURES } = await import(pathToFileURL(join(OUT, 'src', 'features.js')).href);
  const commands = await loadCommands(FEATURES);
  const listed = commands.map(({ name, alias, about, takes }) => ({ name, alias, about, takes, examples: [] }));
  await writeFile(join(OUT, 'src', 'cli', 'commands.json'), JSON.stringify(listed));
}

/** Returns the folders of the packages that became part of the files. */
function foldersOf(files) {
  const ids = files.flatMap((file) => Object.keys(file.modules ?? {}));
  return [...new Set(ids.flatMap((id) => /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+/.exec(id)?.[0] ?? []))];
}
