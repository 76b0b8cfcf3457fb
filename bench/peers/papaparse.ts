import { createReadStream } from 'node:fs';
import { finished } from 'node:stream/promises';
import papaparse from 'papaparse';
import { reportSample } from '../measure/report-sample.ts';

/**
 * `papaparse <file>`: Papa Parse as a stream; it splits rows and cells and checks nothing. It reads rows by events: an
 * async iterator takes three times as long here, though not for the other parsers.
 */
const [path = ''] = process.argv.slice(2);

await reportSample(async () => {
  let rows = 0;
  const parser = createReadStream(path).pipe(papaparse.parse(papaparse.NODE_STREAM_INPUT));
  parser.on('data', () => (rows += 1));
  await finished(parser);
  return { rows };
});
