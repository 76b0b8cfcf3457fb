import { describe, expect, it } from 'vitest';
import { keepCopy } from '../../../src/explain/validate/profile-faults.ts';

/** Yields each text in the same memory. */
async function* overwriting(texts: readonly string[]): AsyncGenerator<Uint8Array> {
  const memory = Buffer.alloc(8);
  for (const text of texts) yield memory.subarray(0, memory.write(text));
}

async function textOf(source: AsyncIterable<Uint8Array>): Promise<string> {
  let text = '';
  for await (const piece of source) text += Buffer.from(piece).toString();
  return text;
}

describe('keepCopy', () => {
  it('reads a file again as often as wanted, though its pieces came in the same memory', async () => {
    const { source, reopener } = keepCopy(overwriting(['abc', 'de']), 5);
    expect(await textOf(source)).toBe('abcde');
    const open = reopener()!;
    expect([await textOf(open()), await textOf(open())]).toEqual(['abcde', 'abcde']);
  });

  it('passes a larger file on without a copy', async () => {
    const { source, reopener } = keepCopy(overwriting(['abc', 'def', 'g']), 5);
    expect(await textOf(source)).toBe('abcdefg');
    expect(reopener()).toBeUndefined();
  });
});
