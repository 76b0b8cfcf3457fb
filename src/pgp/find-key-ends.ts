import type { Key } from 'openpgp';
import type { OpenPgpKeys } from './open-keys.ts';

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

/** Returns undefined when no part is valid; the library throws then. */
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
