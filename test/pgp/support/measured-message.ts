import { createReadStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { checkMessage } from '../../../src/pgp/check-message.ts';
import { openKeys } from '../../../src/pgp/open-keys.ts';
import { openMessage } from '../../../src/pgp/open-message.ts';

/** Checks and opens a message in a file with a key in another, and prints the peak memory. */

const [, , path = '', keyPath = ''] = process.argv;
const keys = await openKeys({ key: await readFile(keyPath, 'utf8'), senders: [] }, 'main');

let peak = 0;
const timer = setInterval(() => (peak = Math.max(peak, process.memoryUsage().rss)), 20);
const found = await checkMessage(createReadStream(path), keys, { at: new Date(), maxBytes: 1_000_000_000 });
if ('code' in found) throw new Error(found.code);
let bytes = 0;
for await (const piece of openMessage(createReadStream(path), found.key)) bytes += (piece as Buffer).length;
clearInterval(timer);
console.log(JSON.stringify({ checked: found.bytes, opened: bytes, peakMb: Math.round(peak / 1_000_000) }));
