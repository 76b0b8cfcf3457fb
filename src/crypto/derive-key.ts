import { hkdfSync } from 'node:crypto';
import { frameParts } from './frame-parts.ts';
import { secretBytes } from './secret-bytes.ts';

const NO_SALT = Buffer.alloc(0);

/**
 * A key of 32 bytes for one use only, made from another key with HKDF-SHA-256. No key does two jobs: were the same
 * bytes used to wrap keys and to seal files, a nonce used once in each place would break both.
 * @param use  what the key is for, part by part; other parts give an unrelated key
 * @param salt random bytes when every call must give a new key, as each sealed stream needs
 */
export function deriveKey(from: Uint8Array, use: readonly string[], salt: Buffer = NO_SALT): Buffer {
  return secretBytes(Buffer.from(hkdfSync('sha256', from, salt, frameParts(['paydrop', ...use]), 32)));
}
