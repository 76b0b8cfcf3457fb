/**
 * Decodes base64 piece by piece. As a whole it would create two strings of its size, which trigger garbage collection.
 * @returns undefined unless it encodes back to the same text, to the last letter
 */
export function decodeBase64(base64: Buffer): Buffer | undefined {
  const decoded = Buffer.allocUnsafe(Math.ceil(base64.length / 4) * 3);
  let size = 0;
  for (let at = 0; at < base64.length; at += PIECE_LETTERS) {
    // Padding in the middle would leave a piece short of bytes.
    if (size % PIECE_BYTES !== 0) return undefined;
    const text = base64.toString('latin1', at, at + PIECE_LETTERS);
    const written = decoded.write(text, size, 'base64');
    if (decoded.toString('base64', size, size + written) !== text) return undefined;
    size += written;
  }
  return decoded.subarray(0, size);
}

const PIECE_BYTES = 48 * 1024;
const PIECE_LETTERS = (PIECE_BYTES / 3) * 4;
