import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MAC_BYTES, manyMacs } from '../../../src/crypto/fingerprints/many-macs.ts';

/** Examples for AES-256 from NIST SP 800-38B. */
const KEY = Buffer.from('603deb1015ca71be2b73aef0857d77811f352c073b6108d72d9810a30914dff4', 'hex');
const TEXT = Buffer.from(
  '6bc1bee22e409f96e93d7e117393172aae2d8a571e03ac9c9eb76fac45af8e51' +
    '30c81c46a35ce411e5fbc1191a0a52eff69f2445df4f9b17ad2b417be66c3710',
  'hex',
);
const EXAMPLES = [
  [0, '028962f61b7bf89efc6b551f4667d983'],
  [16, '28a7023f452e8f82bd4bf28d8c37c35c'],
  [40, 'aaf3d8f1de5640c232f5b169b9c911e6'],
  [64, 'e1992190549f6ed5696a2c056c315410'],
] as const;

function macsOf(messages: readonly Uint8Array[], key = KEY): string[] {
  const macs = manyMacs(key);
  for (const message of messages) {
    macs.addBytes(message, 0, message.length);
    macs.end();
  }
  return inHex(macs.take());
}

const inHex = (macs: Buffer) =>
  Array.from({ length: macs.length / MAC_BYTES }, (_, index) =>
    macs.toString('hex', index * MAC_BYTES, (index + 1) * MAC_BYTES),
  );

describe('manyMacs', () => {
  it.each(EXAMPLES)('gives the mac of the standard for %i bytes', (length, mac) => {
    expect(macsOf([TEXT.subarray(0, length)])).toEqual([mac]);
  });

  it('gives the same for all of them together, in whatever order', () => {
    const together = macsOf([...EXAMPLES, ...EXAMPLES.toReversed()].map(([length]) => TEXT.subarray(0, length)));
    expect(together).toEqual([...EXAMPLES, ...EXAMPLES.toReversed()].map(([, mac]) => mac));
  });

  it('makes of many messages what it makes of each, however they are cut, and begins anew after each time', () => {
    const macs = manyMacs(KEY);
    const someMessages = fc.array(fc.array(fc.uint8Array({ maxLength: 60 }), { maxLength: 4 }), { maxLength: 40 });
    fc.assert(
      fc.property(someMessages, (messages) => {
        for (const pieces of messages) {
          for (const piece of pieces)
            macs.addBytes(Buffer.concat([TEXT, piece]), TEXT.length, TEXT.length + piece.length);
          macs.end();
        }
        expect(inHex(macs.take())).toEqual(messages.map((pieces) => macsOf([Buffer.concat(pieces)])[0]));
      }),
    );
  });

  it('takes a number as eight bytes', () => {
    for (const number of [0, 1, -1, 2 ** 40 + 7, -(2 ** 40) - 7, Number.MAX_SAFE_INTEGER, Number.MIN_SAFE_INTEGER]) {
      const bytes = Buffer.alloc(8);
      bytes.writeBigInt64BE(BigInt(number));
      const macs = manyMacs(KEY);
      macs.addNumber(number);
      macs.end();
      expect(inHex(macs.take())).toEqual(macsOf([bytes]));
    }
  });

  it('gives others under another key', () => {
    expect(macsOf([TEXT], Buffer.alloc(32, 1))).not.toEqual(macsOf([TEXT]));
  });
});
