import { Readable } from 'node:stream';
import { inflateWhole } from './inflate-whole.ts';

type Library = typeof import('openpgp');

let library: Promise<Library> | undefined;

/** Loaded only where there is a key or an encrypted file: it takes memory that a large file may need. */
export function loadOpenPgp(): Promise<Library> {
  library ??= import('openpgp').then(readCompressedWhole);
  return library;
}

/**
 * Bytes are handed out as they are decrypted, before the end of the message has shown that they are genuine; otherwise a
 * large file would lie in memory whole. Whoever reads them must not act on any before the stream has ended well.
 */
export const STREAMED = { allowUnauthenticatedStream: true };

type Compressed = {
  algorithm: number;
  compressed: ReadableStream<Uint8Array>;
  decompress(config: unknown): Promise<void>;
};

/** The library leaves what stands behind the end of compressed data unread: a second message, say. */
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
