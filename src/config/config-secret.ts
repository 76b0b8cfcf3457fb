import { readFileSync, statSync } from 'node:fs';
import { basename, resolve } from 'node:path';
import { systemCode } from '../kernel/errors.ts';
import { runSecretCommand } from './run-secret-command.ts';

export type Secret = { readonly value: string } | { readonly fault: string };

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
  if ('fault' in output) return { fault: `the command "${program}" gave nothing: ${output.fault}` };
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
    if ((statSync(path).mode & 0o077) !== 0) {
      return { fault: `the file "${basename(path)}" may be read by others (set its mode to 0600)` };
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
