import { describe, expect, it } from 'vitest';
import { createAnswerBuffer } from '../../../src/gateway/transport/post.ts';

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

  it.each([0, 3, 10, 11, 1e9, -1, Number.NaN])('gives back what came, where %d bytes were announced', (announced) => {
    const buffer = createAnswerBuffer(10);
    buffer.expect(announced);
    expect(buffer.bytes()).toHaveLength(0);
    expect(['abcd', 'efgh'].map((text) => buffer.add(Buffer.from(text)))).toEqual([true, true]);
    expect(buffer.bytes().toString()).toBe('abcdefgh');
    expect(buffer.add(Buffer.from('ijk'))).toBe(false);
  });

  it('takes an answer of the announced length in one piece of memory', () => {
    const buffer = createAnswerBuffer(1_000_000);
    buffer.expect(500_000);
    for (let at = 0; at < 5; at += 1) buffer.add(Buffer.alloc(100_000, at));
    expect(buffer.bytes().buffer.byteLength).toBe(500_000);
  });

  it('keeps nothing of the chunks themselves', () => {
    const buffer = createAnswerBuffer(10);
    const chunk = Buffer.from('ab');
    buffer.add(chunk);
    chunk.fill('x');
    expect(buffer.bytes().toString()).toBe('ab');
  });
});
