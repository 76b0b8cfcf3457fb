import { createHash, randomBytes } from 'node:crypto';

/** Returns a secret of 256 random bits that grants access: a cookie, a link, an API token. */
export function newSecretToken(): string {
  return randomBytes(32).toString('base64url');
}

/** Returns the stored form of a token. It is random and cannot be guessed from its hash, so a plain hash is enough. */
export function hashSecretToken(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}

/**
 * Writes a token differently each time, for a compressed page: its length would else reveal a constant secret, letter by
 * letter, to those who can put words into the page.
 */
export function maskToken(token: string): string {
  const bytes = Buffer.from(token);
  const pad = randomBytes(bytes.length);
  return Buffer.concat([pad, xor(bytes, pad)]).toString('base64url');
}

/** Returns the token that `maskToken` has written; of anything else, some text that is no token. */
export function unmaskToken(masked: string): string {
  const bytes = Buffer.from(masked, 'base64url');
  const half = Math.floor(bytes.length / 2);
  return xor(bytes.subarray(half), bytes.subarray(0, half)).toString();
}

function xor(bytes: Buffer, pad: Buffer): Buffer {
  return Buffer.from(bytes.map((byte, at) => byte ^ (pad[at] ?? 0)));
}
