import { createCipheriv, createDecipheriv } from 'node:crypto';

const CIPHER = 'aes-256-gcm';

export const NONCE_BYTES = 12;
export const TAG_BYTES = 16;

/** What both directions need. Never use a nonce twice with one key: that would reveal the key. */
export type GcmBox = {
  /** 32 bytes. */
  readonly key: Buffer;
  /** 12 bytes. */
  readonly nonce: Buffer;
  /** Bytes that are not stored here but must match when the box is opened, such as its purpose. */
  readonly bound: Buffer;
};

/**
 * The cipher returns each piece in new memory. Small pieces come from recycled memory; a piece of half a megabyte would
 * be a fresh request to the system each time.
 */
const PIECE_BYTES = 64 * 1024;

/**
 * Encrypts bytes with AES-256-GCM.
 * @param head bytes placed unchanged before the encrypted bytes, which saves the caller a copy
 * @returns the head, the encrypted bytes (same length as the plain ones), and the 16-byte tag
 */
export function encryptGcm({ key, nonce, bound }: GcmBox, plain: Uint8Array, head: Uint8Array = NOTHING): Buffer {
  const cipher = createCipheriv(CIPHER, key, nonce, { authTagLength: TAG_BYTES });
  cipher.setAAD(bound);
  const sealed = Buffer.allocUnsafe(head.length + plain.length + TAG_BYTES);
  sealed.set(head);
  for (let from = 0; from < plain.length; from += PIECE_BYTES)
    sealed.set(cipher.update(plain.subarray(from, from + PIECE_BYTES)), head.length + from);
  cipher.final();
  sealed.set(cipher.getAuthTag(), head.length + plain.length);
  return sealed;
}

const NOTHING = new Uint8Array();

/**
 * Decrypts and authenticates bytes.
 * @param sealed output of `encryptGcm`
 * @returns the plain bytes, or undefined when key, nonce, bound bytes or sealed bytes differ
 */
export function decryptGcm({ key, nonce, bound }: GcmBox, sealed: Uint8Array): Buffer | undefined {
  const end = sealed.length - TAG_BYTES;
  if (end < 0) return undefined;
  const decipher = createDecipheriv(CIPHER, key, nonce, { authTagLength: TAG_BYTES });
  decipher.setAAD(bound);
  decipher.setAuthTag(sealed.subarray(end));
  const plain = decipher.update(sealed.subarray(0, end));
  return isAuthentic(decipher) ? plain : undefined;
}

/** Returns whether the tag is right; the cipher throws if not. The plain bytes must not be used before this check. */
function isAuthentic(decipher: { final(): Buffer }): boolean {
  try {
    decipher.final();
    return true;
  } catch {
    return false;
  }
}
