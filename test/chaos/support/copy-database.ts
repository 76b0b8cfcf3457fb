import { execFileSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Copies the database's folder while its server is dead; `bringBackDatabase` puts the copy back, like an old base
 * backup. Owners and modes are kept, because the server has its own user where the tests run as root.
 */
export function copyDatabase(root: string): void {
  rmSync(copyOf(root), { recursive: true, force: true });
  execFileSync('cp', ['-a', databaseOf(root), copyOf(root)]);
}

export function bringBackDatabase(root: string): void {
  rmSync(databaseOf(root), { recursive: true, force: true });
  execFileSync('cp', ['-a', copyOf(root), databaseOf(root)]);
}

function databaseOf(root: string): string {
  return join(root, 'data', 'postgres', 'data');
}

/** Returns a folder that the search for numbers does not read a second time. */
function copyOf(root: string): string {
  return join(root, 'older-database');
}
