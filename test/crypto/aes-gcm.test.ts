import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decryptGcm, encryptGcm, TAG_BYTES } from '../../src/crypto/aes-gcm.ts';

const BOX = { key: Buffer.alloc(32, 1), nonce: Buffer.alloc(12, 2), bound: Buffer.from('for this') };

describe('encryptGcm and decryptGcm', () => {
  it('give back what was put in', () => {
    fc.assert(
      fc.property(fc.uint8Array(), (plain) => {
        const sealed = encryptGcm(BOX, plain);
        expect(sealed).toHaveLength(plain.length + TAG_BYTES);
        expect(decryptGcm(BOX, sealed)).toEqual(Buffer.from(plain));
      }),
    );
  });

  it.each([65_535, 65_536, 65_537, 200_000])('give back %i bytes, behind a head', (size) => {
    const plain = Buffer.from(Array.from({ length: size }, (_, index) => index % 251));
    const sealed = encryptGcm(BOX, plain, Buffer.from('head'));
    expect(sealed.subarray(0, 4).toString()).toBe('head');
    expect(sealed.subarray(4).equals(encryptGcm(BOX, plain))).toBe(true);
    expect(decryptGcm(BOX, sealed.subarray(4))?.equals(plain)).toBe(true);
  });

  it('agree with the published test case 13 and 14 of AES-256-GCM', () => {
    const zeros = { key: Buffer.alloc(32), nonce: Buffer.alloc(12), bound: Buffer.alloc(0) };
    expect(encryptGcm(zeros, Buffer.alloc(0)).toString('hex')).toBe('530f8afbc74536b9a963b4f1c4cb738b');
    expect(encryptGcm(zeros, Buffer.alloc(16)).toString('hex')).toBe(
      'cea7403d4d606b6e074ec5d3baf39d18d0d1c8a799996bf0265b98b5d48ab919',
    );
  });

  it.each([
    ['another key', { ...BOX, key: Buffer.alloc(32, 9) }],
    ['another nonce', { ...BOX, nonce: Buffer.alloc(12, 9) }],
    ['other bound bytes', { ...BOX, bound: Buffer.from('for that') }],
  ])('give nothing with %s', (_, box) => {
    expect(decryptGcm(box, encryptGcm(BOX, Buffer.from('hello')))).toBeUndefined();
  });

  it('give nothing for less than a tag', () => {
    expect(decryptGcm(BOX, Buffer.alloc(TAG_BYTES - 1))).toBeUndefined();
    expect(decryptGcm(BOX, Buffer.alloc(0))).toBeUndefined();
  });
});
