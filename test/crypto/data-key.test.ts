import { describe, expect, it } from 'vitest';
import fc from 'fast-check';
import {
  type DataKey,
  newDataKey,
  rewrapDataKey,
  rewrapKey,
  unwrapDataKey,
  unwrapKey,
  wrapKey,
  wrappedBy,
} from '../../src/crypto/data-key.ts';
import { masterKeyOf } from '../support/openpgp.ts';
import { openBytes, sealBytes } from '../../src/crypto/seal.ts';

const MASTER = masterKeyOf(1);
const OTHER = masterKeyOf(2);
const FILE = '0123456789abcdef';

describe('newDataKey', () => {
  it('gives 32 random bytes and their wrapped form', () => {
    const { key, wrapped } = newDataKey(MASTER, FILE);
    expect(key.fileId).toBe(FILE);
    expect(key.bytes).toHaveLength(32);
    expect(wrapped.includes(key.bytes.subarray(0, 8))).toBe(false);
    expect(newDataKey(MASTER, FILE).key.bytes.equals(key.bytes)).toBe(false);
  });

  it('does not show the key where the object is printed', () => {
    const { key, wrapped } = newDataKey(MASTER, FILE);
    expect(JSON.stringify(key)).toBe(`{"fileId":"${FILE}","bytes":"[hidden]"}`);
    expect(JSON.stringify(unwrapDataKey(MASTER, FILE, wrapped))).toBe(JSON.stringify(key));
  });
});

describe('unwrapDataKey', () => {
  it('gives back the key', () => {
    const { key, wrapped } = newDataKey(MASTER, FILE);
    const opened = unwrapDataKey(MASTER, FILE, wrapped);
    expect(opened.fileId).toBe(FILE);
    expect(opened.bytes.equals(key.bytes)).toBe(true);
  });

  it.each([
    ['another master key', OTHER, FILE, 'MASTER_KEY_WRONG'],
    ['another file id', MASTER, '0123456789abcdeg', 'SEAL_BROKEN'],
  ])('refuses %s', (_, master, fileId, code) => {
    const { wrapped } = newDataKey(MASTER, FILE);
    expect(() => unwrapDataKey(master, fileId, wrapped)).toThrow(expect.objectContaining({ code }));
  });

  it('refuses an altered key', () => {
    const { wrapped } = newDataKey(MASTER, FILE);
    wrapped[40] = (wrapped[40] ?? 0) ^ 1;
    expect(() => unwrapDataKey(MASTER, FILE, wrapped)).toThrow(expect.objectContaining({ code: 'SEAL_BROKEN' }));
  });
});

describe('rewrapDataKey', () => {
  it('leaves the key the same under the new master key', () => {
    const { key, wrapped } = newDataKey(MASTER, FILE);
    const moved = rewrapDataKey(MASTER, OTHER, FILE, wrapped);
    expect(unwrapDataKey(OTHER, FILE, moved).bytes.equals(key.bytes)).toBe(true);
  });
});

describe('wrap key', () => {
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
});

describe('sealBytes and openBytes', () => {
  const KEY: DataKey = { fileId: '0123456789abcdef', bytes: Buffer.alloc(32, 1) };
  const SECRET = Buffer.from('INV-7,4222222222222220,25.00\r\n');
  const BROKEN = expect.objectContaining({ code: 'SEAL_BROKEN' });

  it('give back any bytes for any purpose', () => {
    fc.assert(
      fc.property(fc.uint8Array(), fc.string(), (bytes, purpose) => {
        expect(openBytes(KEY, purpose, sealBytes(KEY, purpose, bytes))).toEqual(Buffer.from(bytes));
      }),
    );
  });

  it.each([0, 1, 65_535, 65_536, 65_537, 3 * 1024 * 1024])(
    'give back %i bytes, 32 bytes longer when sealed',
    (length) => {
      const bytes = Buffer.alloc(length, 'paydrop');
      const sealed = sealBytes(KEY, 'body:3', bytes);
      expect(sealed).toHaveLength(length + 32);
      expect(openBytes(KEY, 'body:3', sealed).equals(bytes)).toBe(true);
    },
  );

  it('show nothing of the plain bytes, and differ each time', () => {
    const sealed = sealBytes(KEY, 'body:3', SECRET);
    for (let at = 0; at + 4 <= SECRET.length; at += 1) {
      expect(sealed.includes(SECRET.subarray(at, at + 4))).toBe(false);
    }
    expect(sealed.equals(sealBytes(KEY, 'body:3', SECRET))).toBe(false);
  });

  it.each<[string, DataKey, string]>([
    ['another purpose', KEY, 'body:4'],
    ['another key', { ...KEY, bytes: Buffer.alloc(32, 2) }, 'body:3'],
    ['another file id', { ...KEY, fileId: '0123456789abcdeg' }, 'body:3'],
    ['a border between file id and purpose moved', { ...KEY, fileId: '0123456789abcdefb' }, 'ody:3'],
  ])('refuse %s', (_, key, purpose) => {
    const sealed = sealBytes(KEY, 'body:3', SECRET);
    expect(() => openBytes(key, purpose, sealed)).toThrow(BROKEN);
  });

  it('refuse sealed bytes with any one byte changed', () => {
    const sealed = sealBytes(KEY, 'body:3', SECRET);
    for (let at = 0; at < sealed.length; at += 1) {
      const altered = Buffer.from(sealed);
      altered[at] = (altered[at] ?? 0) ^ 0x01;
      expect(() => openBytes(KEY, 'body:3', altered), `byte ${at}`).toThrow(BROKEN);
    }
  });

  it('refuse sealed bytes cut at any length, or with a byte added', () => {
    const sealed = sealBytes(KEY, 'body:3', SECRET);
    for (let length = 0; length < sealed.length; length += 1) {
      expect(() => openBytes(KEY, 'body:3', sealed.subarray(0, length)), `length ${length}`).toThrow(BROKEN);
    }
    expect(() => openBytes(KEY, 'body:3', Buffer.concat([sealed, Buffer.alloc(1)]))).toThrow(BROKEN);
  });

  it('still open what an older release sealed', () => {
    const sealed = '504442311d50d83d75f5a33cab820d9fa5a51a166c183ec550502c813c2333b35952e1509590ff';
    expect(openBytes(KEY, 'body:3', Buffer.from(sealed, 'hex')).toString()).toBe('paydrop');
  });

  it('take any view of bytes, not Buffers only', () => {
    const sealed = new Uint8Array(sealBytes(KEY, 'body:3', new Uint8Array(SECRET)));
    expect(openBytes(KEY, 'body:3', sealed)).toEqual(SECRET);
  });

  it('name file and purpose in the error, and nothing of the bytes', () => {
    expect(() => openBytes(KEY, 'body:3', SECRET)).toThrow(
      'Cannot open "body:3" of file "0123456789abcdef": sealed data was changed or cut off. ' +
        'Restore it from a backup; paydrop does not use it in this state.',
    );
  });
});
