import { createHash } from 'node:crypto';
import type { Readable } from 'node:stream';
import type { Key } from 'openpgp';
import type { FaultCode } from '../../schemas/errors.ts';
import { loadOpenPgp, type OpenPgpMessage, readMessage, type SessionKey, STREAMED, toLibrary } from './load-openpgp.ts';
import type { OpenPgpKeys } from './open-keys.ts';
import { watchArmor } from './watch-armor.ts';
import { type NoteProgress, STALL_MS, watchForStall } from './watch-for-stall.ts';

/** What is known of a good message that was read to its end. */
export type CheckedMessage = {
  /** SHA-256 of the content, in lower-case hex. */
  readonly sha256: string;
  readonly bytes: number;
  readonly key: SessionKey;
  /** Fingerprint of the sender's key; null when no known sender signed. */
  readonly signedBy: string | null;
};

export type MessageFault = { readonly code: FaultCode; readonly detail?: string };

export type MessageRules = {
  /** Time of the claim. */
  readonly at: Date;
  /** Largest content allowed. */
  readonly maxBytes: number;
  readonly stallMs?: number;
};

/**
 * Reads a file that holds one message, from its first byte to its last, and keeps none of the content. Otherwise
 * paydrop might act on part of a message that proves changed, cut off or signed by a stranger. Memory does not grow
 * with the message. Library errors are not repeated, so a forger learns only that the message is bad.
 * @throws what the source throws; any other failure is the message's own
 */
export async function checkMessage(
  source: Readable,
  keys: OpenPgpKeys,
  rules: MessageRules,
): Promise<CheckedMessage | MessageFault> {
  const { pieces, note, within } = watchForStall(source, rules.stallMs ?? STALL_MS);
  const armor = watchArmor(pieces);
  const fault = (): MessageFault => ({ code: 'PGP_MESSAGE', ...(armor.fault() && { detail: armor.fault()! }) });
  const read = async () => {
    const message = await readMessage({ [Symbol.asyncIterator]: () => ({ next: () => armor.pieces.next() }) });
    const found = await readToEnd(message, keys, { ...rules, note });
    if ('code' in found) return armor.fault() === undefined ? found : fault();
    // What the library leaves unread is checked as well.
    for (let rest = await armor.pieces.next(); !rest.done; rest = await armor.pieces.next()) note();
    return armor.fault() === undefined ? found : fault();
  };
  try {
    return await within(read());
  } catch {
    if (source.errored) throw source.errored;
    return fault();
  } finally {
    source.destroy();
  }
}

async function readToEnd(
  message: OpenPgpMessage,
  keys: OpenPgpKeys,
  { at, maxBytes, note }: MessageRules & { note: NoteProgress },
): Promise<CheckedMessage | MessageFault> {
  const { decrypt } = await loadOpenPgp();
  const key = await findSessionKey(message, keys);
  if ('code' in key) return key;
  const { data, signatures } = await decrypt({
    message,
    sessionKeys: toLibrary(key),
    verificationKeys: [...keys.senders],
    date: latest(at),
    format: 'binary',
    config: { ...STREAMED, maxDecompressedMessageSize: maxBytes + PACKETS_BYTES },
  });
  const content = await measure(data, maxBytes, note);
  if ('code' in content) return content;
  const signer = await judgeSignatures(signatures, keys, at);
  return 'code' in signer ? signer : { ...content, key, ...signer };
}

/** Room for packet headers and signatures that are compressed beside the content. */
const PACKETS_BYTES = 1_048_576;

async function findSessionKey(message: OpenPgpMessage, { own }: OpenPgpKeys): Promise<SessionKey | MessageFault> {
  const ids = message.getEncryptionKeyIDs();
  if (ids.length === 0) return { code: 'PGP_MESSAGE', detail: 'it is not encrypted for any key' };
  const { decryptSessionKeys } = await loadOpenPgp();
  const found = await decryptSessionKeys({ message, decryptionKeys: [...own] }).catch(() => []);
  if (found[0]) return found[0];
  const isOurs = ids.some((id) => id.toHex() !== UNNAMED && own.some((key) => key.getKeys(id).length > 0));
  if (isOurs) return { code: 'PGP_MESSAGE', detail: KEY_FAULT };
  const shown = ids.slice(0, 3).map((id) => (id.toHex() === UNNAMED ? 'an unnamed key' : id.toHex().toUpperCase()));
  return { code: 'PGP_WRONG_KEY', detail: `it is for ${shown.join(', ')}` };
}

/** One text for both causes: a sender who tries keys must not learn which of them opens. */
const KEY_FAULT = 'its session key cannot be opened: it was damaged, or its cipher is unknown to paydrop; use AES';

/** Messages may hide their recipient; the receiver then tries all keys. */
const UNNAMED = '0'.repeat(16);

/** Hashes the content and stops at the limit, because a few bytes may decompress into any number. */
async function measure(
  data: AsyncIterable<Uint8Array>,
  maxBytes: number,
  note: NoteProgress,
): Promise<{ sha256: string; bytes: number } | MessageFault> {
  const hash = createHash('sha256');
  let bytes = 0;
  for await (const piece of data) {
    note();
    bytes += piece.length;
    if (bytes > maxBytes) return { code: 'FILE_TOO_LARGE', detail: `more than ${maxBytes} bytes when decrypted` };
    hash.update(piece);
  }
  return { sha256: hash.digest('hex'), bytes };
}

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
    return ', at a time in the future; correct the clock of the sender';
  if (message === 'Signature is expired') return ', and has expired';
  return '';
}

/** Checks the key at the claim, not at signing as the library does: an expired key can sign with any date. */
async function isValid(sender: Key, keyID: MessageSignature['keyID'], at: Date): Promise<boolean> {
  return sender.getSigningKey(keyID, at).then(
    () => true,
    () => false,
  );
}
