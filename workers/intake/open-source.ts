import type { Readable } from 'node:stream';
import { openMessage } from '../../src/pgp/open-message.ts';
import { readSessionKey } from '../../src/pgp/load-openpgp.ts';
import { openSealedFile } from '../../src/crypto/archive.ts';
import type { DataKey } from '../../src/crypto/data-key.ts';
import { openBytes } from '../../src/crypto/seal.ts';
import { secretBytes } from '../../src/crypto/derive-key.ts';

/** All that is needed to read the rows of a file, as plain data for a thread, which has neither ledger nor settings. */
export type ContentSource = {
  readonly path: string;
  readonly purpose: string;
  readonly fileId: string;
  readonly bytes: number;
  /** The data key of the file; 32 bytes. */
  readonly key: Uint8Array;
  readonly contentKey: { readonly sealed: Uint8Array; readonly purpose: string } | null;
};

/**
 * Opens the bytes of the rows of a file: the original, or its content when it is encrypted. Destroying the stream
 * closes the original.
 * @throws PipelineError SEAL_BROKEN when the message key does not open
 */
export function openSource(source: ContentSource): Readable {
  const key = dataKeyOf(source);
  const { contentKey } = source;
  const sessionKey = contentKey && readSessionKey(openBytes(key, contentKey.purpose, contentKey.sealed));
  const original = openSealedFile(source.path, key, source.purpose);
  return sessionKey ? openMessage(original, sessionKey) : original;
}

export function dataKeyOf({ fileId, key }: Pick<ContentSource, 'fileId' | 'key'>): DataKey {
  return { fileId, bytes: secretBytes(Buffer.from(key)) };
}
