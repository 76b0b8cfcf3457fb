import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createInflate, createInflateRaw } from 'node:zlib';
import type { DecryptedSessionKey, Message, SessionKey as LibrarySessionKey, UnparseablePacket } from 'openpgp';

type Library = typeof import('openpgp');

let library: Promise<Library> | undefined;

/** Loads the library only where there is a key or an encrypted file: it takes memory that a large file may need. */
export function loadOpenPgp(): Promise<Library> {
  library ??= import('openpgp').then(readCompressedWhole);
  return library;
}

/**
 * Setting that releases bytes as they are decrypted, before the end of the message proves them genuine. Otherwise a
 * large file would be in memory whole. A reader must not act on any bytes before the stream has ended well.
 */
export const STREAMED = { allowUnauthenticatedStream: true };

type Compressed = {
  algorithm: number;
  compressed: ReadableStream<Uint8Array>;
  decompress(config: unknown): Promise<void>;
};

/** Makes the library refuse bytes after compressed data, such as a second message; it would leave them unread. */
function readCompressedWhole(openpgp: Library): Library {
  const { zip, zlib, uncompressed }: Record<'zip' | 'zlib' | 'uncompressed', number> = openpgp.enums.compression;
  const proto = openpgp.CompressedDataPacket.prototype as unknown as Compressed;
  const decompress = proto.decompress;
  proto.decompress = function (config) {
    if (this.algorithm === zip || this.algorithm === zlib) {
      this.compressed = Readable.toWeb(
        Readable.from(inflateWhole(this.compressed, this.algorithm === zip ? 'zip' : 'zlib')),
      ) as ReadableStream<Uint8Array>;
      this.algorithm = uncompressed;
    }
    return decompress.call(this, config);
  };
  return openpgp;
}

/**
 * Decompresses a source that must hold exactly one compressed stream. zlib stops at the end of the first stream and
 * ignores the bytes after it.
 * @throws when the source cannot be decompressed, or has bytes after the end
 */
export async function* inflateWhole(
  source: AsyncIterable<Uint8Array>,
  format: 'zip' | 'zlib',
): AsyncGenerator<Uint8Array> {
  const engine = format === 'zip' ? createInflateRaw() : createInflate();
  const pieces = source[Symbol.asyncIterator]();
  let taken = 0;
  async function* take(): AsyncGenerator<Uint8Array> {
    for (let next = await pieces.next(); !next.done; next = await pieces.next()) {
      taken += next.value.length;
      yield next.value;
    }
  }
  try {
    // The engine reports these errors as well.
    pipeline(Readable.from(take(), { objectMode: false }), engine).catch(() => {});
    for await (const piece of engine) yield piece as Uint8Array;
    for await (const piece of take()) if (piece.length > 0) break;
    if (taken !== engine.bytesWritten) throw new Error('bytes follow the end of the compressed data');
  } finally {
    engine.destroy();
    await pieces.return?.();
  }
}

/**
 * The key of one message, which opens no other. It is sealed with its file, so the file stays readable even after the
 * private key it was encrypted for is replaced.
 */
export type SessionKey = DecryptedSessionKey;

export function writeSessionKey({ algorithm, data }: SessionKey): Buffer {
  return Buffer.from(JSON.stringify({ algorithm, data: Buffer.from(data).toString('base64') }));
}

export function readSessionKey(bytes: Uint8Array): SessionKey {
  const { algorithm, data } = JSON.parse(Buffer.from(bytes).toString()) as { algorithm: string | null; data: string };
  return { algorithm: algorithm as SessionKey['algorithm'], data: new Uint8Array(Buffer.from(data, 'base64')) };
}

/** Newer messages name their algorithm themselves, so their keys have none, which the library's type does not allow. */
export function toLibrary(key: SessionKey): LibrarySessionKey {
  return key as LibrarySessionKey;
}

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
