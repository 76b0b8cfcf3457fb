import { chmod, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import * as openpgp from 'openpgp';
import { openKeys, type OpenPgpKeys } from '../../src/pgp/open-keys.ts';
import { findKeyPlace } from '../../src/crypto/key-place.ts';
import { loadMasterKeys, type MasterKey } from '../../src/crypto/master-key.ts';

export type TestKey = { readonly privateKey: openpgp.PrivateKey; readonly publicKey: openpgp.PublicKey };

/** Makes a fresh key on Curve25519. With `modern` it asks for authenticated encryption, as the newest programs do. */
export async function makeKey(options: { seconds?: number; date?: Date; modern?: boolean } = {}): Promise<TestKey> {
  const { seconds, date, modern = false } = options;
  return openpgp.generateKey({
    ...(modern ? { type: 'curve25519' as const } : { type: 'ecc' as const, curve: 'curve25519Legacy' as const }),
    userIDs: [{ name: 'Test', email: 'test@example.org' }],
    ...(seconds !== undefined && { keyExpirationTime: seconds }),
    ...(date && { date }),
    format: 'object',
    config: { aeadProtect: modern },
  });
}

export type EncryptOptions = {
  to: TestKey | readonly TestKey[];
  /** Without it, the message is not signed. */
  by?: TestKey;
  armored?: boolean;
  compression?: keyof typeof openpgp.enums.compression;
  date?: Date;
};

/** Makes an OpenPGP message as a sender does. */
export async function encrypt(content: string | Uint8Array, options: EncryptOptions): Promise<Buffer> {
  const { to, by, armored = false, compression = 'uncompressed', date } = options;
  const message = await openpgp.createMessage({ binary: Buffer.from(content) });
  const encrypted = await openpgp.encrypt({
    message,
    encryptionKeys: [to].flat().map((key) => key.publicKey),
    ...(by && { signingKeys: by.privateKey }),
    ...(date && { date }),
    config: { preferredCompressionAlgorithm: openpgp.enums.compression[compression] },
    ...((armored ? {} : { format: 'binary' }) as { format: 'binary' }),
  });
  return Buffer.from(encrypted);
}

/** Opens the keys of an account. Signatures of `senders` are required unless `signature` says otherwise. */
export async function keysOf(
  own: readonly TestKey[],
  senders: readonly TestKey[],
  signature?: 'required' | 'optional',
): Promise<OpenPgpKeys> {
  const config = {
    key: own.map((key) => key.privateKey.armor()).join('\n'),
    senders: senders.map((key) => key.publicKey.armor()),
    ...(signature && { signature }),
  };
  return openKeys(config, 'main');
}

/** Writes an armored key to a file. Returns how a configuration names it. */
export async function writeKey(dir: string, name: string, text: string): Promise<string> {
  const path = join(dir, name);
  await writeFile(path, text);
  await chmod(path, 0o600);
  return `file:${path}`;
}

/** Returns the bytes in pieces, as they come from a disk. */
export function inPieces(bytes: Uint8Array, pieceBytes = 65_536): Readable {
  function* pieces() {
    for (let at = 0; at < bytes.length; at += pieceBytes) yield bytes.subarray(at, at + pieceBytes);
  }
  return Readable.from(pieces(), { objectMode: false });
}

/** Returns the current master key where the configuration does not set one. */
export function loadMasterKey({ file, env }: { file: string; env: NodeJS.ProcessEnv }): MasterKey {
  return loadMasterKeys(findKeyPlace({ root: '/', paths: { masterKey: file } }, env))[0]!;
}

export function masterKeyOf(fill: number): MasterKey {
  return loadMasterKey({ file: '/nowhere', env: { PAYDROP_MASTER_KEY: textOf(fill) } });
}

/** Returns a key of 32 equal bytes in its written form. */
export function textOf(fill: number): string {
  return Buffer.alloc(32, fill).toString('base64');
}
