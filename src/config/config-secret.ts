import { readFileSync, statSync } from 'node:fs';
import { basename, resolve } from 'node:path';
import { spawnSync } from 'node:child_process';
import { systemCode } from '../kernel/errors.ts';
import { isWindows } from '../kernel/folders.ts';
import type { OpenPgpConfig } from '../../schemas/config.ts';
import type { ConfigFault } from './config-faults.ts';

type Secret = { readonly value: string } | { readonly fault: string };

/** Returns the value, or an empty text after adding the fault to `faults`. */
export function valueOrFault(secret: Secret, path: string, faults: ConfigFault[]): string {
  if ('value' in secret) return secret.value;
  faults.push({ path, reason: secret.fault });
  return '';
}

/**
 * Reads a secret of the configuration: `env:NAME`, `file:PATH` relative to `root`, or the text itself. Only its owner
 * may have access to the file. Faults name the place, never the value.
 */
export function readSecret(text: string, root: string, env: NodeJS.ProcessEnv): Secret {
  const [, kind, place = ''] = /^(env|file):([^]*)$/.exec(text) ?? [];
  if (!kind) return { value: text };
  if (place === '') return { fault: `nothing follows "${kind}:"` };
  if (kind === 'file') return readSecretFile(resolve(root, place));
  const value = env[place];
  return value ? { value } : { fault: `the environment variable "${place}" is empty or missing` };
}

/** Reads a key, which may also be the output of a command: `command:PROGRAM ARG…`. */
export function readKeySource(text: string, root: string, env: NodeJS.ProcessEnv): Secret {
  const [, words] = /^command:([^]*)$/.exec(text) ?? [];
  if (words === undefined) return readSecret(text, root, env);
  const [program = '', ...rest] = words.trim().split(/\s+/);
  const output = runSecretCommand([program, ...rest], env);
  // Names only the program, because the arguments may hold a password.
  if ('fault' in output) return { fault: `the command "${program}" failed: ${output.fault}` };
  const value = output.value.trim();
  return value ? { value } : { fault: `the command "${program}" printed nothing` };
}

/** Reads a public key from `env:NAME` or `file:PATH`. It is not secret, so its file may have any mode. */
export function readPublicText(text: string, root: string, env: NodeJS.ProcessEnv): Secret {
  const [, path] = /^file:([^]+)$/.exec(text) ?? [];
  return path === undefined ? readSecret(text, root, env) : readTextFile(resolve(root, path));
}

function readSecretFile(path: string): Secret {
  try {
    if (!isWindows() && (statSync(path).mode & 0o077) !== 0) {
      return { fault: `the file "${basename(path)}" is readable by other users (set its mode to 0600)` };
    }
  } catch {
    // `readTextFile` reports the reason.
  }
  return readTextFile(path);
}

function readTextFile(path: string): Secret {
  const name = basename(path);
  try {
    // Editors add a line end; no secret of the service begins or ends with white space.
    const value = readFileSync(path, 'utf8').trim();
    return value ? { value } : { fault: `the file "${name}" is empty` };
  } catch (error) {
    return { fault: `the file "${name}" cannot be read (${systemCode(error) ?? 'unforeseen error'})` };
  }
}

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
  return signal ? `it was killed by ${signal}` : `it exited with status ${status}`;
}

/** Reads an account's keys as armored text, which is parsed when they are opened. Adds its faults to `faults`. */
export function readOpenPgp(
  config: OpenPgpConfig,
  path: string,
  { root, env, faults }: { root: string; env: NodeJS.ProcessEnv; faults: ConfigFault[] },
): OpenPgpConfig {
  const valueOf = (name: string, secret: Secret) => valueOrFault(secret, `${path}.${name}`, faults);
  const { key, passphrase, senders } = config;
  return {
    ...config,
    key: valueOf('key', readKeySource(key, root, env)),
    ...(passphrase !== undefined && { passphrase: valueOf('passphrase', readKeySource(passphrase, root, env)) }),
    senders: senders.map((text, index) => valueOf(`senders.${index}`, readPublicText(text, root, env))),
  };
}
