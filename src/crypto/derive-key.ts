import { hkdfSync } from 'node:crypto';
import { inspect } from 'node:util';

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

/**
 * Concatenates texts, each preceded by its length in bytes (4 bytes, big endian), so that different lists never give
 * the same bytes. Plain joining would make ['a', 'bc'] and ['ab', 'c'] equal, and a seal or fingerprint of one would
 * pass for the other.
 */
export function frameParts(parts: readonly string[]): Buffer {
  // One allocation: this runs for every row of a file, and many small buffers took four times as long.
  const size = parts.reduce((sum, part) => sum + LENGTH_BYTES + Buffer.byteLength(part), 0);
  const framed = Buffer.allocUnsafe(size);
  let at = 0;
  for (const part of parts) {
    const written = framed.write(part, at + LENGTH_BYTES);
    framed.writeUInt32BE(written, at);
    at += LENGTH_BYTES + written;
  }
  return framed;
}

const LENGTH_BYTES = 4;

const HIDDEN = '[hidden]';

/**
 * Marks the bytes of a key so that they show as "[hidden]" wherever an object is printed: JSON, a log line, an uncaught
 * error. Keys travel in small objects through many functions; without this, one careless `log.info({ key })` would
 * write a key in clear.
 * @returns the same Buffer; reading its bytes works as before
 */
export function secretBytes(bytes: Buffer): Buffer {
  Object.defineProperty(bytes, 'toJSON', { value: () => HIDDEN });
  Object.defineProperty(bytes, inspect.custom, { value: () => HIDDEN });
  return bytes;
}
