import { Readable } from 'node:stream';
import { inflateWhole } from './inflate-whole.ts';

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
