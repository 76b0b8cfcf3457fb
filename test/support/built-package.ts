import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const run = promisify(execFile);
const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** A foreign program with paydrop among its packages, compiled as `npm run build` does. */
export type Consumer = {
  /** Runs a module of that program. Returns its standard output. */
  run(code: string): Promise<string>;
  /** Checks modules of that program, with declarations, as strictly as TypeScript can. Returns their complaints. */
  complaints(...modules: string[]): Promise<string[][]>;
  close(): Promise<void>;
};

export async function openConsumer(): Promise<Consumer> {
  const dir = await mkdtemp(join(tmpdir(), 'paydrop-consumer-'));
  const installed = join(dir, 'node_modules', 'paydrop');
  await mkdir(installed, { recursive: true });
  // `npm run types` checks the types.
  const words = ['-p', 'tsconfig.build.json', '--noCheck', '--outDir', join(installed, 'dist')];
  await run(TSC, words, { cwd: ROOT });
  await cp(join(ROOT, 'package.json'), join(installed, 'package.json'));
  await symlink(join(ROOT, 'node_modules'), join(installed, 'node_modules'));
  await symlink(join(ROOT, 'node_modules', '@types'), join(dir, 'node_modules', '@types'));
  await writeFile(join(dir, 'package.json'), '{ "type": "module" }');
  return {
    run: async (code) => {
      await writeFile(join(dir, 'program.mjs'), code);
      return (await run(process.execPath, ['program.mjs'], { cwd: dir })).stdout;
    },
    complaints: async (...modules) => {
      const files = modules.map((_, index) => `program-${index}.ts`);
      for (const [index, code] of modules.entries()) await writeFile(join(dir, files[index]!), code);
      await writeFile(join(dir, 'tsconfig.json'), JSON.stringify({ ...TSCONFIG, files }));
      const { stdout } = await run(TSC, ['-p', '.'], { cwd: dir }).catch((error: { stdout: string }) => error);
      const lines = stdout.split('\n').filter((line) => line.includes('error'));
      const strange = lines.filter((line) => !files.some((file) => line.startsWith(`${file}(`)));
      return files.map((file) => [...lines.filter((line) => line.startsWith(`${file}(`)), ...strange]);
    },
    close: () => rm(dir, { recursive: true, force: true }),
  };
}

const TSC = join(ROOT, 'node_modules', '.bin', 'tsc');

const TSCONFIG = {
  compilerOptions: {
    strict: true,
    noEmit: true,
    target: 'es2023',
    lib: ['es2023'],
    module: 'nodenext',
    types: ['node'],
    exactOptionalPropertyTypes: true,
  },
};
