import { createHash, randomBytes } from 'node:crypto';

/** A secret of 256 random bits that somebody shows to be let in: a cookie, a link, a token of the API. */
export function newSecretToken(): string {
  return randomBytes(32).toString('base64url');
}

/** What is kept of it. It is random, so nobody can guess it from its hash, and a plain hash is enough. */
export function hashSecretToken(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}
