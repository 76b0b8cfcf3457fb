import { Readable } from 'node:stream';
import type { Message, UnparseablePacket } from 'openpgp';
import { loadOpenPgp } from './load-openpgp.ts';

/** The library's stream is a web stream; which of its many types does not matter here. */
export type OpenPgpMessage = Message<Uint8Array>;

/**
 * Reads the head of a message, armored or binary. Its body is read from the source as it is decrypted.
 * @throws the library's own errors for what is no message
 */
export async function readMessage(source: AsyncIterable<Uint8Array>): Promise<OpenPgpMessage> {
  const openpgp = await loadOpenPgp();
  const pieces = source[Symbol.asyncIterator]();
  const first = withoutMark((await pieces.next()).value);
  const bytes = putBack(first, pieces);
  const message = isBinary(first)
    ? await openpgp.readMessage({ binaryMessage: toWeb(bytes) })
    : await openpgp.readMessage({ armoredMessage: toWeb(decodeLatin1(bytes)) });
  refuseUnknown(message, openpgp.UnparseablePacket);
  return message;
}

/** Refuses packets unknown to the library, which it skips as the standard requires; their content would go unread. */
function refuseUnknown(message: OpenPgpMessage, Unknown: typeof UnparseablePacket): void {
  const check = (packet: object) => {
    if (packet instanceof Unknown && !RECIPIENTS.has(packet.tag)) throw new Error('unknown packet');
  };
  const packets = message.packets as unknown as object[] & { stream: ReadableStream<object> | null };
  packets.forEach(check);
  if (packets.stream) packets.stream = packets.stream.pipeThrough(new TransformStream({ transform: check }));
}

/** Another recipient may have a kind of key that we do not know. */
const RECIPIENTS: ReadonlySet<number> = new Set([1, 3]);

/** The first bit of a packet is set; armor is plain text. */
function isBinary(first: Uint8Array | undefined): boolean {
  return first === undefined || (first[0]! & 0x80) !== 0;
}

/** Removes the byte order mark that editors put before armor. No packet begins with one. */
function withoutMark(first: Uint8Array | undefined): Uint8Array | undefined {
  const hasMark = first?.[0] === 0xef && first[1] === 0xbb && first[2] === 0xbf;
  return hasMark ? first.subarray(3) : first;
}

async function* putBack(first: Uint8Array | undefined, rest: AsyncIterator<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    if (first !== undefined) yield first;
    for (let next = await rest.next(); !next.done; next = await rest.next()) yield next.value;
  } finally {
    await rest.return?.();
  }
}

/** Reads armor as Latin-1. Armor is ASCII, and anything else fails in the library anyway. */
async function* decodeLatin1(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  for await (const piece of bytes) yield Buffer.from(piece).toString('latin1');
}

function toWeb<Piece>(pieces: AsyncGenerator<Piece>): never {
  return Readable.toWeb(Readable.from(pieces)) as never;
}
