import { createHash } from 'node:crypto';
import type { Readable } from 'node:stream';
import type { FaultCode } from '../../schemas/errors.ts';
import { latest, judgeSignatures } from './judge-signatures.ts';
import { loadOpenPgp, STREAMED } from './load-openpgp.ts';
import type { OpenPgpKeys } from './open-keys.ts';
import { type OpenPgpMessage, readMessage } from './read-message.ts';
import { type SessionKey, toLibrary } from './session-key.ts';
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
const KEY_FAULT =
  'its session key cannot be opened: it was damaged, or is for a cipher that paydrop does not know; use AES';

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
