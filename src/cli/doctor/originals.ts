import { access, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { once } from 'node:events';
import { ORIGINAL_PURPOSE } from '../../../workers/open-original.ts';
import { foldersHere, type Settings } from '../../config/config.ts';
import { PipelineError } from '../../kernel/errors.ts';
import type { Ledger } from '../../ledger/engine/open-ledger.ts';
import { readForgottenFiles } from '../../ledger/account/read-holds.ts';
import { listOriginals, type OriginalRow, readOriginals } from '../../ledger/key/read-originals.ts';
import { findForgottenSends } from '../../ledger/admission/send-journal.ts';
import { openSealedFile } from '../../crypto/archive.ts';
import { unwrapDataKey } from '../../crypto/data-key.ts';
import { type ArchiveEntry, listSealedInSlices } from '../../crypto/list-sealed.ts';
import { findKeyPlace } from '../../crypto/key-place.ts';
import { type KeyRing, openKeyRing } from '../../crypto/key-ring.ts';
import { bad, type Check, type Finding, ok } from './check.ts';

/** Number of newest originals whose beginning is opened; for the others only the key is. */
const OPENED = 100;
const SHOWN = 20;

/**
 * Every sealed original must belong to a file of the ledger and open with its key, and none may be missing. A restored
 * ledger has forgotten any original that it does not know, along with its key.
 */
export const originals: Check = {
  name: 'Originals',
  needs: 'ledger',
  async look({ settings, env, ledger }) {
    const keys = openKeyRing(findKeyPlace(settings, env));
    const seen = await lookAtArchive(settings, ledger, keys);
    const missing = await findMissing(settings, ledger);
    const findings = [
      ...(await judgeForgotten(seen.forgotten, settings, ledger)),
      ...named(bad, seen.closed, 'cannot be opened', FROM_COPY),
      ...named(bad, missing, 'missing in the archive', `${FROM_COPY} ${DUE_AGAIN}`),
    ];
    if (findings.some(({ level }) => level !== 'ok')) return findings;
    const known = seen.count - seen.forgotten.length;
    return [ok(`${known} sealed, all known to the ledger and opened by its keys`), ...findings];
  },
};

const FROM_COPY = 'Restore them from a backup of the archive.';
const DUE_AGAIN =
  'If an older ledger was restored, some may have been destroyed since its backup: the next start destroys their keys again within the hour, and they are no longer listed.';

async function lookAtArchive(settings: Settings, ledger: Ledger, keys: KeyRing) {
  const seen = { count: 0, forgotten: [] as ArchiveEntry[], closed: [] as string[] };
  const claimed = await readClaimed(settings);
  for await (const slice of listSealedInSlices(settings.paths.archive)) {
    const ids = slice.map((entry) => entry.fileId);
    const known = new Map((await readOriginals(ledger, ids)).map((row) => [row.file_id, row]));
    for (const entry of slice) {
      const row = known.get(entry.fileId);
      seen.count += 1;
      // A claim sealed just before its process died is sealed again by the next process.
      if (!row) {
        if (!claimed.has(entry.fileId)) seen.forgotten.push(entry);
      } else if (!(await opens(settings, keys, row, seen.count <= OPENED))) seen.closed.push(entry.fileId);
    }
  }
  return seen;
}

/**
 * Reports forgotten originals. The operator must never read that files already sent may be dropped again. Each way out
 * ends with a line that is well: their calls are acknowledged, or a person has moved them away.
 */
async function judgeForgotten(entries: readonly ArchiveEntry[], { paths }: Settings, ledger: Ledger) {
  if (entries.length === 0) return [];
  const sent = await readForgottenFiles(ledger);
  for (const { fileId } of await findForgottenSends(ledger, paths.journal)) sent.set(fileId, false);
  const of = (isAcknowledged: boolean | undefined) =>
    entries.filter(({ fileId }) => sent.get(fileId) === isAcknowledged).map(nameOf);
  return [
    ...named(
      bad,
      of(false),
      'in the archive but missing from the ledger, although they were sent: they can no longer be opened',
      'Never drop them again. "paydrop account list" shows what to do; received results are still in the out folder. Once a person has acknowledged their calls, this is well.',
    ),
    ...named(
      bad,
      of(undefined),
      'in the archive but missing from the ledger: they can no longer be opened',
      `Run "paydrop account list" on every sending host, then this again. Files still listed then were never sent; if a send journal was lost, compare them with a report of the service first. Their senders can drop them again. Then move the sealed files out of "${paths.archive}" and keep them as long as the ledger that opens them.`,
    ),
    ...named(
      ok,
      of(true),
      'in the archive but missing from the ledger; a person has acknowledged their calls, and they must never be dropped again',
    ),
  ];
}

/** Adds the day, which helps senders to identify the file. */
function nameOf({ fileId, path }: ArchiveEntry): string {
  return `${fileId} of ${path.split('/').slice(0, 3).join('-')}`;
}

async function readClaimed(settings: Settings): Promise<Set<string>> {
  const works = new Set(foldersHere(settings).map((folder) => folder.work));
  const names = await Promise.all([...works].map((work) => readdir(work).catch(() => [])));
  return new Set(names.flat());
}

/** Returns whether an original opens. One whose key was destroyed on purpose counts as fine. */
async function opens(settings: Settings, keys: KeyRing, row: OriginalRow, whole: boolean): Promise<boolean> {
  if (!row.wrapped_key) return true;
  try {
    const key = unwrapDataKey(keys, row.file_id, row.wrapped_key);
    if (!whole) return true;
    const stream = openSealedFile(join(settings.paths.archive, row.archive), key, ORIGINAL_PURPOSE);
    await once(stream, 'readable');
    stream.destroy();
    return true;
  } catch (error) {
    if (error instanceof PipelineError && error.code === 'MASTER_KEY_WRONG') throw error;
    return false;
  }
}

async function findMissing(settings: Settings, ledger: Ledger): Promise<string[]> {
  const missing: string[] = [];
  for await (const slice of listOriginals(ledger, settings.site)) {
    for (const { file_id: fileId, archive } of slice) {
      const isThere = await access(join(settings.paths.archive, archive)).then(
        () => true,
        () => false,
      );
      if (!isThere) missing.push(fileId);
    }
  }
  return missing;
}

function named(
  judge: (found: string, remedy: string) => Finding,
  names: readonly string[],
  what: string,
  remedy = '',
): Finding[] {
  if (names.length === 0) return [];
  const shown = names.slice(0, SHOWN).join(', ') + (names.length > SHOWN ? `, and ${names.length - SHOWN} more` : '');
  return [judge(`${names.length} ${what}: ${shown}`, remedy)];
}
