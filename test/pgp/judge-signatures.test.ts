import * as openpgp from 'openpgp';
import { beforeAll, describe, expect, it } from 'vitest';
import { encrypt, inPieces, keysOf, makeKey, type TestKey } from '../support/openpgp.ts';
import { checkMessage, judgeSignatures, latest, type MessageSignature } from '../../src/pgp/check-message.ts';

const NOW = new Date();
const before = (minutes: number) => new Date(NOW.getTime() - minutes * 60_000);

let ada: TestKey;
let bob: TestKey;
beforeAll(async () => {
  [ada, bob] = await Promise.all([makeKey({ date: before(60) }), makeKey({ date: before(60) })]);
});

function signature(by: TestKey, isRight = true, fault = 'Signed digest did not match'): MessageSignature {
  const verified = isRight ? Promise.resolve(true as const) : Promise.reject(new Error(fault));
  verified.catch(() => undefined);
  return { keyID: by.publicKey.getKeyID(), verified };
}

function judge(signatures: MessageSignature[], senders: TestKey[], demand: 'required' | 'optional' = 'required') {
  return judgeSignatures(signatures, { senders: senders.map((key) => key.publicKey), signature: demand }, NOW);
}

const fingerprintOf = (key: TestKey) => key.publicKey.getFingerprint().toUpperCase();
const idOf = (key: TestKey) => `by key ${key.publicKey.getKeyID().toHex().toUpperCase()}`;

describe('judgeSignatures', () => {
  it('names the sender whose signature is right, also beside that of a stranger', async () => {
    expect(await judge([signature(ada)], [bob, ada])).toEqual({ signedBy: fingerprintOf(ada) });
    expect(await judge([signature(await makeKey()), signature(bob)], [bob, ada])).toEqual({
      signedBy: fingerprintOf(bob),
    });
  });

  it('wants one where it is required', async () => {
    expect(await judge([], [ada])).toEqual({ code: 'PGP_UNSIGNED' });
    expect(await judge([signature(bob)], [ada])).toEqual({ code: 'PGP_SIGNER', detail: idOf(bob) });
  });

  it('does without one where it is optional', async () => {
    expect(await judge([], [ada], 'optional')).toEqual({ signedBy: null });
    expect(await judge([signature(bob)], [ada], 'optional')).toEqual({ signedBy: null });
    expect(await judge([signature(bob)], [], 'optional')).toEqual({ signedBy: null });
  });

  it.each(['required', 'optional'] as const)(
    'never passes over a wrong one, %s or beside a right one',
    async (demand) => {
      const wrong = { code: 'PGP_SIGNATURE', detail: idOf(ada) };
      expect(await judge([signature(ada, false)], [ada], demand)).toEqual(wrong);
      expect(await judge([signature(bob), signature(ada, false)], [ada, bob], demand)).toEqual(wrong);
    },
  );

  it.each([
    ['Insecure message hash algorithm: SHA1', ', over a hash that is too weak (SHA1); use SHA-256'],
    [
      'Signature creation time is in the future',
      ', at a time that has not come yet; set the clock of the sender right',
    ],
    ['Signature is expired', ', for a time that is over'],
    ['Something with 4222222222222220', ''],
  ])('says why one is not taken: %s', async (fault, said) => {
    expect(await judge([signature(ada, false, fault)], [ada])).toEqual({
      code: 'PGP_SIGNATURE',
      detail: `${idOf(ada)}${said}`,
    });
  });

  it('does not trust a key that is expired or revoked, whenever it says that it signed', async () => {
    const old = await makeKey({ date: before(120), seconds: 3_600 });
    const { publicKey } = await openpgp.revokeKey({ key: ada.privateKey, format: 'object' });
    expect(await judge([signature(old)], [old])).toEqual({ code: 'PGP_SIGNER_EXPIRED', detail: idOf(old) });
    expect(await judge([signature(ada)], [{ ...ada, publicKey }], 'optional')).toMatchObject({
      code: 'PGP_SIGNER_EXPIRED',
    });
    expect(await judge([signature(old), signature(bob)], [old, bob])).toEqual({ signedBy: fingerprintOf(bob) });
  });
});

describe('a signature in a message', () => {
  it('of an expired key is not taken, though it was right when it was made', async () => {
    const [own, old] = [await makeKey({ date: before(120) }), await makeKey({ date: before(120), seconds: 3_600 })];
    const message = await encrypt('rows', { to: own, by: old, date: before(90) });
    expect(await checkMessage(inPieces(message), await keysOf([own], [old]), { at: NOW, maxBytes: 100 })).toMatchObject(
      {
        code: 'PGP_SIGNER_EXPIRED',
      },
    );
  });

  it('may be a little ahead of our clock, and no more', async () => {
    const own = await makeKey({ date: before(60) });
    for (const [minutes, code] of [
      [-10, undefined],
      [-20, 'PGP_SIGNATURE'],
    ] as const) {
      const message = await encrypt('rows', { to: own, by: ada, date: before(minutes) });
      const found = await checkMessage(inPieces(message), await keysOf([own], [ada]), { at: NOW, maxBytes: 100 });
      expect('code' in found ? found.code : undefined).toBe(code);
    }
    expect(latest(NOW).getTime() - NOW.getTime()).toBe(15 * 60_000);
  });
});
