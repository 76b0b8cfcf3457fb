import { randomBytes } from 'node:crypto';
import { findKey, idsOf, type KeyRing } from './key-ring.ts';
import type { MasterKey } from './master-key.ts';
import { deriveKey, frameParts, secretBytes } from './derive-key.ts';
import { PipelineError } from '../kernel/errors.ts';
import { decryptGcm, encryptGcm, type GcmBox, NONCE_BYTES, TAG_BYTES } from './aes-gcm.ts';

/**
 * The key that seals everything of one payment file: its original, its batch bodies, its results. Deleting the wrapped
 * key from the ledger makes all of that unreadable for good, in backups too.
 */
export type DataKey = {
  readonly fileId: string;
  /** 32 bytes. */
  readonly bytes: Buffer;
};

/**
 * Returns a new data key, and the same key wrapped (68 bytes) for the ledger. Store only the wrapped form. Commit it
 * before sealing anything with the key, or a crash in between leaves sealed data that cannot be opened.
 */
export function newDataKey(master: MasterKey, fileId: string): { key: DataKey; wrapped: Buffer } {
  const bytes = secretBytes(randomBytes(32));
  return { key: { fileId, bytes }, wrapped: wrapKey(master, ownerOf(fileId), bytes) };
}

/** @throws MASTER_KEY_WRONG when another master key wrapped it, SEAL_BROKEN when it was altered or is another file's */
export function unwrapDataKey(keys: KeyRing | MasterKey, fileId: string, wrapped: Buffer): DataKey {
  return { fileId, bytes: unwrapKey(keys, ownerOf(fileId), wrapped) };
}

/** Wraps the same data key with a new master key; errors as in `unwrapDataKey`. */
export function rewrapDataKey(from: KeyRing | MasterKey, to: MasterKey, fileId: string, wrapped: Buffer): Buffer {
  return rewrapKey(from, to, ownerOf(fileId), wrapped);
}

function ownerOf(fileId: string): string {
  return `file "${fileId}"`;
}

const MAGIC = Buffer.from('PDK1');
const ID_BYTES = 4;
const KEY_BYTES = 32;
const HEADER_BYTES = MAGIC.length + ID_BYTES;
const WRAPPED_BYTES = HEADER_BYTES + NONCE_BYTES + KEY_BYTES + TAG_BYTES;

/**
 * Encrypts a 32-byte key with the master key, so that it may be stored in the ledger.
 * Format: mark (4 bytes), id of the master key (4), nonce (12), encrypted key (32), tag (16).
 * @param owner what the key belongs to, such as a payment file. A wrapped key opens for this owner only, so a swap of
 * two in the ledger is detected
 */
export function wrapKey(master: MasterKey, owner: string, bytes: Buffer): Buffer {
  const header = Buffer.concat([MAGIC, Buffer.from(master.id, 'hex')]);
  const nonce = randomBytes(NONCE_BYTES);
  return encryptGcm(boxOf(master, owner, header, nonce), bytes, Buffer.concat([header, nonce]));
}

/**
 * Returns the key that `wrapKey` wrapped.
 * @throws MASTER_KEY_WRONG when no key of the ring wrapped it, SEAL_BROKEN when it was altered or has another owner
 */
export function unwrapKey(keys: KeyRing | MasterKey, owner: string, wrapped: Buffer): Buffer {
  const action = `open the key of ${owner}`;
  if (!isWrappedKey(wrapped)) throw new PipelineError('SEAL_BROKEN', action);
  const wrappedWith = wrappedBy(wrapped);
  const master = findKey(keys, wrappedWith);
  if (!master) {
    const held = idsOf(keys).join(' and ');
    throw new PipelineError('MASTER_KEY_WRONG', action, `it needs master key ${wrappedWith}, but this is ${held}`);
  }
  const header = wrapped.subarray(0, HEADER_BYTES);
  const nonce = wrapped.subarray(HEADER_BYTES, HEADER_BYTES + NONCE_BYTES);
  const bytes = decryptGcm(boxOf(master, owner, header, nonce), wrapped.subarray(HEADER_BYTES + NONCE_BYTES));
  if (!bytes) throw new PipelineError('SEAL_BROKEN', action);
  return secretBytes(bytes);
}

/** Returns the id of the master key that wrapped a key. A key rotation uses it to find what is left to do. */
export function wrappedBy(wrapped: Buffer): string {
  return wrapped.subarray(MAGIC.length, HEADER_BYTES).toString('hex');
}

/**
 * Wraps the same key with another master key. Nothing needs resealing, so the master key can change while work goes on.
 */
export function rewrapKey(from: KeyRing | MasterKey, to: MasterKey, owner: string, wrapped: Buffer): Buffer {
  return wrapKey(to, owner, unwrapKey(from, owner, wrapped));
}

function isWrappedKey(wrapped: Buffer): boolean {
  return wrapped.length === WRAPPED_BYTES && wrapped.subarray(0, MAGIC.length).equals(MAGIC);
}

function boxOf(master: MasterKey, owner: string, header: Buffer, nonce: Buffer): GcmBox {
  const bound = Buffer.concat([header, frameParts([owner])]);
  return { key: wrapKeyOf(master), nonce, bound };
}

/** Caches derived keys, because each stage of a file opens its key, and deriving takes longer than that. */
function wrapKeyOf(master: MasterKey): Buffer {
  const known = WRAP_KEYS.get(master);
  if (known) return known;
  const made = deriveKey(master.bytes, ['wrap key']);
  WRAP_KEYS.set(master, made);
  return made;
}

/** Each entry lives as long as the master key, from which anyone who can read it could derive it. */
const WRAP_KEYS = new WeakMap<MasterKey, Buffer>();
