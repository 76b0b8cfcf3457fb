import { createHmac, randomBytes } from 'node:crypto';
import { frameParts } from '../frame-parts.ts';
import type { KeyRing } from '../key-ring.ts';
import type { MasterKey } from '../master-key.ts';
import { rewrapKey, unwrapKey, wrapKey } from '../wrap-key.ts';

/**
 * 16 bytes that are the same for the same parts, and tell nothing about them without the key. A plain hash of a
 * card number would not do: there are so few card numbers that all of them can be tried.
 */
export type Fingerprinter = (parts: readonly string[]) => Buffer;

const OWNER = 'the fingerprints';
const FINGERPRINT_BYTES = 16;

/** A new random key for fingerprints, wrapped. One for the life of an installation: a new one forgets every row seen. */
export function newFingerprintKey(master: MasterKey): Buffer {
  return wrapKey(master, OWNER, randomBytes(32));
}

/**
 * Parts are told apart by their lengths, so ['a', 'bc'] and ['ab', 'c'] differ.
 * @throws MASTER_KEY_WRONG when another master key wrapped the key, SEAL_BROKEN when it was altered
 */
export function openFingerprinter(keys: KeyRing | MasterKey, wrapped: Buffer): Fingerprinter {
  const key = unwrapKey(keys, OWNER, wrapped);
  return (parts) => createHmac('sha256', key).update(frameParts(parts)).digest().subarray(0, FINGERPRINT_BYTES);
}

/** The same fingerprint key under a new master key: fingerprints stay as they are. */
export function rewrapFingerprintKey(from: KeyRing | MasterKey, to: MasterKey, wrapped: Buffer): Buffer {
  return rewrapKey(from, to, OWNER, wrapped);
}
