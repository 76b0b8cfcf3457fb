import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { keyedMessage } from '../../src/vault/keyed-message.ts';

const KEY = Buffer.alloc(32, 7);

const hexOf = (digest: string) => Buffer.from(digest, 'latin1').toString('hex');
const expected = (...parts: Buffer[]) =>
  createHash('sha256')
    .update(Buffer.concat([KEY, ...parts]))
    .digest('hex');

describe('keyedMessage', () => {
  it('hashes the key and what was added behind it, one message after the other', () => {
    const message = keyedMessage(KEY);
    const source = Buffer.from('xabcx');
    for (const _time of [1, 2]) {
      message.begin();
      message.add(source, 1, 4);
      expect(hexOf(message.digest())).toBe(expected(Buffer.from('abc')));
    }
    message.begin();
    expect(hexOf(message.digest())).toBe(expected());
  });

  it('leads a part by its length and writes a number in eight bytes', () => {
    const message = keyedMessage(KEY);
    const number = Buffer.alloc(8);
    number.writeDoubleBE(-2_500);
    message.begin();
    message.addPart(Buffer.from('ab'), 0, 2);
    message.addNumber(-2_500);
    expect(hexOf(message.digest())).toBe(expected(Buffer.from([0, 2]), Buffer.from('ab'), number));
  });

  it('takes a message of any length, and short ones after it', () => {
    const message = keyedMessage(KEY);
    const long = Buffer.alloc(50_000, 'long');
    message.begin();
    message.add(long, 0, long.length);
    message.add(long, 0, 3);
    expect(hexOf(message.digest())).toBe(expected(long, Buffer.from('lon')));
    message.begin();
    message.add(long, 0, 4);
    expect(hexOf(message.digest())).toBe(expected(Buffer.from('long')));
  });
});
