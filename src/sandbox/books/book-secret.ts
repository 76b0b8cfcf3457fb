import { createHmac, randomBytes } from 'node:crypto';
import { open, readFile, rename } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { PipelineError, systemCode } from '../../kernel/errors.ts';
import { decryptGcm, encryptGcm, NONCE_BYTES } from '../../crypto/aes-gcm.ts';
import { deriveKey } from '../../crypto/derive-key.ts';
import { syncFolder } from '../../kernel/folders.ts';

/** A secret that keeps whole numbers out of the books. Duplicates and results still survive a restart. */
export type BookSecret = {
  /** Equal parts give equal keys, which reveal nothing about them without the secret. */
  readonly keyOf: (parts: readonly string[]) => string;
  /**
   * Seals bytes into text. Results are sealed because malformed rows come back as sent, with any number in them.
   * @param owner what the bytes belong to; they open for nothing else
   */
  readonly seal: (plain: Buffer, owner: string) => string;
  /** @throws SEAL_BROKEN when text, owner or secret has changed */
  readonly unseal: (sealed: string, owner: string) => Buffer;
};

const SECRET_BYTES = 32;
const KEY_BYTES = 16;

/** Returns a secret that is lost with the process. */
export function newBookSecret(): BookSecret {
  return useSecret(randomBytes(SECRET_BYTES));
}

/**
 * Reads the secret stored beside the books, or creates it.
 * @param mayCreate whether there are no books yet; another secret could not read existing ones
 * @throws MASTER_KEY_MISSING when there are books but no secret, MASTER_KEY_WRONG when the file is not a secret
 */
export async function openBookSecret(path: string, mayCreate: boolean): Promise<BookSecret> {
  const found = await readFile(path).catch((error: unknown) => {
    if (systemCode(error) === 'ENOENT' && mayCreate) return createSecret(path);
    if (systemCode(error) !== 'ENOENT') throw error;
    throw new PipelineError('MASTER_KEY_MISSING', `open the books of the sandbox in "${dirname(path)}"`, NO_SECRET, {
      next: 'Restore the file "secret", or start with an empty folder.',
    });
  });
  if (found.length === SECRET_BYTES) return useSecret(found);
  throw new PipelineError('MASTER_KEY_WRONG', `read the secret of the sandbox in "${path}"`, 'it has another length');
}

const NO_SECRET = 'its books exist, but their secret is missing';

/** Writes a draft and renames it, so that a kill leaves no partial secret. */
async function createSecret(path: string): Promise<Buffer> {
  const secret = randomBytes(SECRET_BYTES);
  const draft = join(dirname(path), 'secret.part');
  const file = await open(draft, 'w', 0o600);
  try {
    await file.writeFile(secret);
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(draft, path);
  await syncFolder(dirname(path));
  return secret;
}

function useSecret(secret: Buffer): BookSecret {
  const forKeys = deriveKey(secret, ['sandbox', 'duplicates']);
  const forResults = deriveKey(secret, ['sandbox', 'results']);
  return {
    keyOf: (parts) =>
      createHmac('sha256', forKeys).update(JSON.stringify(parts)).digest().toString('base64url', 0, KEY_BYTES),
    seal: (plain, owner) => {
      const nonce = randomBytes(NONCE_BYTES);
      const sealed = encryptGcm({ key: forResults, nonce, bound: Buffer.from(owner) }, plain);
      return Buffer.concat([nonce, sealed]).toString('base64');
    },
    unseal: (text, owner) => {
      const bytes = Buffer.from(text, 'base64');
      const box = { key: forResults, nonce: bytes.subarray(0, NONCE_BYTES), bound: Buffer.from(owner) };
      const plain = bytes.length < NONCE_BYTES ? undefined : decryptGcm(box, bytes.subarray(NONCE_BYTES));
      if (plain) return plain;
      throw new PipelineError('SEAL_BROKEN', `open the result of ${owner} of the sandbox`);
    },
  };
}
