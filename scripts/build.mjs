import { execFile } from 'node:child_process';
import { cp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join, relative, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { rolldown } from 'rolldown';

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
  'src/cli/main.ts',
  'src/cli/commands.ts',
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
  work: [
    'src/cli/process/start.ts',
    'src/cli/process/with-workers.ts',
    'src/cli/process/with-dashboard.ts',
    'src/queue/open-queue.ts',
    'src/gateway/soap/load-wsdl.ts',
  ],
  web: ['src/web/open-dashboard.tsx', 'src/web/monitor/open-monitor.ts'],
};

/** Packages that every command loads. The others stay outside: inside they would make the package twice as large. */
const INSIDE = new Set(['commander', 'pg', 'pino', 'yaml', 'zod']);

/** How pg finds out whether it runs at Cloudflare. */
const ASKS_FOR_RESPONSE = "typeof Response === 'function'";

/** Modules of each group, once they are known. */
const reached = new Map();

await rm(OUT, { recursive: true, force: true });
await declareEntries();
const { output } = await bundle();
await copyAssets();
await listCommands();
await writeLicences(output);

/** Only the entries that others import have types. */
async function declareEntries() {
  const tsc = join(ROOT, 'node_modules', '.bin', 'tsc');
  await promisify(execFile)(tsc, ['-p', join(ROOT, 'tsconfig.build.json'), '--outDir', OUT]).catch((error) => {
    throw new Error(error.stdout || error.message);
  });
}

async function bundle() {
  const program = await rolldown({
    cwd: ROOT,
    input: Object.fromEntries(ENTRIES.map((path) => [path.replace(/\.ts$/, ''), path])),
    platform: 'node',
    transform: { target: 'node20' },
    external: isOutside,
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
    minify: { compress: false, mangle: { keepNames: true }, codegen: true },
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

function isOutside(id, importer) {
  if (id.startsWith('node:')) return true;
  const isOurs = importer !== undefined && !importer.includes('/node_modules/');
  return isOurs && /^[^./]/.test(id) && !INSIDE.has(id);
}

/**
 * Lets `import.meta.url` mean the place of the module, not of the file that it became part of. And keeps pg from
 * making a `Response` to find out whether it runs at Cloudflare: Node 20 would load its whole web client for that.
 */
function transform(code, id) {
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

/** Files of src that are not TypeScript, SQL above all, keep their places. */
async function copyAssets() {
  const entries = await readdir(join(ROOT, 'src'), { recursive: true, withFileTypes: true });
  for (const { name, parentPath } of entries.filter((entry) => entry.isFile())) {
    if (/\.(?:tsx?|md|mjs)$/.test(name)) continue;
    const from = join(parentPath, name);
    await cp(from, join(OUT, relative(ROOT, from)));
  }
}

/** Lists the commands for `--help`, which would take a second to load them all. */
async function listCommands() {
  const { loadCommands } = await import(pathToFileURL(join(OUT, 'src', 'cli', 'commands.js')).href);
  await writeFile(join(OUT, 'src', 'cli', 'commands.json'), JSON.stringify(await loadCommands()));
}

/** The packages inside keep their licences. */
async function writeLicences(files) {
  const ids = files.flatMap((file) => Object.keys(file.modules ?? {}));
  const folders = ids.flatMap((id) => /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+/.exec(id)?.[0] ?? []);
  const texts = await Promise.all([...new Set(folders)].sort().map(licenceOf));
  await writeFile(
    join(OUT, 'THIRD-PARTY.txt'),
    `Parts of these packages are in this folder.\n\n${texts.join('\n\n')}\n`,
  );
}

async function licenceOf(folder) {
  const { name, version, license } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'));
  const file = (await readdir(folder)).find((entry) => /^licen[cs]e(?:\.\w+)?$/i.test(entry));
  const text = file === undefined ? '' : `\n\n${(await readFile(join(folder, file), 'utf8')).trim()}`;
  return `---- ${name} ${version}, ${license}${text}`;
}
