import type { Readable } from 'node:stream';
import type { App } from '../src/app.ts';
import type { FileRow } from '../src/ledger/records.ts';
import { openMessage } from '../src/pgp/open-message.ts';
import { readSessionKey, type SessionKey, writeSessionKey } from '../src/pgp/session-key.ts';
import { openBytes, sealBytes } from '../src/vault/seal.ts';
import { openFileKey, openOriginal } from './open-original.ts';

/** Purpose that the seal of a session key is bound to. */
const CONTENT_KEY_PURPOSE = 'content key';

/**
 * The bytes of the rows of a file: the original, or what is inside when it came encrypted. Destroying the stream closes
 * the original.
 * @throws PipelineError OTHER_SITE, ORIGINAL_GONE
 */
export function openContent(app: App, file: FileRow): Readable {
  if (!file.content_key) return openOriginal(app, file);
  const key = readSessionKey(openBytes(openFileKey(app, file), CONTENT_KEY_PURPOSE, file.content_key));
  return openMessage(openOriginal(app, file), key);
}

/** The session key of a message as the ledger keeps it. Without the data key of the file it opens nothing. */
export function sealContentKey(app: App, file: FileRow, key: SessionKey): Buffer {
  return sealBytes(openFileKey(app, file), CONTENT_KEY_PURPOSE, writeSessionKey(key));
}
