import type { DecryptedSessionKey, SessionKey as LibrarySessionKey } from 'openpgp';

/**
 * The key of one message, which opens no other. It is sealed with its file, so the file stays readable even after the
 * private key it was encrypted for is replaced.
 */
export type SessionKey = DecryptedSessionKey;

export function writeSessionKey({ algorithm, data }: SessionKey): Buffer {
  return Buffer.from(JSON.stringify({ algorithm, data: Buffer.from(data).toString('base64') }));
}

export function readSessionKey(bytes: Uint8Array): SessionKey {
  const { algorithm, data } = JSON.parse(Buffer.from(bytes).toString()) as { algorithm: string | null; data: string };
  return { algorithm: algorithm as SessionKey['algorithm'], data: new Uint8Array(Buffer.from(data, 'base64')) };
}

/** Newer messages name their algorithm themselves, so their keys have none, which the library's type does not allow. */
export function toLibrary(key: SessionKey): LibrarySessionKey {
  return key as LibrarySessionKey;
}
