import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { DataKey } from '../../src/crypto/data-key.ts';
import { openBytes, sealBytes } from '../../src/crypto/seal.ts';

const KEY: DataKey = { fileId: '0123456789abcdef', bytes: Buffer.alloc(32, 1) };
const SECRET = Buffer.from('INV-7,4222222222222220,25.00\r\n');
const BROKEN = expect.objectContaining({ code: 'SEAL_BROKEN' });

describe('sealBytes and openBytes', () => {
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
      'Cannot open "body:3" of file "0123456789abcdef": sealed data was changed or cut. ' +
        'Restore it from a backup; it is not used as it is.',
    );
  });
});
