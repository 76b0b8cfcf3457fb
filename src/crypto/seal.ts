import { randomBytes } from 'node:crypto';
import { PipelineError } from '../kernel/errors.ts';
import { decryptGcm, encryptGcm, type GcmBox, NONCE_BYTES } from './aes-gcm.ts';
import type { DataKey } from './data-key.ts';
import { deriveKey, frameParts } from './derive-key.ts';

const MAGIC = Buffer.from('PDB1');
const HEADER_BYTES = MAGIC.length + NONCE_BYTES;

/**
 * Seals something small that is in memory anyway, such as a batch body. For files see `sealStream`.
 * Format: mark (4 bytes), nonce (12), encrypted bytes, tag (16); so 32 bytes are added.
 * @param purpose what the bytes are, such as `body:3` or `result:3:1`. They open for this purpose only, so swapped
 * batch bodies are detected
 */
export function sealBytes(key: DataKey, purpose: string, bytes: Uint8Array): Buffer {
  const nonce = randomBytes(NONCE_BYTES);
  return encryptGcm(boxOf(key, purpose, nonce), bytes, Buffer.concat([MAGIC, nonce]));
}

/** @throws SEAL_BROKEN when the bytes were altered or cut, or were sealed for another purpose, file or key */
export function openBytes(key: DataKey, purpose: string, sealed: Uint8Array): Buffer {
  const nonce = Buffer.from(sealed.subarray(MAGIC.length, HEADER_BYTES));
  const isMarked = MAGIC.equals(sealed.subarray(0, MAGIC.length)) && nonce.length === NONCE_BYTES;
  const bytes = isMarked ? decryptGcm(boxOf(key, purpose, nonce), sealed.subarray(HEADER_BYTES)) : undefined;
  if (!bytes) throw new PipelineError('SEAL_BROKEN', `open "${purpose}" of file "${key.fileId}"`);
  return bytes;
}

function boxOf(key: DataKey, purpose: string, nonce: Buffer): GcmBox {
  const bound = Buffer.concat([MAGIC, frameParts([key.fileId, purpose])]);
  return { key: sealKeyOf(key), nonce, bound };
}

/** Caches derived keys: deriving one takes half as long as sealing a batch, and a file has thousands of batches. */
function sealKeyOf(key: DataKey): Buffer {
  const known = SEAL_KEYS.get(key);
  if (known) return known;
  const made = deriveKey(key.bytes, ['seal bytes']);
  SEAL_KEYS.set(key, made);
  return made;
}

/** Each entry lives as long as the key it was derived from. */
const SEAL_KEYS = new WeakMap<DataKey, Buffer>();
