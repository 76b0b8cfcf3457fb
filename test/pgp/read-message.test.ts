import { beforeAll, describe, expect, it } from 'vitest';
import { readMessage } from '../../src/pgp/load-openpgp.ts';
import { encrypt, inPieces, makeKey, type TestKey } from '../support/openpgp.ts';

let own: TestKey;
beforeAll(async () => {
  own = await makeKey();
});

describe('readMessage', () => {
  it.each([true, false])('knows for whom it is, armored or not: %s', async (armored) => {
    const bytes = await encrypt('rows', { to: own, armored });
    const ids = (await readMessage(inPieces(bytes))).getEncryptionKeyIDs();
    const { publicKey } = own;
    expect(ids.map((id) => id.toHex())).toEqual([(await publicKey.getEncryptionKey()).getKeyID().toHex()]);
  });

  it('fails for what is none', async () => {
    for (const bytes of [Buffer.alloc(0), Buffer.from('a,b\n'), Buffer.from([0xef, 0xbb, 0xbf])])
      await expect(readMessage(inPieces(bytes))).rejects.toThrow();
  });
});
