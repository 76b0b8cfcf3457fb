import { join } from 'node:path';
import type { Readable } from 'node:stream';
import type { App } from '../src/app.ts';
import { PipelineError } from '../src/kernel/errors.ts';
import type { FileRow, PlainFileRow } from '../src/ledger/engine/records.ts';
import { openSealedFile } from '../src/crypto/archive.ts';
import { type DataKey, unwrapDataKey } from '../src/crypto/data-key.ts';
import type { Folder } from '../src/config/config.ts';
import { sha256Of } from '../src/kernel/hash.ts';
import { readSealedPart, type SealedPart } from '../src/ledger/batch/read-sealed-part.ts';
import { openBytes, sealBytes } from '../src/crypto/seal.ts';
import { type SessionKey, writeSessionKey } from '../src/pgp/load-openpgp.ts';
import { type ContentSource, openSource } from './intake/open-source.ts';

/** Purpose that the seal of an original is bound to. */
export const ORIGINAL_PURPOSE = 'original';

/**
 * Opens the original bytes of a file from the archive. The stream fails rather than yield other bytes than were sealed.
 * @throws PipelineError OTHER_SITE, ORIGINAL_GONE, MASTER_KEY_WRONG
 */
export function openOriginal(app: App, file: FileRow): Readable {
  mustBeHere(app, file);
  return openSealedFile(originalPath(app, file), openFileKey(app, file), ORIGINAL_PURPOSE);
}

/** @throws PipelineError OTHER_SITE when the archive with the file is at another site */
function mustBeHere({ settings }: App, file: PlainFileRow): void {
  if (file.site === settings.site) return;
  const reason = `it belongs to site "${file.site}", and this is site "${settings.site}"`;
  throw new PipelineError('OTHER_SITE', `open file "${file.file_id}"`, reason);
}

export function originalPath(app: App, file: PlainFileRow): string {
  return join(app.settings.paths.archive, file.archive);
}

/** @throws PipelineError ORIGINAL_GONE when the key was destroyed, MASTER_KEY_WRONG when the master key does not fit */
export function openFileKey(app: Pick<App, 'keys'>, file: FileRow): DataKey {
  if (file.wrapped_key) return unwrapDataKey(app.keys, file.file_id, file.wrapped_key);
  const at = file.shredded_at ? ` at ${file.shredded_at.toISOString()}` : '';
  throw new PipelineError('ORIGINAL_GONE', `open file "${file.file_id}"`, `its key was destroyed on purpose${at}`);
}

/**
 * Returns the drop folder that a file came from. Without its settings the file cannot be read, so it waits.
 * @throws PipelineError NOT_FOUND
 */
export function folderOf(app: App, folderId: string, fileId: string): Folder {
  const folder = app.folder(folderId);
  if (folder) return folder;
  const reason = `folder "${folderId}" is no longer in the configuration`;
  const next = 'Add the folder to paydrop.yaml again; the file waits in the work folder.';
  throw new PipelineError('NOT_FOUND', `take in file "${fileId}"`, reason, { next });
}

/** Returns what the seal of a result is bound to. A seal moved to another batch does not open. */
function purposeOf(batchNo: number, part: SealedPart): string {
  return `${part}:${batchNo}`;
}

/** Seals a result file as received, with the key of its payment file. */
export function sealResult(
  app: Pick<App, 'keys'>,
  file: FileRow,
  batchNo: number,
  bytes: Buffer,
  part: SealedPart = 'result',
): { sealed: Buffer; sha256: string } {
  const sealed = sealBytes(openFileKey(app, file), purposeOf(batchNo, part), bytes);
  return { sealed, sha256: sha256Of(bytes) };
}

/**
 * Opens the result of a batch as received.
 * @throws PipelineError NOT_FOUND when it has none, SEAL_BROKEN when it was changed or cannot be opened
 */
export async function openResult(app: Pick<App, 'ledger' | 'keys'>, file: FileRow, batchNo: number): Promise<Buffer> {
  // The key comes first: a file destroyed on purpose has no result either, and NOT_FOUND would claim that none arrived.
  const key = openFileKey(app, file);
  const sealed = await readSealedPart(app.ledger, { fileId: file.file_id, batchNo }, 'result');
  return openBytes(key, purposeOf(batchNo, 'result'), sealed);
}

const CONTENT_KEY_PURPOSE = 'content key';

/**
 * Opens the bytes of the rows of a file: the original, or its content when it is encrypted. Destroying the stream
 * closes the original.
 * @throws PipelineError OTHER_SITE, ORIGINAL_GONE
 */
export function openContent(app: App, file: FileRow): Readable {
  return openSource(findContent(app, file));
}

/**
 * Returns where the rows of a file are and what opens them.
 * @throws PipelineError OTHER_SITE, ORIGINAL_GONE
 */
export function findContent(app: App, file: FileRow): ContentSource {
  mustBeHere(app, file);
  return {
    path: originalPath(app, file),
    purpose: ORIGINAL_PURPOSE,
    fileId: file.file_id,
    bytes: file.bytes,
    key: openFileKey(app, file).bytes,
    contentKey: file.content_key && { sealed: file.content_key, purpose: CONTENT_KEY_PURPOSE },
  };
}

/** Seals the session key of a message for the ledger. Without the data key of the file it opens nothing. */
export function sealContentKey(app: App, file: FileRow, key: SessionKey): Buffer {
  return sealBytes(openFileKey(app, file), CONTENT_KEY_PURPOSE, writeSessionKey(key));
}
