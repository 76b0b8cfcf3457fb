import type { Key, PrivateKey } from 'openpgp';
import type { OpenPgpConfig } from '../../schemas/config.ts';
import { PipelineError } from '../kernel/errors.ts';
import { loadOpenPgp } from './load-openpgp.ts';

/** The opened keys of an account. */
export type OpenPgpKeys = {
  readonly own: readonly PrivateKey[];
  readonly senders: readonly Key[];
  readonly signature: 'required' | 'optional';
};

/**
 * Opens the keys of an account. Library errors are not repeated, because they may quote the key.
 * @param config its texts are the keys themselves
 * @throws PipelineError PGP_KEY
 */
export async function openKeys(config: OpenPgpConfig, account: string): Promise<OpenPgpKeys> {
  const { key, passphrase, senders, signature } = config;
  const opened = { own: await openOwn(key, passphrase, account), senders: await openSenders(senders, account) };
  return { ...opened, signature: signature ?? (senders.length > 0 ? 'required' : 'optional') };
}

async function openOwn(text: string, passphrase: string | undefined, account: string): Promise<PrivateKey[]> {
  const fail = (reason: string) => keyError('key', account, reason);
  const { readPrivateKeys } = await loadOpenPgp();
  const read = await readBlocks(text, 'PRIVATE', (armoredKeys) => readPrivateKeys({ armoredKeys }));
  if (!read) throw fail('it is not the armored text of a private key');
  const own: PrivateKey[] = [];
  for (const key of read) own.push(await unlock(key, passphrase, fail));
  return own;
}

async function unlock(
  key: PrivateKey,
  passphrase: string | undefined,
  fail: (reason: string) => PipelineError,
): Promise<PrivateKey> {
  const opened = key.isDecrypted() ? key : await unlockWith(key, passphrase, fail);
  const able = await opened.getDecryptionKeys().catch(() => []);
  if (able.length === 0) throw fail('it has no encryption subkey');
  return opened;
}

async function unlockWith(
  privateKey: PrivateKey,
  passphrase: string | undefined,
  fail: (reason: string) => PipelineError,
): Promise<PrivateKey> {
  if (passphrase === undefined) throw fail('it is locked, and no passphrase is set');
  const { decryptKey } = await loadOpenPgp();
  const opened = await decryptKey({ privateKey, passphrase }).catch(() => undefined);
  if (!opened) throw fail('the passphrase does not open it');
  return opened;
}

async function openSenders(texts: readonly string[], account: string): Promise<Key[]> {
  const { readKeys } = await loadOpenPgp();
  const senders: Key[] = [];
  for (const [index, text] of texts.entries()) {
    const read = await readBlocks(text, 'PUBLIC', (armoredKeys) => readKeys({ armoredKeys }));
    if (!read) throw keyError(`senders.${index}`, account, 'it is not the armored text of a public key');
    senders.push(...read);
  }
  return senders;
}

async function readBlocks<Read>(
  text: string,
  kind: 'PRIVATE' | 'PUBLIC',
  read: (block: string) => Promise<Read[]>,
): Promise<Read[] | undefined> {
  const blocks = text.match(
    new RegExp(`-----BEGIN PGP ${kind} KEY BLOCK-----[^]*?-----END PGP ${kind} KEY BLOCK-----`, 'g'),
  );
  try {
    const keys = await Promise.all((blocks ?? []).map(read));
    return keys.length > 0 ? keys.flat() : undefined;
  } catch {
    return undefined;
  }
}

function keyError(setting: string, account: string, reason: string): PipelineError {
  return new PipelineError('PGP_KEY', `use "accounts.${account}.openpgp.${setting}"`, reason);
}

/**
 * How long a key can be used: ours for encryption, a sender's for signing. `former` are our keys after the first, which
 * open what is still encrypted for them.
 */
export type KeyEnd = {
  readonly whose: 'own' | 'former' | 'sender';
  readonly fingerprint: string;
  readonly endsAt: Date | 'never' | 'ended';
};

/** Returns the end of every key of an account, ours first. */
export async function findKeyEnds({ own, senders }: OpenPgpKeys, now: Date): Promise<KeyEnd[]> {
  return Promise.all([
    ...own.map(async (key, at) =>
      endOf(at === 0 ? 'own' : 'former', key, await findPart(key.getEncryptionKey(undefined, now)), now),
    ),
    ...senders.map(async (key) => endOf('sender', key, await findPart(key.getSigningKey(undefined, now)), now)),
  ]);
}

type Part = Awaited<ReturnType<Key['getEncryptionKey']>>;

async function findPart(part: Promise<Part>): Promise<Part | undefined> {
  return part.catch(() => undefined);
}

async function endOf(whose: KeyEnd['whose'], key: Key, part: Part | undefined, now: Date): Promise<KeyEnd> {
  const fingerprint = key.getFingerprint().toUpperCase();
  if (!part) return { whose, fingerprint, endsAt: 'ended' };
  const ends = await Promise.all([key.getExpirationTime(), 'mainKey' in part ? part.getExpirationTime(now) : null]);
  const times = ends.filter((end) => end instanceof Date).map((end) => end.getTime());
  return { whose, fingerprint, endsAt: times.length === 0 ? 'never' : new Date(Math.min(...times)) };
}
