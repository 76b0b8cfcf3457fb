import { text } from 'node:stream/consumers';
import { PassThrough, type Readable } from 'node:stream';
import { setImmediate as turn } from 'node:timers/promises';
import * as openpgp from 'openpgp';
import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { encrypt, inPieces, keysOf, makeKey, type TestKey } from '../support/openpgp.ts';
import { checkMessage, judgeSignatures, latest, type MessageSignature } from '../../src/pgp/check-message.ts';
import { openMessage } from '../../src/pgp/open-message.ts';
import type { SessionKey } from '../../src/pgp/load-openpgp.ts';
import { cardRow, lines, upTo } from '../support/payment-rows.ts';
import { type NoteProgress, STALL_MS, watchForStall } from '../../src/pgp/watch-for-stall.ts';

describe('judge signatures', () => {
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
      ['Signature creation time is in the future', ', at a time in the future; correct the clock of the sender'],
      ['Signature is expired', ', and has expired'],
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
      expect(
        await checkMessage(inPieces(message), await keysOf([own], [old]), { at: NOW, maxBytes: 100 }),
      ).toMatchObject({
        code: 'PGP_SIGNER_EXPIRED',
      });
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
});

describe('openMessage', () => {
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
        message: expect.stringMatching(/^Cannot open an encrypted file again: it could be opened when it was taken\. /),
      });
  });

  it('passes on what the source throws', async () => {
    const source = inPieces(message, 1_000);
    const content = openMessage(source, key);
    source.destroy(new Error('the disk is gone'));
    await expect(text(content)).rejects.toThrow('the disk is gone');
  });
});

describe('watchForStall', () => {
  const never = () => new Promise<never>(() => {});
  const BYTES = Buffer.from('some bytes');

  async function collect(pieces: AsyncIterable<Uint8Array>): Promise<string> {
    const parts: Uint8Array[] = [];
    for await (const piece of pieces) parts.push(piece);
    return Buffer.concat(parts).toString();
  }

  function read<Result>(
    source: Readable,
    stallMs: number,
    work: (pieces: AsyncGenerator<Uint8Array>, note: NoteProgress) => Promise<Result>,
  ): Promise<Result> {
    const { pieces, note, within } = watchForStall(source, stallMs);
    return within(work(pieces, note));
  }

  /** Time passes only where a test says so, however busy the machine is. */
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  /** Lets everything happen that needs no time. */
  async function settle(): Promise<void> {
    for (let turns = 0; turns < 20; turns += 1) await turn();
  }

  async function pass(ms: number): Promise<void> {
    await settle();
    await vi.advanceTimersByTimeAsync(ms);
  }

  it('gives what came of the reading, and passes on what went wrong with it', async () => {
    expect(await read(inPieces(BYTES, 3), 1_000, collect)).toBe('some bytes');
    const trouble = new Error('no message');
    await expect(read(inPieces(BYTES), 1_000, () => Promise.reject(trouble))).rejects.toBe(trouble);
  });

  it.each([
    ['after the first piece', async (pieces: AsyncGenerator<Uint8Array>) => (await pieces.next(), never())],
    ['after the last', async (pieces: AsyncGenerator<Uint8Array>) => (await collect(pieces), never())],
  ])('fails when nothing more comes %s', async (_when, work) => {
    const failed = vi.fn();
    read(inPieces(BYTES, 3), 30, work).catch(failed);
    await pass(29);
    expect(failed).not.toHaveBeenCalled();
    await pass(1);
    await settle();
    expect(failed).toHaveBeenCalledWith(new Error('the message gave no data within 30 ms'));
  });

  it('does not count the time of the source, also when something is made meanwhile of what it gave', async () => {
    const source = new PassThrough();
    source.write(BYTES);
    const text = read(source, 40, async (pieces, note) => {
      setTimeout(note, 20);
      return collect(pieces);
    });
    await pass(200);
    source.end();
    expect(await text).toBe('some bytes');
  });

  it('lets a reader take long that shows progress', async () => {
    const work = async (pieces: AsyncGenerator<Uint8Array>, note: NoteProgress) => {
      const text = await collect(pieces);
      for (let step = 0; step < 6; step += 1) {
        await pass(80);
        note();
      }
      return text;
    };
    expect(await read(inPieces(BYTES), 90, work)).toBe('some bytes');
    expect(STALL_MS).toBeGreaterThanOrEqual(10_000);
  });

  it('does not count the time in which nobody asks', async () => {
    const { pieces, within } = watchForStall(inPieces(BYTES, 3), 40);
    const parts: string[] = [];
    for (let next = await within(pieces.next()); !next.done; next = await within(pieces.next())) {
      parts.push(Buffer.from(next.value).toString());
      await pass(60);
    }
    expect(parts.join('')).toBe('some bytes');
  });
});
