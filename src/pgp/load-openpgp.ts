/** Loaded only where there is a key or an encrypted file: it takes memory that a large file may need. */
export function loadOpenPgp(): Promise<typeof import('openpgp')> {
  return import('openpgp');
}

/**
 * Bytes are handed out as they are decrypted, before the end of the message has shown that they are genuine; otherwise a
 * large file would lie in memory whole. Whoever reads them must not act on any before the stream has ended well.
 */
export const STREAMED = { allowUnauthenticatedStream: true };
