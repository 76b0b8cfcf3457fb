import { execFile } from 'node:child_process';
import { cp, mkdtemp, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { CardFileShape, MadeFile } from '../files/card-file.ts';
import type { Measurement } from '../measure/record.ts';

/** What a part works with. */
export type Bench = {
  readonly programs: Programs;
  readonly plan: Plan;
  /** Makes a file, or returns the one made before. */
  file(shape: CardFileShape): Promise<MadeFile>;
  /** Runs the work with a new folder, then removes it. */
  withFolder<Result>(work: (path: string) => Promise<Result>): Promise<Result>;
  say(text: string): void;
};

/** How much is measured. */
export type Plan = {
  readonly rounds: number;
  /** Rows of the files of each part, in ascending order. */
  readonly sizes: Readonly<Record<'validate' | 'stations' | 'dropToResult' | 'overSandbox', readonly number[]>>;
  readonly smallFiles: readonly { readonly files: number; readonly rows: number }[];
  readonly gate: { readonly files: number; readonly rows: number };
  readonly night: { readonly files: number; readonly accounts: number; readonly largest: number };
  readonly answers: { readonly calls: number; readonly connectMs: number };
  readonly openBatches: readonly number[];
  readonly ledgerRows: number;
  /** Whether to measure only what the guard compares. */
  readonly isQuick: boolean;
};

export type Part = { readonly name: string; readonly about: string; measure(bench: Bench): Promise<Measurement[]> };

const run = promisify(execFile);
const ROOT = fileURLToPath(new URL('../..', import.meta.url));

type Programs = {
  /** The `paydrop` command, as `npm run build` makes it. */
  readonly paydrop: string;
  /** The same, compiled module by module, so that a profile tells its folders apart. */
  readonly modules: string;
  /** Returns the path of a program of this folder, compiled by the same compiler: `of('peers/floor')`. */
  of(name: string): string;
  remove(): Promise<void>;
};

/**
 * Compiles paydrop and its peers into a temporary folder. Running TypeScript directly would add translation time and
 * memory to the measurements.
 */
export async function buildPrograms(): Promise<Programs> {
  const dir = await mkdtemp(join(tmpdir(), 'paydrop-bench-programs-'));
  const dist = join(dir, 'dist');
  await symlink(join(ROOT, 'node_modules'), join(dir, 'node_modules'));
  await cp(join(ROOT, 'package.json'), join(dir, 'package.json'));
  await writeFile(join(dir, 'tsconfig.json'), JSON.stringify(tsconfig(dist)));
  // `npm run types` reports compiler errors; here only the compiled programs matter.
  const complaint = await run(join(ROOT, 'node_modules', '.bin', 'tsc'), ['-p', dir]).then(
    () => '',
    (error: { stdout?: string }) => String(error.stdout),
  );
  const modules = join(dist, 'src', 'main.js');
  await stat(modules).catch(() => Promise.reject(new Error(`the programs could not be built: ${complaint}`)));
  for (const folder of ['src', 'schemas'])
    await cp(join(ROOT, folder), join(dist, folder), {
      recursive: true,
      filter: (path) => !/\.(?:tsx?|md)$/.test(path),
    });
  const built = join(dir, 'built');
  await run(process.execPath, [join(ROOT, 'scripts', 'build.mjs'), built]);
  return {
    paydrop: join(built, 'src', 'main.js'),
    modules,
    of: (name) => join(dist, 'bench', `${name}.js`),
    remove: () => rm(dir, { recursive: true, force: true }),
  };
}

function tsconfig(outDir: string) {
  return {
    extends: join(ROOT, 'tsconfig.json'),
    compilerOptions: { outDir, rootDir: ROOT, noEmit: false },
    include: ['schemas', 'src', 'workers', 'bench'].map((name) => join(ROOT, name)),
  };
}
