import { randomBytes } from 'node:crypto';
import type { KeyRing } from './key-ring.ts';
import type { MasterKey } from './master-key.ts';
import { secretBytes } from './secret-bytes.ts';
import { rewrapKey, unwrapKey, wrapKey } from './wrap-key.ts';

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
