import { execFile } from 'node:child_process';
import { cp, mkdtemp, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const run = promisify(execFile);
const ROOT = fileURLToPath(new URL('../../..', import.meta.url));

/** The program as `npm run build` makes it, with the module that arms the crash points beside it. */
export type Program = { readonly main: string; readonly armer: string; remove(): Promise<void> };

/** Compiled once, because a process that is started from TypeScript takes twice as long to be there. */
export async function buildProgram(): Promise<Program> {
  const dir = await mkdtemp(join(tmpdir(), 'paydrop-chaos-program-'));
  await symlink(join(ROOT, 'node_modules'), join(dir, 'node_modules'));
  await cp(join(ROOT, 'package.json'), join(dir, 'package.json'));
  await writeFile(join(dir, 'tsconfig.json'), JSON.stringify(tsconfig(dir)));
  const main = join(dir, 'dist', 'src', 'cli', 'main.js');
  // Its complaints are those of `npm run types`; here it matters only that there is a program.
  const complaint = await run(join(ROOT, 'node_modules', '.bin', 'tsc'), ['-p', dir]).then(
    () => '',
    (error: { stdout?: string }) => String(error.stdout),
  );
  await stat(main).catch(() => Promise.reject(new Error(`the program could not be built: ${complaint}`)));
  await cp(join(ROOT, 'src'), join(dir, 'dist', 'src'), {
    recursive: true,
    filter: (path) => !/\.(?:ts|md)$/.test(path),
  });
  return {
    main,
    armer: join(dir, 'dist', 'test', 'chaos', 'support', 'arm-crash-points.js'),
    remove: () => rm(dir, { recursive: true, force: true }),
  };
}

function tsconfig(dir: string) {
  return {
    extends: join(ROOT, 'tsconfig.build.json'),
    compilerOptions: { outDir: join(dir, 'dist'), rootDir: ROOT, declaration: false, sourceMap: false },
    include: [
      ...['schemas', 'src', 'workers'].map((name) => join(ROOT, name)),
      join(ROOT, 'test/chaos/support/arm-crash-points.ts'),
    ],
  };
}
