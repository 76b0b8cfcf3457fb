import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { cp, mkdir, mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { fileURLToPath } from 'node:url';
import { readTree } from '../../support/source-tree.ts';
import type { Defect } from './defects.ts';

/** The machines that noticed a defect; none when it was missed. */
export type Trial = { name: string; caughtBy: string[]; seconds: number };

type Machines = {
  /** Number of simulated scenarios, which are tried first; 0 skips the simulation. */
  scenarios: number;
  /** Machines that fail without a defect, and so cannot be used. */
  red: ReadonlySet<string>;
};

export const SIMULATION = 'the simulation';

/** A machine that hangs this long has noticed the defect too. */
const LONGEST_MS = 600_000;

/** Puts one defect into the tree and runs the simulation, then one test after another until one notices. */
export async function tryDefect(defect: Defect, tree: string, { scenarios, red }: Machines): Promise<Trial> {
  const started = performance.now();
  const mend = applyDefect(defect, tree);
  const caughtBy: string[] = [];
  try {
    if (scenarios > 0 && !red.has(SIMULATION) && !(await simulates(tree, scenarios))) caughtBy.push(SIMULATION);
    for (const file of defect.caughtBy.filter((name) => !red.has(name))) {
      if (await passes(tree, file)) continue;
      caughtBy.push(file);
      break;
    }
    return { name: defect.name, caughtBy, seconds: Math.round((performance.now() - started) / 1_000) };
  } finally {
    mend();
  }
}

/** Returns whether the tests of a file pass in this tree. */
export function passes(tree: string, file: string): Promise<boolean> {
  return endsWell(tree, ['node_modules/vitest/vitest.mjs', 'run', file, '--bail', '1']);
}

/** Returns whether this many scenarios find nothing in this tree. */
export function simulates(tree: string, scenarios: number): Promise<boolean> {
  const words = ['--import', 'tsx', 'test/simulation/main.ts', '--seed', '1', '--scenarios', String(scenarios)];
  return endsWell(tree, words);
}

async function endsWell(tree: string, words: string[]): Promise<boolean> {
  // It runs in its own process group, so that everything it starts ends with it.
  const child = spawn(process.execPath, words, { cwd: tree, stdio: 'ignore', detached: true });
  const timer = setTimeout(() => process.kill(-child.pid!, 'SIGKILL'), LONGEST_MS);
  const [code] = (await once(child, 'exit')) as [number | null];
  clearTimeout(timer);
  return code === 0;
}

/** Returns the file's text with the defect, or why it cannot be made: the code has changed and the table has not. */
export function mutate(defect: Defect, text: string): { text: string } | { fault: string } {
  const times = text.split(defect.find).length - 1;
  if (times !== 1) return { fault: `"${defect.find.trim()}" stands ${times} times in ${defect.file}` };
  return { text: text.replace(defect.find, () => defect.replace) };
}

/**
 * Puts the defect into a copy of the tree.
 * @returns a function that takes it out again
 */
function applyDefect(defect: Defect, tree: string): () => void {
  const path = join(tree, defect.file);
  const before = readFileSync(path, 'utf8');
  const mutated = mutate(defect, before);
  if ('fault' in mutated) throw new Error(mutated.fault);
  writeFileSync(path, mutated.text);
  return () => writeFileSync(path, before);
}

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));

/** Copies the project to be spoiled, with its packages linked. Returns its folder and a function to remove it. */
export async function copyTree(): Promise<{ folder: string; remove(): Promise<void> }> {
  const folder = await mkdtemp(join(tmpdir(), 'paydrop-defects-'));
  for (const { path } of readTree(ROOT)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await cp(join(ROOT, path), join(folder, path));
  }
  await symlink(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  return { folder, remove: () => rm(folder, { recursive: true, force: true }) };
}
