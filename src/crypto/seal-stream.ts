import { randomBytes } from 'node:crypto';
import { PipelineError } from '../kernel/errors.ts';
import { decryptGcm, encryptGcm, type GcmBox, NONCE_BYTES, TAG_BYTES } from './aes-gcm.ts';
import type { DataKey } from './data-key.ts';
import { deriveKey, frameParts } from './derive-key.ts';

const MAGIC = Buffer.from('PDS1');
const SALT_BYTES = 32;
const HEADER_BYTES = MAGIC.length + SALT_BYTES;

/** Plain bytes of every chunk but the last, which has 1 to this many, or none when the whole stream is empty. */
export const CHUNK_BYTES = 64 * 1024;

/**
 * Seals bytes of any length that come in pieces. A piece may be overwritten once the next is asked for.
 * Format: mark (4 bytes), salt (32), then chunks, each of at most 64 KiB encrypted bytes and a tag (16). This is the
 * STREAM construction: the salt gives every stream its own key. The nonce of a chunk is its number and whether it is
 * the last. So each chunk opens only as the n-th of this stream; truncated, reordered, duplicated and added chunks are
 * detected. Mark, salt, file id and purpose are bound into every chunk.
 * Memory stays flat. One chunk is held back, because only the next byte shows that it was not the last. The source is
 * not read until the reader has taken its chunk.
 * @param purpose what the bytes are, such as `original`; the stream opens for this purpose only
 */
export async function* sealStream(
  source: AsyncIterable<Uint8Array>,
  key: DataKey,
  purpose: string,
): AsyncGenerator<Buffer> {
  const header = Buffer.concat([MAGIC, randomBytes(SALT_BYTES)]);
  const nextBox = countBoxes(key, purpose, header);
  const blocks = cutBlocks(CHUNK_BYTES);
  yield header;
  for await (const bytes of source) for (const block of blocks.add(bytes)) yield encryptGcm(nextBox(false), block);
  yield encryptGcm(nextBox(true), blocks.rest());
}

/**
 * Opens what `sealStream` sealed. A chunk is passed on only after its tag was verified; memory stays flat as above.
 * The bytes passed on are authentic but may be incomplete: a missing end shows only at the end. So the reader must not
 * treat them as complete until the stream has ended without an error.
 * @throws SEAL_BROKEN when anything was altered, cut, moved, duplicated or added, or when the stream was sealed for
 * another purpose, file or key
 */
export async function* openStream(
  source: AsyncIterable<Uint8Array>,
  key: DataKey,
  purpose: string,
): AsyncGenerator<Buffer> {
  const chunks = cutBlocks(CHUNK_BYTES + TAG_BYTES);
  let head = Buffer.alloc(0);
  let open: ChunkOpener | undefined;
  for await (const bytes of source) {
    let body = bytes;
    if (!open) {
      head = Buffer.concat([head, bytes]);
      if (head.length < HEADER_BYTES) continue;
      open = chunkOpener(key, purpose, head.subarray(0, HEADER_BYTES));
      body = head.subarray(HEADER_BYTES);
    }
    for (const chunk of chunks.add(body)) yield open(chunk, false);
  }
  if (!open) throw brokenSeal(key, purpose);
  yield open(chunks.rest(), true);
}

type ChunkOpener = (sealed: Buffer, isLast: boolean) => Buffer;

function chunkOpener(key: DataKey, purpose: string, header: Buffer): ChunkOpener {
  if (!header.subarray(0, MAGIC.length).equals(MAGIC)) throw brokenSeal(key, purpose);
  const nextBox = countBoxes(key, purpose, header);
  return (sealed, isLast) => {
    const plain = decryptGcm(nextBox(isLast), sealed);
    if (!plain) throw brokenSeal(key, purpose);
    return plain;
  };
}

/**
 * Returns the boxes of successive chunks, each with its own nonce: zeros (5 bytes), chunk number (6), 1 for the last
 * (1). Six bytes count more chunks than any disk holds.
 */
function countBoxes(key: DataKey, purpose: string, header: Buffer): (isLast: boolean) => GcmBox {
  const streamKey = deriveKey(key.bytes, ['seal stream'], header.subarray(MAGIC.length));
  const bound = Buffer.concat([header, frameParts([key.fileId, purpose])]);
  let number = 0;
  return (isLast) => {
    const nonce = Buffer.alloc(NONCE_BYTES);
    nonce.writeUIntBE(number, 5, 6);
    nonce.writeUInt8(isLast ? 1 : 0, 11);
    number += 1;
    return { key: streamKey, nonce, bound };
  };
}

function brokenSeal(key: DataKey, purpose: string): PipelineError {
  return new PipelineError('SEAL_BROKEN', `open "${purpose}" of file "${key.fileId}"`);
}

/** A cutter that turns pieces of any size into blocks of one size, and always keeps the latest block back. */
type BlockCutter = {
  /**
   * Yields the full blocks that more bytes have followed, so none of them is the last. A block is overwritten by the
   * next: use it before asking for that.
   */
  add(bytes: Uint8Array): Generator<Buffer>;
  /** Returns the block kept back: the last one, full or not, or an empty one when nothing came. */
  rest(): Buffer;
};

/** Makes a cutter. It holds one block in memory, whatever passes through, and copies every byte once. */
export function cutBlocks(blockBytes: number): BlockCutter {
  let block = Buffer.alloc(0);
  let filled = 0;
  return {
    *add(bytes) {
      let taken = 0;
      while (taken < bytes.length) {
        if (filled === blockBytes) {
          yield block;
          filled = 0;
        }
        const piece = bytes.subarray(taken, taken + blockBytes - filled);
        const needed = filled + piece.length;
        // A small stream comes in one piece; a large one fills the block.
        if (needed > block.length)
          block = Buffer.concat([block.subarray(0, filled)], filled === 0 ? needed : blockBytes);
        block.set(piece, filled);
        filled += piece.length;
        taken += piece.length;
      }
    },
    rest: () => block.subarray(0, filled),
  };
}
