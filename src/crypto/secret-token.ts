import { createHash, randomBytes } from 'node:crypto';

/** Returns a secret of 256 random bits that grants access: a cookie, a link, an API token. */
export function newSecretToken(): string {
  return randomBytes(32).toString('base64url');
}

/** Returns the stored form of a token. It is random and cannot be guessed from its hash, so a plain hash is enough. */
export function hashSecretToken(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}
