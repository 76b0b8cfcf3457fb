import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type CardFileShape, type MadeFile, writeCardFile } from './files/card-file.ts';
import { type Bench, buildPrograms, type Plan } from './parts/part.ts';

/** Compiles the programs and keeps generated files until `close`. */
export async function openBench(plan: Plan, say: (text: string) => void): Promise<Bench & { close(): Promise<void> }> {
  say('building the product and its peers');
  const programs = await buildPrograms();
  const dir = await mkdtemp(join(tmpdir(), 'paydrop-bench-files-'));
  const made = new Map<string, Promise<MadeFile>>();
  return {
    programs,
    plan,
    say,
    file: (shape: CardFileShape) => {
      const name = Object.entries(shape)
        .toSorted()
        .map(([key, value]) => `${key}-${value}`)
        .join('_');
      const found = made.get(name) ?? writeCardFile(join(dir, `${name}.csv`), shape);
      made.set(name, found);
      return found;
    },
    withFolder: async (work) => {
      const folder = await mkdtemp(join(tmpdir(), 'paydrop-bench-out-'));
      try {
        return await work(folder);
      } finally {
        await rm(folder, { recursive: true, force: true });
      }
    },
    close: async () => {
      await rm(dir, { recursive: true, force: true });
      await programs.remove();
    },
  };
}
