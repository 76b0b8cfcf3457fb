import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { checkMessage } from '../../src/pgp/check-message.ts';
import { openMessage } from '../../src/pgp/open-message.ts';
import { reachableBytes } from '../csv/reachable-bytes.ts';
import { keysOf } from '../support/openpgp.ts';
import { COMPRESSIONS, writeLargeMessage } from './support/large-message.ts';

const BYTES = 8_000_000;
const LOOKS = 10;

/** large-message.soak.test.ts has messages of 120 MB, and a limit for all that the process takes. */
describe(`a message of ${BYTES / 1e6} MB`, () => {
  it.each(COMPRESSIONS)('is checked and opened without being held as a whole: %s', async (compression) => {
    const { path, own } = await writeLargeMessage(BYTES, compression);
    const whenChecked = lookEvery((await stat(path)).size / LOOKS);
    const source = Readable.from(whenChecked.pass(createReadStream(path, { highWaterMark: 16_384 })), {
      objectMode: false,
    });
    const keys = await keysOf([own], []);
    const found = await checkMessage(source, keys, { at: new Date(), maxBytes: 1_000_000_000 });
    if ('code' in found) throw new Error(found.code);
    expect(found.bytes).toBeGreaterThanOrEqual(BYTES);
    expect(whenChecked.growth()).toBeLessThan(BYTES / 4);

    const whenOpened = lookEvery(found.bytes / LOOKS);
    let opened = 0;
    for await (const piece of whenOpened.pass(openMessage(createReadStream(path), found.key))) opened += piece.length;
    expect(opened).toBe(found.bytes);
    expect(whenOpened.growth()).toBeLessThan(BYTES / 4);
  });
});

/** Passes on bytes, and looks after as many of them at what is held. */
function lookEvery(bytes: number) {
  const looks: number[] = [];
  let passed = 0;
  return {
    async *pass(source: Readable): AsyncGenerator<Buffer> {
      for await (const piece of source as AsyncIterable<Buffer>) {
        yield piece;
        passed += piece.length;
        if (passed >= bytes * (looks.length + 1)) looks.push(reachableBytes());
      }
    },
    /** By how much it was more at any time than early on, when all code is loaded and no key is made any more. */
    growth: () => {
      expect(looks.length).toBeGreaterThan(LOOKS / 2);
      const [, early = 0, ...later] = looks;
      return Math.max(...later) - early;
    },
  };
}
