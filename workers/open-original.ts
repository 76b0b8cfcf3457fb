import { join } from 'node:path';
import type { Readable } from 'node:stream';
import type { App } from '../src/app.ts';
import { PipelineError } from '../src/kernel/errors.ts';
import type { FileRow, PlainFileRow } from '../src/ledger/engine/records.ts';
import { openSealedFile } from '../src/crypto/archive.ts';
import { type DataKey, unwrapDataKey } from '../src/crypto/data-key.ts';
import { ORIGINAL_PURPOSE } from './watch/take-claim.ts';

/**
 * Opens the original bytes of a file from the archive. The stream fails rather than yield other bytes than were sealed.
 * @throws PipelineError OTHER_SITE, ORIGINAL_GONE, MASTER_KEY_WRONG
 */
export function openOriginal(app: App, file: FileRow): Readable {
  mustBeHere(app, file);
  return openSealedFile(originalPath(app, file), openFileKey(app, file), ORIGINAL_PURPOSE);
}

/** @throws PipelineError OTHER_SITE when the archive with the file is at another site */
export function mustBeHere({ settings }: App, file: PlainFileRow): void {
  if (file.site === settings.site) return;
  const reason = `it lies at site "${file.site}", and this is "${settings.site}"`;
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
