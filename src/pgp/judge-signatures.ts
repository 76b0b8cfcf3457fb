import type { Key } from 'openpgp';
import type { FaultCode } from '../../schemas/errors.ts';
import type { OpenPgpKeys } from './open-keys.ts';

/** A signature of a message as the library returns it. It is valid only once the message was read to its end. */
export type MessageSignature = {
  readonly keyID: Parameters<Key['getKeys']>[0] & { toHex(): string };
  readonly verified: Promise<true>;
};

type SignatureFault = {
  code: Extract<FaultCode, 'PGP_UNSIGNED' | 'PGP_SIGNER' | 'PGP_SIGNER_EXPIRED' | 'PGP_SIGNATURE'>;
  detail?: string;
};

/** How far a sender's clock may be ahead, in ms. */
const CLOCK_MS = 900_000;

/**
 * Determines who signed a message. One good signature of a known sender is enough. A bad one in a sender's name is
 * never ignored, even where none is required.
 * @param at time at which the keys must be valid: that of the claim
 * @returns fingerprint of the sender's key, null when no known sender signed, or what is wrong
 */
export async function judgeSignatures(
  signatures: readonly MessageSignature[],
  { senders, signature: demand }: Pick<OpenPgpKeys, 'senders' | 'signature'>,
  at: Date,
): Promise<{ signedBy: string | null } | SignatureFault> {
  const judged = await Promise.all(signatures.map((signature) => judge(signature, senders, latest(at))));
  const faults = judged.filter((one) => 'code' in one);
  const wrong = faults.find(({ code }) => code === 'PGP_SIGNATURE');
  if (wrong) return wrong;
  const good = judged.find((one) => 'signedBy' in one);
  if (good) return good;
  const expired = faults.find(({ code }) => code === 'PGP_SIGNER_EXPIRED');
  if (expired) return expired;
  if (demand === 'optional') return { signedBy: null };
  return faults[0] ?? { code: 'PGP_UNSIGNED' };
}

export function latest(at: Date): Date {
  return new Date(at.getTime() + CLOCK_MS);
}

async function judge(
  { keyID, verified }: MessageSignature,
  senders: readonly Key[],
  at: Date,
): Promise<{ signedBy: string } | SignatureFault> {
  const detail = `by key ${keyID.toHex().toUpperCase()}`;
  const sender = senders.find((key) => key.getKeys(keyID).length > 0);
  if (!sender) return { code: 'PGP_SIGNER', detail };
  if (!(await isValid(sender, keyID, at))) return { code: 'PGP_SIGNER_EXPIRED', detail };
  return verified.then(
    () => ({ signedBy: sender.getFingerprint().toUpperCase() }),
    (error: Error) => ({ code: 'PGP_SIGNATURE', detail: `${detail}${causeOf(error)}` }),
  );
}

/** Returns why a signature made with the right key is refused; empty when it is simply wrong. */
function causeOf({ message }: Error): string {
  const hash = /^Insecure (?:message )?hash algorithm: (\w+)/.exec(message)?.[1];
  if (hash !== undefined) return `, over a hash that is too weak (${hash}); use SHA-256`;
  if (message === 'Signature creation time is in the future')
    return ', at a time that has not come yet; set the clock of the sender right';
  if (message === 'Signature is expired') return ', for a time that is over';
  return '';
}

/** Checks the key at the claim, not at signing as the library does: an expired key can sign with any date. */
async function isValid(sender: Key, keyID: MessageSignature['keyID'], at: Date): Promise<boolean> {
  return sender.getSigningKey(keyID, at).then(
    () => true,
    () => false,
  );
}
