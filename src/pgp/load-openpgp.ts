import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createInflate, createInflateRaw } from 'node:zlib';

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
    if (taken !== engine.bytesWritten) throw new Error('bytes stand behind the end of what is compressed');
  } finally {
    engine.destroy();
    await pieces.return?.();
  }
}
