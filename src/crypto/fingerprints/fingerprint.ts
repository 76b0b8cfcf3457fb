import { createHmac, randomBytes } from 'node:crypto';
import { frameParts } from '../derive-key.ts';
import type { KeyRing } from '../key-ring.ts';
import type { MasterKey } from '../master-key.ts';
import { rewrapKey, unwrapKey, wrapKey } from '../data-key.ts';

/**
 * Computes 16 bytes that are equal for equal parts and reveal nothing about them without the key. A plain hash of a
 * card number would reveal it: there are few enough card numbers to try all of them.
 */
export type Fingerprinter = (parts: readonly string[]) => Buffer;

const OWNER = 'the fingerprints';
const FINGERPRINT_BYTES = 16;

/**
 * Returns a new random fingerprint key, wrapped. An installation keeps one for life: a new one forgets every row seen.
 */
export function newFingerprintKey(master: MasterKey): Buffer {
  return wrapKey(master, OWNER, randomBytes(32));
}

/**
 * Opens the fingerprint key. Each part is framed by its length, so ['a', 'bc'] and ['ab', 'c'] differ.
 * @throws MASTER_KEY_WRONG when another master key wrapped the key, SEAL_BROKEN when it was altered
 */
export function openFingerprinter(keys: KeyRing | MasterKey, wrapped: Buffer): Fingerprinter {
  const key = unwrapKey(keys, OWNER, wrapped);
  return (parts) => createHmac('sha256', key).update(frameParts(parts)).digest().subarray(0, FINGERPRINT_BYTES);
}

/** Wraps the same fingerprint key with a new master key: fingerprints stay the same. */
export function rewrapFingerprintKey(from: KeyRing | MasterKey, to: MasterKey, wrapped: Buffer): Buffer {
  return rewrapKey(from, to, OWNER, wrapped);
}
