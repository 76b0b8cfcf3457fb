import { resolve } from 'node:path';

/**
 * Where the master keys come from. A place gives one key or several, separated by commas or line ends: the first is the
 * one that new things are wrapped with, the others still open what they have wrapped.
 */
export type KeyPlace =
  | { readonly kind: 'file'; readonly path: string }
  | { readonly kind: 'environment'; readonly name: string; readonly env: NodeJS.ProcessEnv }
  | { readonly kind: 'command'; readonly words: readonly string[]; readonly env: NodeJS.ProcessEnv };

const VARIABLE = 'PAYDROP_MASTER_KEY';

/**
 * What the configuration says (`file:PATH` relative to it, `env:NAME`, `command:PROGRAM ARG…`), or else PAYDROP_MASTER_KEY,
 * or else the file in the data folder. An empty variable counts as not set. A place that is named and holds no key is an
 * error later and never a reason to take another one: data would then be sealed with a key that nobody meant.
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

/** For messages. Of a command only the program is named: its words may hold a password. */
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
