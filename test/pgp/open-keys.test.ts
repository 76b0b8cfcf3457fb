import { Readable } from 'node:stream';
import { deflateRawSync, deflateSync } from 'node:zlib';
import { randomBytes } from 'node:crypto';
import * as openpgp from 'openpgp';
import { beforeAll, describe, expect, it } from 'vitest';
import { findKeyEnds, openKeys } from '../../src/pgp/open-keys.ts';
import { encrypt, inPieces, keysOf, makeKey, type TestKey } from '../support/openpgp.ts';
import {
  inflateWhole,
  loadOpenPgp,
  readMessage,
  readSessionKey,
  type SessionKey,
  STREAMED,
  toLibrary,
  writeSessionKey,
} from '../../src/pgp/load-openpgp.ts';

describe('open keys', () => {
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
      expect(await openKeys({ key, senders: [sender.publicKey.armor()], signature: 'optional' }, 'main')).toMatchObject(
        {
          signature: 'optional',
        },
      );
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
        /openpgp\.key": it is locked, and no passphrase is set/,
      ],
      [
        'a wrong passphrase',
        async () => ({ key: await locked('x'), passphrase: 'wrong-word' }),
        /openpgp\.key": the passphrase does not open it/,
      ],
      [
        'a key for signing only',
        async () => ({ key: await signingOnly() }),
        /openpgp\.key": it has no encryption subkey/,
      ],
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
});

const DAY_S = 86_400;
const START = new Date('2026-06-15T10:00:00.000Z');
const after = (days: number) => new Date(START.getTime() + days * DAY_S * 1_000);

describe('findKeyEnds', () => {
  it('says of each key until when it can be used, ours first', async () => {
    const keys = [
      await makeKey({ date: START }),
      await makeKey({ date: START, seconds: DAY_S }),
      await makeKey({ date: START, seconds: 10 * DAY_S }),
      await makeKey({ date: START, seconds: DAY_S }),
    ] as const;
    const opened = await keysOf(keys.slice(0, 2), keys.slice(2));
    const ends = await findKeyEnds(opened, after(2));
    expect(ends.map(({ whose, endsAt }) => [whose, endsAt])).toEqual([
      ['own', 'never'],
      ['former', 'ended'],
      ['sender', after(10)],
      ['sender', 'ended'],
    ]);
    expect(ends.map(({ fingerprint }) => fingerprint)).toEqual(
      keys.map((key) => key.publicKey.getFingerprint().toUpperCase()),
    );
  });
});

const DATA = new Uint8Array([0, 1, 254, 255]);

describe('writeSessionKey and readSessionKey', () => {
  it.each<SessionKey>([
    { algorithm: 'aes256', data: DATA },
    { algorithm: null, data: DATA },
  ])('keep what a session key is: $algorithm', (key) => {
    expect(readSessionKey(writeSessionKey(key))).toEqual(key);
  });
});

describe('toLibrary', () => {
  it('changes nothing', () => {
    const key: SessionKey = { algorithm: null, data: DATA };
    expect(toLibrary(key)).toBe(key);
  });
});

it('loadOpenPgp gives the library, whose own setting is not to stream', async () => {
  const { config } = await loadOpenPgp();
  expect(config.allowUnauthenticatedStream).toBe(false);
  expect(config.allowUnauthenticatedMessages).toBe(false);
  expect(Object.keys(STREAMED)).toEqual(['allowUnauthenticatedStream']);
});

const LITERAL = Buffer.concat([Buffer.from([0xcb, 10]), Buffer.from('b\0\0\0\0\0rows')]);

it.each([
  [1, deflateRawSync(LITERAL)],
  [2, deflateSync(LITERAL)],
])(
  'loadOpenPgp gives a library that reads compressed data to its last byte: algorithm %i',
  async (algorithm, bytes) => {
    expect(await readCompressed(algorithm, bytes)).toBe('rows');
    await expect(readCompressed(algorithm, Buffer.concat([bytes, bytes]))).rejects.toThrow(/follow the end/);
  },
);

/** Reads a packet without a length, as GnuPG writes it: everything that follows belongs to it. */
async function readCompressed(algorithm: number, bytes: Uint8Array): Promise<string> {
  const { readMessage, verify } = await loadOpenPgp();
  const packet = Readable.toWeb(inPieces(Buffer.concat([Buffer.from([0xa3, algorithm]), bytes]))) as never;
  const message = await readMessage({ binaryMessage: packet, config: STREAMED });
  const { data } = await verify({ message, verificationKeys: [], format: 'binary', config: STREAMED });
  const read: Uint8Array[] = [];
  for await (const piece of data as unknown as AsyncIterable<Uint8Array>) read.push(piece);
  return Buffer.concat(read).toString();
}

const CONTENT = Buffer.concat([randomBytes(100_000), Buffer.alloc(100_000, 'rows\n')]);

async function inflate(bytes: Uint8Array, format: 'zip' | 'zlib', pieceBytes: number): Promise<Buffer> {
  const read: Uint8Array[] = [];
  for await (const piece of inflateWhole(inPieces(bytes, pieceBytes), format)) read.push(piece);
  return Buffer.concat(read);
}

describe.each([
  ['zip', deflateRawSync(CONTENT)],
  ['zlib', deflateSync(CONTENT)],
] as const)('inflateWhole: %s', (format, bytes) => {
  it.each([999, 65_536, 10_000_000])('gives what was compressed, in pieces of %i bytes', async (pieceBytes) => {
    expect((await inflate(bytes, format, pieceBytes)).equals(CONTENT)).toBe(true);
  });

  it.each([
    ['a byte', Buffer.from([0])],
    ['as much once more', bytes],
    ['rows', Buffer.from('a,b\n')],
  ])('refuses what has %s behind its end', async (_what, more) => {
    for (const pieceBytes of [bytes.length, 4_096, 10_000_000])
      await expect(inflate(Buffer.concat([bytes, more]), format, pieceBytes)).rejects.toThrow(/follow the end/);
  });

  it('refuses what is cut', async () => {
    for (const length of [0, 1, bytes.length - 1])
      await expect(inflate(bytes.subarray(0, length), format, 999)).rejects.toThrow(/unexpected end/);
  });

  it('closes its source when it is left early', async () => {
    const source = inPieces(bytes, 999);
    for await (const piece of inflateWhole(source, format)) if (piece.length > 0) break;
    expect(source.destroyed).toBe(true);
  });
});

describe('readMessage', () => {
  let own: TestKey;
  beforeAll(async () => {
    own = await makeKey();
  });

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
