import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
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
