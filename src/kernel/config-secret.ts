import { readFileSync, statSync } from 'node:fs';
import { basename, resolve } from 'node:path';
import { systemCode } from './errors.ts';

export type Secret = { readonly value: string } | { readonly fault: string };

/**
 * Reads a secret of the configuration: `env:NAME`, `file:PATH` relative to `root`, or the text itself. A file must be
 * closed to everybody but its owner. Faults name the place, never the value.
 */
export function readSecret(text: string, root: string, env: NodeJS.ProcessEnv): Secret {
  const [, kind, place = ''] = /^(env|file):([^]*)$/.exec(text) ?? [];
  if (!kind) return { value: text };
  if (place === '') return { fault: `nothing follows "${kind}:"` };
  if (kind === 'file') return readSecretFile(resolve(root, place));
  const value = env[place];
  return value ? { value } : { fault: `the environment variable "${place}" is empty or missing` };
}

function readSecretFile(path: string): Secret {
  const name = basename(path);
  try {
    if ((statSync(path).mode & 0o077) !== 0) {
      return { fault: `the file "${name}" may be read by others (set its mode to 0600)` };
    }
    // Editors end the last line; no secret of the service holds white space at its ends.
    const value = readFileSync(path, 'utf8').trim();
    return value ? { value } : { fault: `the file "${name}" is empty` };
  } catch (error) {
    return { fault: `the file "${name}" cannot be read (${systemCode(error) ?? 'unforeseen error'})` };
  }
}
