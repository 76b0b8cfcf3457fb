import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chmod, cp, mkdir, mkdtemp, rename, rm, rmdir, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { RUN_VARIABLE } from './postgres.ts';

const run = promisify(execFile);
const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** The program as `npm run build` makes it, with the scripts of the tests beside it. */
export type Program = {
  readonly main: string;
  /** What `node` takes for a script, by its path in the tree: `test/queue/support/hold-job.ts`. */
  fileOf(path: string): string;
  /** What `node --import` takes for a module, by its path in the tree. */
  moduleOf(path: string): string;
  remove(): Promise<void>;
};

/**
 * Compiled once in a run of tests, because a process that is started from TypeScript takes twice as long to be there.
 */
export function buildProgram(): Promise<Program> {
  return process.env[RUN_VARIABLE] === undefined ? buildOwn() : buildShared();
}

async function buildOwn(): Promise<Program> {
  const dir = await mkdtemp(join(tmpdir(), 'paydrop-program-'));
  await compile(dir);
  return programIn(dir, () => rm(dir, { recursive: true, force: true }));
}

/** The first of the workers that need it makes it, in the temporary folder of the run, and the others wait. */
async function buildShared(): Promise<Program> {
  const dir = join(tmpdir(), 'paydrop-program');
  const lock = `${dir}.lock`;
  while (!existsSync(dir)) {
    if (!(await takeLock(lock))) {
      await sleep(50);
      continue;
    }
    try {
      if (!existsSync(dir)) await makeWhole(dir);
    } finally {
      await rmdir(lock);
    }
  }
  return programIn(dir, async () => {});
}

async function takeLock(lock: string): Promise<boolean> {
  return mkdir(lock).then(
    () => true,
    () => false,
  );
}

/** The folder has its name only when everything is in it. */
async function makeWhole(dir: string): Promise<void> {
  const draft = await mkdtemp(`${dir}-`);
  // Some tests start it as another user.
  await chmod(draft, 0o755);
  await compile(draft);
  await rename(draft, dir);
}

async function compile(dir: string): Promise<void> {
  for (const name of ['node_modules', 'samples']) await symlink(join(ROOT, name), join(dir, name));
  await cp(join(ROOT, 'package.json'), join(dir, 'package.json'));
  await writeFile(join(dir, 'tsconfig.json'), JSON.stringify(tsconfig(dir)));
  // Types are the business of `npm run types`; to check them here as well would take six times as long.
  const complaint = await run(join(ROOT, 'node_modules', '.bin', 'tsc'), ['-p', dir, '--noCheck']).then(
    () => '',
    (error: { stdout?: string }) => String(error.stdout),
  );
  await stat(join(dir, MAIN)).catch(() => Promise.reject(new Error(`the program could not be built: ${complaint}`)));
  await cp(join(ROOT, 'src'), join(dir, 'dist', 'src'), {
    recursive: true,
    filter: (path) => !/\.(?:ts|md)$/.test(path),
  });
}

/** Makes a process die at the points where it is told to. */
export const ARMER = 'test/chaos/support/arm-crash-points.ts';

const MAIN = join('dist', 'src', 'cli', 'main.js');

function programIn(dir: string, remove: () => Promise<void>): Program {
  const fileOf = (path: string) => join(dir, 'dist', path.replace(/\.ts$/, '.js'));
  return { main: join(dir, MAIN), fileOf, moduleOf: (path) => pathToFileURL(fileOf(path)).href, remove };
}

function tsconfig(dir: string) {
  return {
    extends: join(ROOT, 'tsconfig.build.json'),
    compilerOptions: { outDir: join(dir, 'dist'), rootDir: ROOT, declaration: false, sourceMap: false },
    include: ['schemas', 'src', 'workers', 'test'].map((name) => join(ROOT, name)),
    exclude: [join(ROOT, 'test', '**', '*.test.ts')],
  };
}
