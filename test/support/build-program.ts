import { execFile } from 'node:child_process';
import { chmod, cp, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';

const run = promisify(execFile);
const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** The program as `npm run build` makes it, with the tests beside it. */
export type Program = {
  readonly dir: string;
  readonly main: string;
  /** Returns what `node` takes for a script, by its path in the tree: `test/queue/support/worker-process.ts`. */
  fileOf(path: string): string;
  /** Returns what `node --import` takes for a module, by its path in the tree. */
  moduleOf(path: string): string;
  remove(): Promise<void>;
};

/** Compiles the program once per test run, because a process started from TypeScript takes twice as long to start. */
export async function buildProgram(): Promise<Program> {
  const given = process.env[PROGRAM_VARIABLE];
  if (given !== undefined) return programIn(given, async () => {});
  const dir = await mkdtemp(join(tmpdir(), 'paydrop-program-'));
  // Some tests start it as another user.
  await chmod(dir, 0o755);
  await compile(dir);
  return programIn(dir, () => rm(dir, { recursive: true, force: true }));
}

/** Environment variable that says where the program of a run lies. */
export const PROGRAM_VARIABLE = 'PAYDROP_TEST_PROGRAM';

async function compile(dir: string): Promise<void> {
  for (const name of ['node_modules', 'samples', 'docs']) await symlink(join(ROOT, name), join(dir, name));
  await cp(join(ROOT, 'package.json'), join(dir, 'package.json'));
  await writeFile(join(dir, 'tsconfig.json'), JSON.stringify(tsconfig(dir)));
  // `npm run types` checks the types; doing it here too would take six times as long.
  const complaint = await run(join(ROOT, 'node_modules', '.bin', 'tsc'), ['-p', dir, '--noCheck']).then(
    () => '',
    (error: { stdout?: string }) => String(error.stdout),
  );
  await stat(join(dir, MAIN)).catch(() => Promise.reject(new Error(`the program could not be built: ${complaint}`)));
  for (const folder of ['src', 'schemas'])
    await cp(join(ROOT, folder), join(dir, 'dist', folder), {
      recursive: true,
      filter: (path) => !/\.(?:ts|md)$/.test(path),
    });
  for (const folder of ['test', 'bench']) await pointToSources(dir, folder);
}

/** Points compiled tests and benchmark parts to their sources: they read files beside themselves or in the tree. */
async function pointToSources(dir: string, folder: string): Promise<void> {
  const compiled = join(dir, 'dist', folder);
  for (const name of await readdir(compiled, { recursive: true })) {
    if (!name.endsWith('.js')) continue;
    const code = await readFile(join(compiled, name), 'utf8');
    const source = pathToFileURL(join(ROOT, folder, name.replace(/\.js$/, '.ts'))).href;
    const pointed = code.replace(BESIDE, `, '${source}')`);
    if (pointed !== code) await writeFile(join(compiled, name), pointed);
  }
}

const BESIDE = /, import\.meta\.url\)/g;

/** Makes a process die at the points that it is told. */
export const ARMER = 'test/chaos/support/arm-crash-points.ts';

const MAIN = join('dist', 'src', 'main.js');

function programIn(dir: string, remove: () => Promise<void>): Program {
  const fileOf = (path: string) => join(dir, 'dist', path.replace(/\.ts$/, '.js'));
  return { dir, main: join(dir, MAIN), fileOf, moduleOf: (path) => pathToFileURL(fileOf(path)).href, remove };
}

function tsconfig(dir: string) {
  return {
    extends: join(ROOT, 'tsconfig.json'),
    compilerOptions: { outDir: join(dir, 'dist'), rootDir: ROOT, noEmit: false, sourceMap: true },
    include: ['schemas', 'src', 'workers', 'test'].map((name) => join(ROOT, name)),
  };
}
