import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { byteCounter } from '../../../src/csv/check/check-payment-file.ts';
import { chunksOf } from '../support.ts';

describe('byteCounter', () => {
  it('passes all bytes on, in pieces of at most 64 KiB, and tells their number and hash', async () => {
    const bytes = Buffer.alloc(200_000, 'abcdefg');
    const counter = byteCounter();
    const pieces: Uint8Array[] = [];
    for await (const piece of counter.pass(chunksOf(bytes, 150_000))) pieces.push(piece);
    expect(Buffer.concat(pieces).equals(bytes)).toBe(true);
    expect(Math.max(...pieces.map((piece) => piece.length))).toBe(65_536);
    expect(counter.size()).toBe(200_000);
    expect(counter.sha256()).toBe(createHash('sha256').update(bytes).digest('hex'));
  });
});
