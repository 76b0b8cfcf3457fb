import { describe, expect, it } from 'vitest';
import { ITEMS_AHEAD, lentMemory } from '../../src/thread/lent-memory.ts';
import { PipelineError } from '../../src/kernel/errors.ts';
import { packFailure, unpackFailure } from '../../src/thread/thread-messages.ts';

it('lentMemory gives memory that threads share, and none again before as many others as may be under way', () => {
  const lend = lentMemory();
  const sizes = [1_000, 1_100, 900, 1_000, 5_000, 1, 6_000];
  const pieces = sizes.map((size) => lend(size));
  expect(pieces.map((piece) => piece.length)).toEqual(sizes);
  for (const [index, { buffer }] of pieces.entries()) {
    expect(buffer).toBeInstanceOf(SharedArrayBuffer);
    for (const other of pieces.slice(index + 1, index + ITEMS_AHEAD)) expect(other.buffer).not.toBe(buffer);
  }
  // The third fits into the first, and the fifth into neither.
  expect(pieces[2]!.buffer).toBe(pieces[0]!.buffer);
  expect(pieces[4]!.buffer).not.toBe(pieces[2]!.buffer);
});

const carry = (error: unknown) => unpackFailure(structuredClone(packFailure(error)));

describe('packFailure and unpackFailure', () => {
  it('carry an error of ours with its code and its words, and nothing that it was caused by', () => {
    const error = new PipelineError('SEAL_BROKEN', 'open "body:1"', 'why', { cause: new Error('4222222222222220') });
    const carried = carry(error);
    expect(carried).toBeInstanceOf(PipelineError);
    expect(carried).toMatchObject({ code: 'SEAL_BROKEN', message: error.message, stack: error.stack });
    expect(carried.cause).toBeUndefined();
  });

  it('carry another error as it reads, and what is no error as a text', () => {
    expect(carry(new TypeError('it broke')).message).toBe('it broke');
    expect(carry('it broke').message).toBe('it broke');
    expect(carry(new TypeError('it broke'))).not.toBeInstanceOf(PipelineError);
  });
});
