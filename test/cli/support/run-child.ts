import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { syncBuiltinESMExports } from 'node:module';
import v8 from 'node:v8';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, onTestFinished, vi } from 'vitest';
import { buildProgram } from '../../support/build-program.ts';

export type Child = {
  process: ChildProcess;
  out(): string;
  err(): string;
  /** Exit status, and the signal if one ended it. */
  ended: Promise<{ status: number | null; signal: string | null }>;
  /** Waits until standard error holds the text. */
  says(text: string, timeoutMs?: number): Promise<void>;
};

/** Returns Node and everything it needs to run the command line. */
export async function paydropWords(): Promise<string[]> {
  return [process.execPath, (await buildProgram()).main];
}

/**
 * Starts the command line as its own process.
 * @param whenOver receives a function that kills it; by default, the end of the test calls that
 */
export async function startPaydrop(
  words: readonly string[],
  env: Record<string, string> = {},
  whenOver: (kill: () => void) => void = onTestFinished,
): Promise<Child> {
  const [node = '', ...rest] = await paydropWords();
  return startChild(node, [...rest, ...words], env, whenOver);
}

/** Starts a program in a bare environment, free of the machine's settings. The dashboard is off by default. */
export function startChild(
  program: string,
  words: readonly string[],
  env: Record<string, string> = {},
  whenOver: (kill: () => void) => void = onTestFinished,
): Child {
  const { PATH = '', HOME = '' } = process.env;
  const child = spawn(program, words, {
    env: { PATH, HOME, PAYDROP_DASHBOARD: 'off', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const said = { out: '', err: '' };
  child.stdout.on('data', (chunk: Buffer) => (said.out += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (said.err += chunk.toString()));
  whenOver(() => void child.kill('SIGKILL'));
  return {
    process: child,
    out: () => said.out,
    err: () => said.err,
    ended: once(child, 'close').then(() => ({ status: child.exitCode, signal: child.signalCode })),
    says: async (text, timeoutMs = 120_000) => {
      // Must also work in hooks, where `expect.poll` does not.
      await vi.waitFor(() => expect(said.err).toContain(text), { timeout: timeoutMs, interval: 20 });
    },
  };
}

export async function runPaydrop(words: readonly string[], env: Record<string, string> = {}) {
  const child = await startPaydrop(words, env);
  const { status } = await child.ended;
  return { status, out: child.out(), err: child.err() };
}

/**
 * Withholds V8 flags from this process until the test ends, because they would affect all later tests.
 * @returns the flags requested so far
 */
export function holdFlags(): readonly string[] {
  const { setFlagsFromString } = v8;
  const held: string[] = [];
  const replace = (set: typeof setFlagsFromString) => {
    v8.setFlagsFromString = set;
    syncBuiltinESMExports();
  };
  replace((flag) => void held.push(flag));
  onTestFinished(() => replace(setFlagsFromString));
  return held;
}

/** Returns a script line that sets such flags in a separate process, which runs no TypeScript. */
export function setFlags(flags: readonly string[]): string {
  return `import { setFlagsFromString } from 'node:v8'; ${JSON.stringify(flags)}.forEach((flag) => setFlagsFromString(flag));`;
}

/** Returns the lines under "Next:" that `paydrop init` prints for a new folder, as a user would paste them. */
export function stepsOf(out: string): string[] {
  const [, block = ''] = /^Next:\n((?: {2}.*\n)+)/m.exec(out) ?? [];
  const steps = block.trimEnd().split('\n');
  expect(steps).toHaveLength(3);
  return steps.map((line) => line.trim().replace(/ +#.*/, ''));
}

/** Returns the words a shell passes to paydrop when a user pastes the line in a checkout. */
export async function wordsOf(line: string): Promise<string[]> {
  const { stdout } = await promisify(execFile)('sh', ['-c', `printf '%s\\n' ${line}`]);
  const [npm, run, script, dashes, ...words] = stdout.trimEnd().split('\n');
  expect([npm, run, script, dashes]).toEqual(['npm', 'run', 'paydrop', '--']);
  return words;
}

/** Gives the starter configuration the sandbox's address and waits short enough for a test. */
export async function shortenWaits(root: string, sandboxUrl: string): Promise<void> {
  const path = join(root, 'paydrop.yaml');
  const text = (await readFile(path, 'utf8'))
    .replace('http://127.0.0.1:8899', sandboxUrl)
    .replace('poll: { firstMs: 1000 }', 'poll: { firstMs: 100 }')
    .replaceAll(/^( +)(operation: .*)$/gm, '$1$2\n$1complete: { by: quiet, quietMs: 200 }');
  await writeFile(path, text);
}
