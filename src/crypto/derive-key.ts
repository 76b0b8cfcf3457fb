import { hkdfSync } from 'node:crypto';
import { frameParts } from './frame-parts.ts';
import { secretBytes } from './secret-bytes.ts';

const NO_SALT = Buffer.alloc(0);

/**
 * Derives a 32-byte key for one use from another key with HKDF-SHA-256. No key does two jobs: if the same bytes wrapped
 * keys and sealed files, one nonce used in both places would break both.
 * @param use what the key is for, part by part; other parts give an unrelated key
 * @param salt random bytes when every call must give a new key, as each sealed stream needs
 */
export function deriveKey(from: Uint8Array, use: readonly string[], salt: Buffer = NO_SALT): Buffer {
  return secretBytes(Buffer.from(hkdfSync('sha256', from, salt, frameParts(['paydrop', ...use]), 32)));
}
