import { describe, expect, it } from 'vitest';
import { COMMA } from '../../../src/kernel/byte-names.ts';
import { makeRoom, newLineBuffer, putBytes, putNumber, putText } from '../../../src/csv/read/line-buffer.ts';

describe('a line buffer', () => {
  it('holds what was put into it, however much that is', () => {
    const into = newLineBuffer();
    const parts = Array.from({ length: 5_000 }, (_, index) => `${index};März 😀 ${'x'.repeat(index % 70)}\r\n`);
    for (const part of parts) putText(into, part);
    const bytes = Buffer.from('..between..');
    putBytes(into, bytes, 2, 9);
    expect(into.bytes.toString('utf8', 0, into.length)).toBe(`${parts.join('')}between`);
  });

  it('writes whole numbers as digits', () => {
    const into = newLineBuffer();
    const numbers = [0, 1, 9, 10, 99, 100, 1_000_000, 2_147_483_647, Number.MAX_SAFE_INTEGER];
    for (const number of numbers) putNumber(into, number, COMMA);
    expect(into.bytes.toString('utf8', 0, into.length)).toBe(`${numbers.join(',')},`);
  });

  it('makes room for more than twice what it has, and keeps what it holds', () => {
    const into = newLineBuffer();
    putText(into, 'first');
    expect(makeRoom(into, 1_000_000).length).toBeGreaterThanOrEqual(1_000_005);
    putText(into, ' second');
    expect(into.bytes.toString('utf8', 0, into.length)).toBe('first second');
  });

  it('is used again from its beginning', () => {
    const into = newLineBuffer();
    putText(into, 'first');
    into.length = 0;
    putText(into, '2nd');
    expect(into.bytes.toString('utf8', 0, into.length)).toBe('2nd');
  });
});
