import { createReadStream } from 'node:fs';
import { open, rm } from 'node:fs/promises';
import { join, relative } from 'node:path';
import type { App } from '../../src/app.ts';
import { foldersHere, type Folder } from '../../src/config/config.ts';
import { besideSealed, sealFile } from '../../src/crypto/archive.ts';
import { readClaim } from '../../src/files/claims/find-claims.ts';
import { releaseClaim } from '../../src/files/claims/release-claim.ts';
import {
  emptyRetired,
  listRetired,
  removeRetired,
  type RetiredFile,
  retiredPath,
  WATCHED_MS,
  WATCHED_PLAIN_MS,
} from '../../src/files/claims/retire-claim.ts';
import { lstatOrNothing } from '../../src/files/list-folder.ts';
import { counted } from '../../src/kernel/counted.ts';
import { reasonOf } from '../../src/kernel/errors.ts';
import { sha256OfFile } from '../../src/kernel/hash.ts';
import type { PlainFileRow } from '../../src/ledger/engine/records.ts';
import { noteLate } from '../../src/ledger/file/late-arrivals.ts';
import { readFileRow, readFileState } from '../../src/ledger/file/read-file.ts';
import { listFormerWorkFolders } from '../../src/ledger/process/work-folders.ts';
import { noting } from '../note-failures.ts';
import { openFileKey, originalPath } from '../open-original.ts';
import { quarantineOdd } from './take-claim.ts';

/** Purpose that the seal of late bytes is bound to. */
const LATE_PURPOSE = 'late';

/**
 * Ends the claim of a decided file. A program may still have the file open and write into it, whatever said that it was
 * whole. So the file is looked at once more, its plain rows are removed, and it is watched for a while, empty.
 */
export async function endClaim(app: App, { work }: Folder, file: PlainFileRow): Promise<void> {
  const workDir = join(work, file.file_id);
  const claim = await readClaim(work, file.file_id);
  await releaseClaim(workDir);
  const path = retiredPath(workDir);
  // Of a file that passed its checks, the hash was compared as well as size and time.
  const isChecked = file.state !== 'held' && file.state !== 'rejected';
  if (isChecked && claim?.changed === false && claim.notes.bytes === file.bytes) {
    if (emptyRetired(path, claim.notes) !== 'changed') return;
  }
  await lookAtRetired(app, file, path);
}

/** Security codes may not be kept, not even sealed. */
function isForbidden({ reason_code: code }: PlainFileRow): boolean {
  return code === 'SECURITY_CODE';
}

/**
 * Seals what was written into a retired file and records it. The file is empty afterwards, unless more came meanwhile.
 * Two processes may do this at once: the ledger keeps one record, and the other sealed copy goes.
 */
async function lookAtRetired(app: App, file: PlainFileRow, path: string): Promise<void> {
  const stats = await lstatOrNothing(path);
  if (!stats?.isFile() || stats.size === 0n) return;
  const shape = { bytes: Number(stats.size), mtimeMs: Number(stats.mtimeMs) };
  if ((await sha256OfFile(path)) !== file.sha256) await keepLate(app, file, path, shape.bytes);
  if (emptyRetired(path, shape) === 'plain' && isForbidden(file)) await removeRetired(path);
}

async function keepLate(app: App, file: PlainFileRow, path: string, size: number): Promise<void> {
  const { file_id: fileId, bytes: taken } = file;
  const start = size > taken && (await beginsEmpty(path)) ? taken : 0;
  const came = size > taken ? size - taken : size;
  const says = `${counted(came, 'byte')} ${came === 1 ? 'was' : 'were'} written into the file after it was taken`;
  if (isForbidden(file)) {
    await noteLate(app.ledger, { fileId, kind: 'bytes', bytes: came, sha256: file.sha256, archive: null, says });
    return;
  }
  const to = besideSealed(originalPath(app, file));
  const key = openFileKey(app, await readFileRow(app.ledger, fileId));
  const sealed = await sealFile({ from: bytesFrom(path, start), to, key, purpose: LATE_PURPOSE });
  const archive = relative(app.settings.paths.archive, to);
  // Another process may have sealed and emptied it meanwhile; then this copy lacks what that one has.
  const isWhole = ((await lstatOrNothing(path))?.size ?? 0n) >= size;
  const isNew = isWhole && (await noteLate(app.ledger, { fileId, kind: 'bytes', ...sealed, archive, says }));
  if (isNew) app.log.error({ fileId, bytes: sealed.bytes }, `a person must look: ${says}`);
  else await rm(to, { force: true });
}

async function* bytesFrom(path: string, start: number): AsyncGenerator<Uint8Array> {
  yield* createReadStream(path, { start }) as AsyncIterable<Buffer>;
}

/** Returns whether a file begins with NUL: it was emptied, and its writer went on where it was. */
async function beginsEmpty(path: string): Promise<boolean> {
  const handle = await open(path, 'r');
  try {
    const { bytesRead, buffer } = await handle.read(Buffer.alloc(1), 0, 1, 0);
    return bytesRead === 1 && buffer[0] === 0;
  } finally {
    await handle.close();
  }
}

/** Looks at the retired files of this site, and removes those whose time is over. */
export async function lookAtAllRetired(app: App): Promise<void> {
  const present = foldersHere(app.settings).map((folder) => folder.work);
  // Those of a folder that had another work folder before end there; it may be gone.
  const former = await listFormerWorkFolders(app.ledger, app.settings.site, present);
  for (const work of new Set([...present, ...former]))
    for (const retired of await listRetired(work).catch((error: unknown) => {
      if (present.includes(work)) throw error;
      return [];
    })) {
      const { fileId } = retired;
      const item = { work: 'intake', subject: fileId, fileId } as const;
      try {
        if (retired.stats.size > 0n) await noting(app, item, () => lookAtKnown(app, retired, work));
        if (isOver(app, retired)) await removeUnchanged(retired);
      } catch (error) {
        app.log.error({ fileId }, reasonOf(error));
      }
    }
}

async function lookAtKnown(app: App, { fileId, path }: RetiredFile, work: string): Promise<void> {
  if ((await readFileState(app.ledger, fileId)) !== undefined)
    return lookAtRetired(app, await readFileRow(app.ledger, fileId), path);
  const reason = 'the ledger does not know the file that was claimed';
  await quarantineOdd(app, { name: fileId, path: Buffer.from(path), code: 'DROP_UNREADABLE', reason }, work);
}

/** Counts from the last time that anything happened to it. A clock that was set back must not keep it forever. */
function isOver({ clock }: App, { stats }: RetiredFile): boolean {
  const ageMs = Math.abs(clock.now().getTime() - Number(stats.ctimeMs));
  return ageMs >= (stats.size === 0n ? WATCHED_MS : WATCHED_PLAIN_MS);
}

async function removeUnchanged({ path, stats }: RetiredFile): Promise<void> {
  const now = await lstatOrNothing(path);
  if (now?.size === stats.size && now.mtimeNs === stats.mtimeNs) await removeRetired(path);
}
