import { describe, expect, it } from 'vitest';
import { rewrapKey, unwrapKey, wrapKey, wrappedBy } from '../../src/crypto/data-key.ts';
import { masterKeyOf } from '../support/load-master-key.ts';

const MASTER = masterKeyOf(1);
const OTHER = masterKeyOf(2);
const KEY = Buffer.alloc(32, 5);

describe('wrapKey and unwrapKey', () => {
  it('give back the key to its owner', () => {
    expect(unwrapKey(MASTER, 'a', wrapKey(MASTER, 'a', KEY)).equals(KEY)).toBe(true);
  });

  it('hide the key, and differently each time', () => {
    const wrapped = wrapKey(MASTER, 'a', KEY);
    expect(wrapped).toHaveLength(68);
    expect(wrapped.includes(KEY.subarray(0, 4))).toBe(false);
    expect(wrapped.equals(wrapKey(MASTER, 'a', KEY))).toBe(false);
  });

  it('tell another master key from a broken seal', () => {
    const wrapped = wrapKey(MASTER, 'a', KEY);
    expect(() => unwrapKey(OTHER, 'a', wrapped)).toThrow(
      expect.objectContaining({ code: 'MASTER_KEY_WRONG', message: expect.stringContaining(MASTER.id) }),
    );
    expect(() => unwrapKey(MASTER, 'b', wrapped)).toThrow(expect.objectContaining({ code: 'SEAL_BROKEN' }));
  });

  it('refuse another key that carries the same id, which 32 bits do not exclude', () => {
    const twin = { bytes: OTHER.bytes, id: MASTER.id };
    expect(() => unwrapKey(twin, 'a', wrapKey(MASTER, 'a', KEY))).toThrow(
      expect.objectContaining({ code: 'SEAL_BROKEN' }),
    );
  });

  it('refuse a wrapped key with any one bit changed', () => {
    const wrapped = wrapKey(MASTER, 'a', KEY);
    for (let bit = 0; bit < wrapped.length * 8; bit += 1) {
      const altered = Buffer.from(wrapped);
      altered[bit >> 3] = (altered[bit >> 3] ?? 0) ^ (1 << (bit & 7));
      // Only bytes 4 to 7, the recorded id, identify the master key.
      const code = bit >= 32 && bit < 64 ? 'MASTER_KEY_WRONG' : 'SEAL_BROKEN';
      expect(() => unwrapKey(MASTER, 'a', altered), `bit ${bit}`).toThrow(expect.objectContaining({ code }));
    }
  });

  it('still open what an older release wrapped', () => {
    const wrapped =
      '50444b31cab9db02066b16410f8d21a4acfbb94d1b0d51dc938cebe0f25e4f0e' +
      '189f76da074fc5a609c2036608d211897d58ddcab2f4967f46d3a3e137f3e5ee155dcaac';
    expect(unwrapKey(MASTER, 'a', Buffer.from(wrapped, 'hex')).equals(KEY)).toBe(true);
  });

  it('refuse a wrapped key of any other length', () => {
    const wrapped = wrapKey(MASTER, 'a', KEY);
    const lengths = Array.from({ length: wrapped.length }, (_, length) => wrapped.subarray(0, length));
    for (const altered of [...lengths, Buffer.concat([wrapped, Buffer.alloc(1)])]) {
      expect(() => unwrapKey(MASTER, 'a', altered)).toThrow(expect.objectContaining({ code: 'SEAL_BROKEN' }));
    }
  });
});

describe('wrappedBy', () => {
  it('names the master key', () => {
    expect(wrappedBy(wrapKey(MASTER, 'a', KEY))).toBe(MASTER.id);
  });
});

describe('rewrapKey', () => {
  it('moves a key from one master key to another', () => {
    const moved = rewrapKey(MASTER, OTHER, 'a', wrapKey(MASTER, 'a', KEY));
    expect(unwrapKey(OTHER, 'a', moved).equals(KEY)).toBe(true);
    expect(() => unwrapKey(MASTER, 'a', moved)).toThrow(expect.objectContaining({ code: 'MASTER_KEY_WRONG' }));
  });

  it('does not touch a key that it cannot open', () => {
    expect(() => rewrapKey(OTHER, MASTER, 'a', wrapKey(MASTER, 'a', KEY))).toThrow(
      expect.objectContaining({ code: 'MASTER_KEY_WRONG' }),
    );
  });
});
