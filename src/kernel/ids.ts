import { randomBytes } from 'node:crypto';

/** Letters and digits without those that people misread (Crockford's base 32). */
const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';

/**
 * A new payment file id: 16 characters, of which the first 8 stand in the names of output files. 40 random bits in
 * the first half keep those names apart; the id holds nothing of the file's content.
 */
export function newFileId(): string {
  return Array.from(randomBytes(16), (byte) => ALPHABET[byte & 31]).join('');
}

/** The part of a file id that people read, also in output names. */
export function shortId(fileId: string): string {
  return fileId.slice(0, 8);
}

/** Shape of a file id, for reading names back. */
export const FILE_ID = /^[0-9a-hjkmnp-tv-z]{16}$/;
