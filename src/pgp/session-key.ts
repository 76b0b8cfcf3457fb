import type { DecryptedSessionKey, SessionKey as LibrarySessionKey } from 'openpgp';

/**
 * The key of one message, which opens this message and no other. It is kept sealed with its file, so that the file can be
 * read as long as it is kept, also when the private key that it was encrypted for is long replaced.
 */
export type SessionKey = DecryptedSessionKey;

export function writeSessionKey({ algorithm, data }: SessionKey): Buffer {
  return Buffer.from(JSON.stringify({ algorithm, data: Buffer.from(data).toString('base64') }));
}

export function readSessionKey(bytes: Uint8Array): SessionKey {
  const { algorithm, data } = JSON.parse(Buffer.from(bytes).toString()) as { algorithm: string | null; data: string };
  return { algorithm: algorithm as SessionKey['algorithm'], data: new Uint8Array(Buffer.from(data, 'base64')) };
}

/** Newer messages name their algorithm themselves, so that their keys have none; the library's type knows nothing of it. */
export function toLibrary(key: SessionKey): LibrarySessionKey {
  return key as LibrarySessionKey;
}
