import { createHash } from 'node:crypto';

/** Larger pieces double the read time through page faults, and let the sender decide how much memory paydrop uses. */
const LARGEST_PIECE_BYTES = 65_536;

/**
 * Counts and hashes the bytes that pass through, in pieces of at most 64 KiB. Call `size` and `sha256` only after the
 * last byte has passed.
 */
export function byteCounter() {
  const hash = createHash('sha256');
  let bytes = 0;

  async function* pass(source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    for await (const chunk of source) {
      hash.update(chunk);
      bytes += chunk.length;
      yield* cutPieces(chunk);
    }
  }

  return { pass, size: () => bytes, sha256: () => hash.digest('hex') };
}

function* cutPieces(chunk: Uint8Array): Generator<Uint8Array> {
  for (let start = 0; start < chunk.length; start += LARGEST_PIECE_BYTES) {
    yield chunk.subarray(start, start + LARGEST_PIECE_BYTES);
  }
}
