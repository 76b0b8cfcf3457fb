import { describe, expect, it } from 'vitest';
import { createAnswerBuffer } from '../../../src/gateway/transport/answer-buffer.ts';

describe('createAnswerBuffer', () => {
  it.each([0, 1, 16_383, 16_384, 16_385, 100_000])('gives back %i bytes as they came', (size) => {
    const sent = Buffer.from(Array.from({ length: size }, (_, index) => index % 251));
    const buffer = createAnswerBuffer(100_000);
    for (let at = 0; at < size; at += 7001) expect(buffer.add(sent.subarray(at, at + 7001))).toBe(true);
    expect(buffer.bytes().equals(sent)).toBe(true);
  });

  it('takes as much as the limit and nothing after what is more', () => {
    const buffer = createAnswerBuffer(4);
    expect(buffer.add(Buffer.from('abcd'))).toBe(true);
    expect(buffer.add(Buffer.from('e'))).toBe(false);
    const other = createAnswerBuffer(4);
    expect(['abc', 'de', 'f'].map((text) => other.add(Buffer.from(text)))).toEqual([true, false, false]);
    expect([buffer.bytes().toString(), other.bytes().toString()]).toEqual(['abcd', 'abc']);
  });

  it('keeps the begin of what is too large', () => {
    const buffer = createAnswerBuffer(200_000);
    buffer.add(Buffer.alloc(200_000, 'x'));
    expect(buffer.add(Buffer.from('y'))).toBe(false);
    expect(buffer.bytes().toString()).toBe('x'.repeat(64 * 1024));
  });

  it('keeps nothing of the chunks themselves', () => {
    const buffer = createAnswerBuffer(10);
    const chunk = Buffer.from('ab');
    buffer.add(chunk);
    chunk.fill('x');
    expect(buffer.bytes().toString()).toBe('ab');
  });
});
