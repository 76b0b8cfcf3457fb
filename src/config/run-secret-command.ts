import { spawnSync } from 'node:child_process';
import type { Secret } from './config-secret.ts';
import { systemCode } from '../kernel/errors.ts';

/** Longest time that a command may take to give a secret, in ms. */
export const SECRET_COMMAND_MS = 10_000;

/**
 * What a command prints on its standard output. It is run without a shell, so nothing in its words means anything special;
 * what it says on its standard error is not repeated anywhere, because it may quote a secret. The process waits for it:
 * without the secret there is nothing that it could do.
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
