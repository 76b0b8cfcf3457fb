import type { Readable } from 'node:stream';

/**
 * The whole body of a request.
 *
 * What goes beyond the limit is read and thrown away, because a client that is still writing would otherwise see a
 * broken connection instead of the answer that says why. At ten times the limit even that ends.
 * @returns undefined when the body is larger than the limit
 * @throws what the connection broke with
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
