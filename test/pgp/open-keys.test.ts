import * as openpgp from 'openpgp';
import { beforeAll, describe, expect, it } from 'vitest';
import { openKeys } from '../../src/pgp/open-keys.ts';
import { makeKey, type TestKey } from '../support/openpgp.ts';

let own: TestKey;
let sender: TestKey;
beforeAll(async () => {
  [own, sender] = await Promise.all([makeKey(), makeKey()]);
});

describe('openKeys', () => {
  it('opens our key and those of the senders, and wants signatures where there are senders', async () => {
    const key = own.privateKey.armor();
    const keys = await openKeys({ key, senders: [sender.publicKey.armor()] }, 'main');
    expect(keys.own.map((one) => one.getFingerprint())).toEqual([own.publicKey.getFingerprint()]);
    expect(keys.senders.map((one) => one.getFingerprint())).toEqual([sender.publicKey.getFingerprint()]);
    expect(keys.signature).toBe('required');
    expect(await openKeys({ key, senders: [] }, 'main')).toMatchObject({ signature: 'optional' });
    expect(await openKeys({ key, senders: [sender.publicKey.armor()], signature: 'optional' }, 'main')).toMatchObject({
      signature: 'optional',
    });
  });

  it('opens several that follow each other, with words between them', async () => {
    const former = await makeKey();
    const key = `The new key:\n${own.privateKey.armor()}\nThe former one:\n${former.privateKey.armor()}`;
    const { own: opened } = await openKeys({ key, senders: [] }, 'main');
    expect(opened.map((one) => one.getFingerprint())).toEqual(
      [own, former].map((one) => one.publicKey.getFingerprint()),
    );
  });

  it('opens a locked key with its passphrase', async () => {
    const locked = await openpgp.encryptKey({ privateKey: own.privateKey, passphrase: 'open sesame' });
    const { own: opened } = await openKeys({ key: locked.armor(), passphrase: 'open sesame', senders: [] }, 'main');
    expect(opened[0]!.isDecrypted()).toBe(true);
  });
});

describe('openKeys says what is wrong, and quotes nothing of a key', () => {
  it.each<[string, () => Promise<{ key: string; passphrase?: string; senders?: string[] }>, RegExp]>([
    ['no key', async () => ({ key: 'secret text' }), /openpgp\.key": it is not the armored text of a private key/],
    ['a public key', async () => ({ key: own.publicKey.armor() }), /openpgp\.key": it is not the armored text/],
    [
      'a cut key',
      async () => ({ key: own.privateKey.armor().replace(/\n\n[^\n]*/, '\n\n') }),
      /openpgp\.key": it is not the armored text/,
    ],
    [
      'a locked key without passphrase',
      async () => ({ key: await locked('x') }),
      /openpgp\.key": it is locked, and there is no passphrase/,
    ],
    [
      'a wrong passphrase',
      async () => ({ key: await locked('x'), passphrase: 'wrong-word' }),
      /openpgp\.key": the passphrase does not open it/,
    ],
    ['a key for signing only', async () => ({ key: await signingOnly() }), /openpgp\.key": it cannot decrypt/],
    [
      'a sender that is none',
      async () => ({ key: own.privateKey.armor(), senders: [sender.publicKey.armor(), 'secret text'] }),
      /openpgp\.senders\.1": it is not the armored text of a public key/,
    ],
    [
      'a private key as a sender',
      async () => ({ key: own.privateKey.armor(), senders: [sender.privateKey.armor()] }),
      /openpgp\.senders\.0": it is not the armored text of a public key/,
    ],
  ])('%s', async (_what, make, words) => {
    const failure = await openKeys({ senders: [], ...(await make()) }, 'main').then(
      () => undefined,
      (error: unknown) => error as Error,
    );
    expect(failure).toMatchObject({ code: 'PGP_KEY', message: expect.stringMatching(words) });
    expect(failure!.message).not.toMatch(/secret text|wrong-word|BEGIN/);
  });
});

async function locked(passphrase: string): Promise<string> {
  return (await openpgp.encryptKey({ privateKey: own.privateKey, passphrase })).armor();
}

async function signingOnly(): Promise<string> {
  const { privateKey } = await openpgp.generateKey({
    userIDs: [{ name: 'Signer' }],
    subkeys: [{ sign: true }],
    format: 'object',
  });
  return privateKey.armor();
}
