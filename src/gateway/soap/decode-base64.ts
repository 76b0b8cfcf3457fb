/**
 * Decodes the base64 in a range of bytes, piece by piece. As a whole it would create two strings of a megabyte, which
 * trigger garbage collection.
 * @returns undefined unless it encodes back to the same text, to the last letter
 */
export function decodeBase64(body: Buffer, from: number, to: number): Buffer | undefined {
  const decoded = Buffer.allocUnsafe(Math.ceil((to - from) / 4) * 3);
  let size = 0;
  for (let at = from; at < to; at += PIECE_LETTERS) {
    // Padding in the middle would leave a piece short of bytes.
    if (size % PIECE_BYTES !== 0) return undefined;
    const text = body.toString('latin1', at, Math.min(at + PIECE_LETTERS, to));
    const written = decoded.write(text, size, 'base64');
    if (decoded.toString('base64', size, size + written) !== text) return undefined;
    size += written;
  }
  return decoded.subarray(0, size);
}

const PIECE_BYTES = 48 * 1024;
const PIECE_LETTERS = (PIECE_BYTES / 3) * 4;
