import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { reportSample } from '../measure/report-sample.ts';

/**
 * `floor <file>`: reads, hashes and encodes the bytes and looks at none of them. Whoever sends a file in base64 and wants
 * its SHA-256 cannot do less.
 */
const [path = ''] = process.argv.slice(2);

await reportSample(async () => {
  const hash = createHash('sha256');
  let encoded = 0;
  for await (const chunk of createReadStream(path, { highWaterMark: 65_536 }) as AsyncIterable<Buffer>) {
    hash.update(chunk);
    encoded += chunk.toString('base64').length;
  }
  hash.digest();
  return { encoded };
});
