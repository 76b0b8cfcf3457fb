import { execFileSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join } from 'node:path';

/**
 * A copy of the database's folder while its server is dead, and the copy in the place of the folder again: a base backup
 * of some time ago. Owners and modes are kept, because the server runs as a user of its own where the tests run as root.
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

/** Beside the installation, where no search for numbers has to read it twice. */
function copyOf(root: string): string {
  return join(root, 'older-database');
}
