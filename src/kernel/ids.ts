import { randomBytes } from 'node:crypto';

/** Letters and digits without those that are easily misread (Crockford's base 32). */
const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';

/**
 * Returns a new payment file id of 16 characters. The first 8 appear in the names of output files; their 40 random bits
 * keep those names apart. The id says nothing about the file's content.
 */
export function newFileId(): string {
  return Array.from(randomBytes(16), (byte) => ALPHABET[byte & 31]).join('');
}

/** Returns the part of a file id that users read, also in output names. */
export function shortId(fileId: string): string {
  return fileId.slice(0, 8);
}

/** Shape of a file id, for parsing names. */
export const FILE_ID = /^[0-9a-hjkmnp-tv-z]{16}$/;
