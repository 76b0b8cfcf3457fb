import { spawnSync } from 'node:child_process';
import type { Secret } from './config-secret.ts';
import { systemCode } from '../kernel/errors.ts';

/** Longest time that a command may take to print a secret, in ms. */
export const SECRET_COMMAND_MS = 10_000;

/**
 * Returns what a command prints on standard output. It runs without a shell, so no argument has a special meaning. Its
 * standard error is discarded, because it may quote a secret. The process blocks, as it can do nothing without one.
 */
export function runSecretCommand(
  words: readonly string[],
  env: NodeJS.ProcessEnv,
  limitMs = SECRET_COMMAND_MS,
): Secret {
  const [program = '', ...rest] = words;
  const { error, status, signal, stdout } = spawnSync(program, rest, {
    env,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
    timeout: limitMs,
    killSignal: 'SIGKILL',
    maxBuffer: 65_536,
  });
  if (!error && status === 0) return { value: stdout };
  return { fault: whyNot(systemCode(error), status, signal, limitMs) };
}

function whyNot(
  code: string | undefined,
  status: number | null,
  signal: NodeJS.Signals | null,
  limitMs: number,
): string {
  if (code === 'ETIMEDOUT') return `it did not end within ${limitMs} ms`;
  if (code !== undefined) return `it cannot be run (${code})`;
  return signal ? `it was ended by ${signal}` : `it ended with status ${status}`;
}
