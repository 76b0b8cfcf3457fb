import type { Readable } from 'node:stream';

/**
 * Reads the whole body of a request.
 *
 * Bytes beyond the limit are read and discarded. Otherwise a client still writing would see a broken connection instead
 * of the answer that says why. Reading stops at ten times the limit.
 * @returns undefined when the body is larger than the limit
 * @throws the error that broke the connection
 */
export async function readBody(request: Readable, limitBytes: number): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  let sizeBytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    sizeBytes += chunk.length;
    if (sizeBytes <= limitBytes) chunks.push(chunk);
    else chunks.length = 0;
    if (sizeBytes > limitBytes * 10) break;
  }
  return sizeBytes > limitBytes ? undefined : Buffer.concat(chunks, sizeBytes);
}
