import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createInflate, createInflateRaw } from 'node:zlib';

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
