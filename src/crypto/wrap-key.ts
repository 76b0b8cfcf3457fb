import { randomBytes } from 'node:crypto';
import { PipelineError } from '../kernel/errors.ts';
import { decryptGcm, encryptGcm, type GcmBox, NONCE_BYTES, TAG_BYTES } from './aes-gcm.ts';
import { deriveKey } from './derive-key.ts';
import { frameParts } from './frame-parts.ts';
import { findKey, idsOf, type KeyRing } from './key-ring.ts';
import type { MasterKey } from './master-key.ts';
import { secretBytes } from './secret-bytes.ts';

/** Mark of a wrapped key; its last character is the version of the form. */
const MAGIC = Buffer.from('PDK1');
const ID_BYTES = 4;
const KEY_BYTES = 32;
const HEADER_BYTES = MAGIC.length + ID_BYTES;
const WRAPPED_BYTES = HEADER_BYTES + NONCE_BYTES + KEY_BYTES + TAG_BYTES;

/**
 * Encrypts a key of 32 bytes with the master key, so that it may lie in the ledger.
 *
 * Form: mark (4 bytes), id of the master key (4), nonce (12), encrypted key (32), tag (16).
 * @param owner what the key belongs to, such as a payment file; a wrapped key opens for this owner only, so swapping
 *              two of them in the ledger is found out
 */
export function wrapKey(master: MasterKey, owner: string, bytes: Buffer): Buffer {
  const header = Buffer.concat([MAGIC, Buffer.from(master.id, 'hex')]);
  const nonce = randomBytes(NONCE_BYTES);
  return encryptGcm(boxOf(master, owner, header, nonce), bytes, Buffer.concat([header, nonce]));
}

/**
 * The key that `wrapKey` was given.
 * @throws MASTER_KEY_WRONG when no key of the ring wrapped it, SEAL_BROKEN when it was altered or belongs to another owner
 */
export function unwrapKey(keys: KeyRing | MasterKey, owner: string, wrapped: Buffer): Buffer {
  const action = `open the key of ${owner}`;
  if (!isWrappedKey(wrapped)) throw new PipelineError('SEAL_BROKEN', action);
  const wrappedWith = wrappedBy(wrapped);
  const master = findKey(keys, wrappedWith);
  if (!master) {
    const held = idsOf(keys).join(' and ');
    throw new PipelineError('MASTER_KEY_WRONG', action, `it needs master key ${wrappedWith}, and this is ${held}`);
  }
  const header = wrapped.subarray(0, HEADER_BYTES);
  const nonce = wrapped.subarray(HEADER_BYTES, HEADER_BYTES + NONCE_BYTES);
  const bytes = decryptGcm(boxOf(master, owner, header, nonce), wrapped.subarray(HEADER_BYTES + NONCE_BYTES));
  if (!bytes) throw new PipelineError('SEAL_BROKEN', action);
  return secretBytes(bytes);
}

/** The id of the master key that wrapped a key, to find those that a change of master keys has yet to reach. */
export function wrappedBy(wrapped: Buffer): string {
  return wrapped.subarray(MAGIC.length, HEADER_BYTES).toString('hex');
}

/**
 * The same key, wrapped with another master key. Nothing that is sealed has to be sealed again, so the master key can
 * be changed while work goes on.
 */
export function rewrapKey(from: KeyRing | MasterKey, to: MasterKey, owner: string, wrapped: Buffer): Buffer {
  return wrapKey(to, owner, unwrapKey(from, owner, wrapped));
}

function isWrappedKey(wrapped: Buffer): boolean {
  return wrapped.length === WRAPPED_BYTES && wrapped.subarray(0, MAGIC.length).equals(MAGIC);
}

function boxOf(master: MasterKey, owner: string, header: Buffer, nonce: Buffer): GcmBox {
  const bound = Buffer.concat([header, frameParts([owner])]);
  return { key: deriveKey(master.bytes, ['wrap key']), nonce, bound };
}
