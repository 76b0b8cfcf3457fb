import { resolve } from 'node:path';

/**
 * Where the master keys come from. A place gives one key or several, separated by commas or line ends. The first wraps
 * new things; the others still open what they have wrapped.
 */
export type KeyPlace =
  | { readonly kind: 'file'; readonly path: string }
  | { readonly kind: 'environment'; readonly name: string; readonly env: NodeJS.ProcessEnv }
  | { readonly kind: 'command'; readonly words: readonly string[]; readonly env: NodeJS.ProcessEnv };

const VARIABLE = 'PAYDROP_MASTER_KEY';

/**
 * Returns the configured place (`file:PATH` relative to the configuration, `env:NAME`, `command:PROGRAM ARG…`), else
 * PAYDROP_MASTER_KEY, else the file in the data folder. An empty variable counts as not set. A configured place without
 * a key is an error later, never a reason to try another place: data would be sealed with an unintended key.
 */
export function findKeyPlace(
  settings: { masterKey?: string | undefined; root: string; paths: { masterKey: string } },
  env: NodeJS.ProcessEnv,
): KeyPlace {
  const [, kind, place = ''] = /^(file|env|command):([^]+)$/.exec(settings.masterKey ?? '') ?? [];
  switch (kind) {
    case 'file':
      return { kind: 'file', path: resolve(settings.root, place) };
    case 'env':
      return { kind: 'environment', name: place, env };
    case 'command':
      return { kind: 'command', words: place.trim().split(/\s+/), env };
    case undefined:
    default:
      return env[VARIABLE]?.trim()
        ? { kind: 'environment', name: VARIABLE, env }
        : { kind: 'file', path: settings.paths.masterKey };
  }
}

/** Describes a place for messages. A command is reduced to its program, because its arguments may hold a password. */
export function describeKeyPlace(place: KeyPlace): string {
  switch (place.kind) {
    case 'file':
      return `"${place.path}"`;
    case 'environment':
      return place.name;
    case 'command':
      return `the command "${place.words[0]}"`;
  }
}
