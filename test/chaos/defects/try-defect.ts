import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { applyDefect } from './apply-defect.ts';
import type { Defect } from './defects.ts';

/** The machines that noticed a defect; none when it was missed. */
export type Trial = { name: string; caughtBy: string[]; seconds: number };

export type Machines = {
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
