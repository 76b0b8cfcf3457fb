import { text } from 'node:stream/consumers';
import { beforeAll, describe, expect, it } from 'vitest';
import { checkMessage } from '../../src/pgp/check-message.ts';
import { openMessage } from '../../src/pgp/open-message.ts';
import type { SessionKey } from '../../src/pgp/load-openpgp.ts';
import { encrypt, inPieces, keysOf, makeKey } from '../support/openpgp.ts';
import { cardRow, lines, upTo } from '../support/payment-rows.ts';

const ROWS = lines(upTo(3_000).map((n) => cardRow(n)));

let message: Buffer;
let key: SessionKey;
beforeAll(async () => {
  const own = await makeKey();
  message = await encrypt(ROWS, { to: own });
  const found = await checkMessage(inPieces(message), await keysOf([own], []), { at: new Date(), maxBytes: 1e6 });
  if ('code' in found) throw new Error(found.code);
  ({ key } = found);
});

describe('openMessage', () => {
  it('gives what is inside, without any key but that of the message', async () => {
    expect(await text(openMessage(inPieces(message), key))).toBe(ROWS);
  });

  it('closes the source when it is left early, or before it was begun', async () => {
    for (const isBegun of [true, false]) {
      const source = inPieces(message, 1_000);
      const content = openMessage(source, key);
      if (isBegun) for await (const _piece of content) break;
      content.destroy();
      await expect.poll(() => source.destroyed).toBe(true);
    }
  });

  it('fails for another key and for other bytes, and does not say what the library says', async () => {
    const other = { ...key, data: new Uint8Array(32) };
    const changed = Buffer.from(message);
    changed[message.length - 3]! ^= 1;
    // The library never finishes some of them.
    for (const content of [openMessage(inPieces(message), other, 300), openMessage(inPieces(changed), key, 300)])
      await expect(text(content)).rejects.toMatchObject({
        code: 'SEAL_BROKEN',
        message: expect.stringMatching(/^Cannot open an encrypted file again: it opened when it was taken\. /),
      });
  });

  it('passes on what the source throws', async () => {
    const source = inPieces(message, 1_000);
    const content = openMessage(source, key);
    source.destroy(new Error('the disk is gone'));
    await expect(text(content)).rejects.toThrow('the disk is gone');
  });
});
