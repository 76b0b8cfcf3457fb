import { spawnSync } from 'node:child_process';
import { PipelineError, systemCode } from '../kernel/errors.ts';
import { describeKeyPlace, type KeyPlace } from './key-place.ts';

/** Longest time that a command may take to give the keys, in ms. */
export const KEY_COMMAND_MS = 10_000;

/**
 * What a command prints on its standard output. It is run without a shell, so nothing in its words means anything special;
 * what it says on its standard error is not repeated anywhere, because it may quote a secret. The process waits for it:
 * without a key there is nothing that it could do.
 * @throws MASTER_KEY_MISSING when it cannot be run, fails, or takes too long
 */
export function runKeyCommand(place: KeyPlace & { kind: 'command' }, limitMs = KEY_COMMAND_MS): string {
  const [program = '', ...words] = place.words;
  const { error, status, signal, stdout } = spawnSync(program, words, {
    env: place.env,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
    timeout: limitMs,
    killSignal: 'SIGKILL',
    maxBuffer: 65_536,
  });
  if (!error && status === 0) return stdout;
  const reason = whyNot(systemCode(error), status, signal, limitMs);
  throw new PipelineError('MASTER_KEY_MISSING', `take the master key from ${describeKeyPlace(place)}`, reason, {
    next: 'Run it by hand as the paydrop user; it must print the key and end with status 0.',
  });
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
