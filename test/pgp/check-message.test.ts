import { randomBytes, randomInt } from 'node:crypto';
import { PassThrough, Readable } from 'node:stream';
import { setImmediate as turn } from 'node:timers/promises';
import * as openpgp from 'openpgp';
import { beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { PipelineError } from '../../src/kernel/errors.ts';
import { sha256Of } from '../../src/kernel/hash.ts';
import { checkMessage } from '../../src/pgp/check-message.ts';
import { encrypt, inPieces, keysOf, makeKey, type TestKey } from '../support/openpgp.ts';
import { CARD, cardRow, lines, upTo } from '../support/payment-rows.ts';

const ROWS = lines(upTo(20).map((n) => cardRow(n)));
const RULES = { at: new Date(), maxBytes: 1_000_000 };
/** For messages that must yield nothing. Sound ones get the long default, however busy the machine is. */
const STALL_MS = 300;
const GOOD = { sha256: sha256Of(ROWS), bytes: ROWS.length };

let own: TestKey;
let modern: TestKey;
let sender: TestKey;
beforeAll(async () => {
  [own, modern, sender] = await Promise.all([makeKey(), makeKey({ modern: true }), makeKey()]);
});

async function check(bytes: Uint8Array, signature?: 'optional') {
  return checkMessage(inPieces(bytes, 100), await keysOf([own, modern], [sender], signature), RULES);
}

describe('checkMessage', () => {
  it.each(['uncompressed', 'zip', 'zlib'] as const)(
    'knows what is inside, who signed and what opens it: %s',
    async (compression) => {
      const message = await encrypt(ROWS, { to: own, by: sender, compression });
      const signedBy = sender.publicKey.getFingerprint().toUpperCase();
      expect(await check(message)).toEqual({
        ...GOOD,
        signedBy,
        key: { algorithm: 'aes256', data: expect.any(Uint8Array) },
      });
    },
  );

  it('reads armor, also behind a byte order mark', async () => {
    const message = await encrypt(ROWS, { to: own, by: sender, armored: true });
    expect(message.toString()).toContain('BEGIN PGP MESSAGE');
    expect(await check(message)).toMatchObject(GOOD);
    expect(await check(Buffer.concat([Buffer.from('\ufeff'), message]))).toMatchObject(GOOD);
  });

  it('reads authenticated encryption, and what is encrypted for several', async () => {
    expect(await check(await encrypt(ROWS, { to: modern, by: sender }))).toMatchObject(GOOD);
    expect(await check(await encrypt(ROWS, { to: [await makeKey(), own], by: sender }))).toMatchObject(GOOD);
  });

  it('takes what is not signed where that is optional', async () => {
    expect(await check(await encrypt(ROWS, { to: own }), 'optional')).toMatchObject({ ...GOOD, signedBy: null });
  });

  it('closes the source, whatever comes of it', async () => {
    for (const bytes of [await encrypt(ROWS, { to: own, by: sender }), Buffer.from('no message')]) {
      const source = inPieces(bytes);
      await checkMessage(source, await keysOf([own], [sender]), RULES);
      expect(source.destroyed).toBe(true);
    }
  });
});

describe('checkMessage refuses', () => {
  it('what is for another key, and names it', async () => {
    const other = await makeKey();
    const id = (await other.publicKey.getEncryptionKey()).getKeyID().toHex().toUpperCase();
    expect(await check(await encrypt(ROWS, { to: other, by: sender }))).toEqual({
      code: 'PGP_WRONG_KEY',
      detail: `it is for ${id}`,
    });
  });

  it('what is encrypted with a password, or only signed', async () => {
    const message = await openpgp.createMessage({ text: ROWS });
    const locked = await openpgp.encrypt({ message, passwords: 'x', format: 'binary' });
    const signed = await openpgp.sign({ message, signingKeys: sender.privateKey, format: 'binary' });
    for (const bytes of [locked, signed])
      expect(await check(bytes)).toEqual({ code: 'PGP_MESSAGE', detail: 'it is not encrypted for any key' });
  });

  it.each([
    ['nothing', Buffer.alloc(0)],
    ['rows', Buffer.from(ROWS)],
    ['a picture', Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex')],
    ['broken armor', Buffer.from('-----BEGIN PGP MESSAGE-----\n\nAAAA\n-----END PGP MESSAGE-----\n')],
  ])('%s', async (_what, bytes) => {
    expect(await check(bytes)).toMatchObject({ code: 'PGP_MESSAGE' });
  });

  it.each<[string, (message: string, other: string) => string, string]>([
    ['a second message', (message, other) => message + other, 'it contains more than one message'],
    [
      'a second message far behind',
      (message, other) => `${message}${'\n'.repeat(300_000)}${other}`,
      'it contains more than one message',
    ],
    ['rows behind the message', (message) => `${message}${cardRow(9)}\n`, 'other text follows the message'],
    ['rows before the message', (message) => `${cardRow(9)}\n${message}`, 'other text precedes the message'],
  ])('a file that has %s', async (_what, change, detail) => {
    const one = (await encrypt(ROWS, { to: own, by: sender, armored: true })).toString();
    const other = (await encrypt(cardRow(99), { to: own, by: sender, armored: true })).toString();
    expect(await check(Buffer.from(change(one, other)))).toEqual({ code: 'PGP_MESSAGE', detail });
  });

  it.each([
    ['of a private kind', Buffer.from([0xfc, 3]), 'a,b'],
    ['that a byte order mark makes of rows', Buffer.from('\ufeff'), 'x'.repeat(0xbb - 1)],
  ])('a packet %s beside the message', async (_what, head, text) => {
    const whole = await encrypt(ROWS, { to: own, by: sender });
    const packet = Buffer.concat([head, Buffer.from(text)]);
    expect(await check(Buffer.concat([whole, packet]))).toEqual({ code: 'PGP_MESSAGE' });
    expect(await check(Buffer.concat([packet, whole]))).toMatchObject({ code: 'PGP_MESSAGE' });
  });

  it('what is signed by a clock that is ahead, and says so', async () => {
    const ahead = await encrypt(ROWS, { to: own, by: sender, date: new Date(Date.now() + 86_400_000) });
    expect(await check(ahead)).toMatchObject({
      code: 'PGP_SIGNATURE',
      detail: expect.stringContaining('at a time in the future'),
    });
  });

  it('what is not signed, or by a stranger', async () => {
    const stranger = await makeKey();
    expect(await check(await encrypt(ROWS, { to: own }))).toEqual({ code: 'PGP_UNSIGNED' });
    expect(await check(await encrypt(ROWS, { to: own, by: stranger }))).toMatchObject({ code: 'PGP_SIGNER' });
  });

  it('a message without integrity protection, which anybody on its way could change', async () => {
    const bytes = await encryptUnprotected(ROWS, own);
    const config = { allowUnauthenticatedMessages: true };
    const message = await openpgp.readMessage({ binaryMessage: bytes });
    expect((await openpgp.decrypt({ message, decryptionKeys: own.privateKey, config })).data).toBe(ROWS);
    expect(await check(bytes, 'optional')).toEqual({ code: 'PGP_MESSAGE' });
  });

  it('more than the folder takes, however small it came', async () => {
    const bomb = await encrypt(Buffer.alloc(3_000_000, 'x'), { to: own, by: sender, compression: 'zip' });
    expect(bomb.length).toBeLessThan(100_000);
    expect(await check(bomb)).toEqual({ code: 'FILE_TOO_LARGE', detail: 'more than 1000000 bytes when decrypted' });
  });

  it('every message of which a piece is missing, signed or not', async () => {
    const keys = await keysOf([own, modern], [sender], 'optional');
    for (const [to, compression] of [
      [own, 'uncompressed'],
      [own, 'zip'],
      [modern, 'uncompressed'],
    ] as const)
      for (const by of [undefined, sender]) {
        const whole = await encrypt(ROWS.slice(0, 700), { to, compression, ...(by && { by }) });
        for (let length = 1 + randomInt(601); length < whole.length; length += 601)
          expect(
            await checkMessage(inPieces(whole.subarray(0, length)), keys, RULES),
            `${length} of ${whole.length} bytes`,
          ).toMatchObject({ code: 'PGP_MESSAGE' });
        for (const more of [Buffer.from('more'), whole])
          expect(await check(Buffer.concat([whole, more]), 'optional')).toMatchObject({ code: 'PGP_MESSAGE' });
      }
  });

  it('every message of which a bit is another, or at least takes nothing else from it', async () => {
    const keys = await keysOf([own, modern], [sender], 'optional');
    for (const [to, compression] of [
      [own, 'uncompressed'],
      [own, 'zip'],
      [modern, 'uncompressed'],
    ] as const) {
      const whole = await encrypt(ROWS.slice(0, 400), { to, compression });
      for (let at = randomInt(149); at < whole.length; at += 149) {
        const changed = Buffer.from(whole);
        changed[at]! ^= 1 << (at % 8);
        const found = await checkMessage(inPieces(changed), keys, { ...RULES, stallMs: STALL_MS });
        // In the newest form, the first bytes of the recipient's name are a hint on which nothing depends.
        if ('code' in found) expect(found.code, `byte ${at} of ${whole.length}`).toMatch(/^PGP_(?:MESSAGE|WRONG_KEY)$/);
        else expect(found.sha256, `byte ${at} of ${whole.length}`).toBe(sha256Of(ROWS.slice(0, 400)));
      }
    }
  });

  it('a message whose reading comes to no end', async () => {
    const { head, body } = splitMessage(await encrypt(ROWS, { to: own, by: sender }));
    // The first packet inside begins after the version and 18 random bytes. Changed to another kind, nothing reads it.
    body[19]! ^= 0x10;
    const message = Buffer.concat([head, Buffer.from([0xd2, 0xff]), lengthOf(body.length), body]);
    const keys = await keysOf([own], [sender]);
    const begun = performance.now();
    expect(await checkMessage(inPieces(message), keys, { ...RULES, stallMs: STALL_MS })).toEqual({
      code: 'PGP_MESSAGE',
    });
    expect(performance.now() - begun).toBeGreaterThanOrEqual(STALL_MS - 1);
  });

  it('without a word of what the library says or of what is inside', async () => {
    const broken = await encrypt(ROWS, { to: own, by: sender });
    broken[broken.length - 5]! ^= 1;
    const found = await check(broken);
    expect(found).toEqual({ code: 'PGP_MESSAGE' });
    expect(JSON.stringify(found)).not.toContain(CARD);
  });
});

describe('checkMessage, where the bytes cannot be read', () => {
  it('passes the trouble on, which is not that of the message', async () => {
    const trouble = new PipelineError('SEAL_BROKEN', 'open it');
    const message = await encrypt(ROWS, { to: own, by: sender });
    for (const length of [0, 50, message.length - 10]) {
      const source = Readable.from(
        (function* () {
          yield message.subarray(0, length);
          throw trouble;
        })(),
        { objectMode: false },
      );
      await expect(checkMessage(source, await keysOf([own], [sender]), RULES)).rejects.toBe(trouble);
    }
  });

  it('waits for a source that is slower than the library may be', async () => {
    const message = await encrypt(ROWS, { to: own, by: sender });
    const keys = await keysOf([own], [sender]);
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const source = new PassThrough();
    source.write(message.subarray(0, 200));
    const found = checkMessage(source, keys, { ...RULES, stallMs: 50 });
    // The library has taken everything and waits for more.
    for (let turns = 0; turns < 50; turns += 1) await turn();
    expect(source.readableLength).toBe(0);
    await vi.advanceTimersByTimeAsync(400);
    source.end(message.subarray(200));
    expect(await found).toMatchObject(GOOD);
  });
});

/** Encrypts a message of the old form (RFC 4880, 5.7), which has no integrity check. */
async function encryptUnprotected(content: string, to: TestKey): Promise<Uint8Array> {
  const data = randomBytes(32);
  const message = await openpgp.encryptSessionKey({
    data,
    algorithm: 'aes256',
    encryptionKeys: to.publicKey,
    format: 'object',
  });
  const packet = new openpgp.SymmetricallyEncryptedDataPacket();
  const inner = await openpgp.createMessage({ text: content });
  Object.assign(packet, { packets: inner.packets });
  await (packet as unknown as Encrypting).encrypt(openpgp.enums.symmetric.aes256, data, openpgp.config);
  message.packets.push(packet);
  return message.write() as Uint8Array;
}

type Encrypting = { encrypt(algorithm: number, key: Uint8Array, config: typeof openpgp.config): Promise<void> };

/** Returns the packets before the encrypted one, and its content, which the library writes in one piece. */
function splitMessage(message: Buffer): { head: Buffer; body: Buffer } {
  const keyBytes = 2 + message[1]!;
  expect(message[keyBytes]).toBe(0xd2);
  const at = keyBytes + 1;
  const size = message[at]! < 192 ? 1 : message[at]! < 224 ? 2 : 5;
  return { head: message.subarray(0, keyBytes), body: Buffer.from(message.subarray(at + size)) };
}

function lengthOf(bytes: number): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(bytes);
  return length;
}
