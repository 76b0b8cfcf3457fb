import { readdir } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { systemCode } from '../kernel/errors.ts';
import { FILE_ID } from '../kernel/ids.ts';

/** `sealed`: an original, or what another try to claim it sealed. `draft`: remains of an interrupted sealing. `strange`: not ours. */
export type ArchiveEntry = { kind: 'sealed' | 'draft' | 'strange'; fileId: string; path: string };

/** Lists every file in the archive with its path relative to it, newest days first. A missing archive has none. */
export async function* listSealed(archiveDir: string, folder = archiveDir): AsyncGenerator<ArchiveEntry> {
  for (const entry of await readNewestFirst(folder)) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) yield* listSealed(archiveDir, path);
    else yield { ...kindOf(entry.name), path: relative(archiveDir, path) };
  }
}

/** Lists the sealed originals in slices as large as one query to the ledger, newest days first. */
export async function* listSealedInSlices(archiveDir: string, most = 10_000): AsyncGenerator<ArchiveEntry[]> {
  let slice: ArchiveEntry[] = [];
  for await (const entry of listSealed(archiveDir)) {
    if (entry.kind !== 'sealed') continue;
    slice.push(entry);
    if (slice.length < most) continue;
    yield slice;
    slice = [];
  }
  if (slice.length > 0) yield slice;
}

function kindOf(name: string): Pick<ArchiveEntry, 'kind' | 'fileId'> {
  const [, draft, fileId = ''] = /^(\.?)([^.]+)(?:\.[0-9a-f]{12})?\.sealed(?:\.[0-9a-f]{12}\.part)?$/.exec(name) ?? [];
  if (!FILE_ID.test(fileId)) return { kind: 'strange', fileId: '' };
  return { kind: draft ? 'draft' : 'sealed', fileId };
}

async function readNewestFirst(folder: string) {
  try {
    const entries = await readdir(folder, { withFileTypes: true });
    return entries.toSorted((one, other) => other.name.localeCompare(one.name));
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return [];
    throw error;
  }
}
