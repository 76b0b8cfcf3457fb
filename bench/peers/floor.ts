import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { reportSample } from '../measure/report-sample.ts';

/**
 * `floor <file>`: reads, hashes and encodes the bytes without parsing them. Sending a file in base64 with its SHA-256
 * takes at least this.
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
