import { createCipheriv, createDecipheriv } from 'node:crypto';

const CIPHER = 'aes-256-gcm';

export const NONCE_BYTES = 12;
export const TAG_BYTES = 16;

/** What both directions need. A nonce must never be used twice with one key: that would give the key away. */
export type GcmBox = {
  /** 32 bytes. */
  readonly key: Buffer;
  /** 12 bytes. */
  readonly nonce: Buffer;
  /** Bytes that are not stored here but must be the same when the box is opened, such as what it is for. */
  readonly bound: Buffer;
};

/**
 * The cipher gives each piece in memory of its own. Small ones are taken from what was used before; one of half a megabyte
 * would be asked of the system anew each time.
 */
const PIECE_BYTES = 64 * 1024;

/**
 * @param head what is to stand before the encrypted bytes, as it is, so that nobody has to copy them behind it
 * @returns the head, the encrypted bytes, as long as the plain ones, and the tag of 16 bytes
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
 * @param sealed what `encryptGcm` gave
 * @returns the plain bytes, or undefined when key, nonce, bound bytes or anything sealed is not what it was
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

/** The cipher says "not authentic" by throwing. The plain bytes must not be touched before it was asked. */
function isAuthentic(decipher: { final(): Buffer }): boolean {
  try {
    decipher.final();
    return true;
  } catch {
    return false;
  }
}
