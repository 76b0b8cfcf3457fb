import type { Readable } from 'node:stream';
import type { App } from '../../src/app.ts';
import type { FileRow } from '../../src/ledger/engine/records.ts';
import { type SessionKey, writeSessionKey } from '../../src/pgp/load-openpgp.ts';
import { sealBytes } from '../../src/crypto/seal.ts';
import { type ContentSource, openSource } from './open-source.ts';
import { mustBeHere, openFileKey, originalPath } from '../open-original.ts';
import { ORIGINAL_PURPOSE } from '../watch/take-claim.ts';

/** Purpose that the seal of a session key is bound to. */
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
