/**
 * Decodes the base64 that stands in a stretch of bytes. It is decoded and encoded again piece by piece: as a whole it would
 * be two texts of a megabyte, and memory of that size is what the collector of garbage has to run for.
 * @returns undefined unless it comes out the same when it is encoded again, to the last letter
 */
export function decodeBase64(body: Buffer, from: number, to: number): Buffer | undefined {
  const decoded = Buffer.allocUnsafe(Math.ceil((to - from) / 4) * 3);
  let size = 0;
  for (let at = from; at < to; at += PIECE_LETTERS) {
    // Padding in the middle would give a piece that is short of bytes.
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
