import { describe, expect, it } from 'vitest';
import { behindLineEnd, BLOCK_BYTES, findLineEnd, readBlocks } from '../../../src/csv/read/read-blocks.ts';
import { chunksOf } from '../support.ts';

async function read(text: string, size?: number): Promise<string[]> {
  const blocks: string[] = [];
  let isOver = false;
  for await (const { bytes, isLast } of readBlocks(chunksOf(text, size))) {
    expect(isOver).toBe(false);
    isOver = isLast;
    blocks.push(bytes.toString('latin1'));
  }
  expect(isOver).toBe(true);
  return blocks;
}

const LINE = `${'x'.repeat(99)}\n`;

describe('readBlocks', () => {
  it('gives a short file whole, and an empty one too', async () => {
    expect(await read('a\nb')).toEqual(['a\nb']);
    expect(await read('')).toEqual(['']);
  });

  it.each(['\n', '\r\n', '\r'])('cuts a long file behind ends of lines %j, and loses nothing', async (end) => {
    const text = LINE.replace('\n', end).repeat(4_000);
    const blocks = await read(text);
    expect(blocks.length).toBeGreaterThan(2);
    expect(blocks.join('')).toBe(text);
    for (const block of blocks) expect(block.endsWith(end)).toBe(true);
  });

  it('cuts at the same places in whatever pieces the bytes come', async () => {
    const text = Array.from({ length: 9_000 }, (_, index) => `${index},${'y'.repeat(index % 97)}`).join('\r\n');
    const blocks = await read(text);
    for (const size of [7, 1_000, 131_072, 1_000_000]) expect(await read(text, size)).toEqual(blocks);
  });

  it.each([131_070, 131_071, 131_072])('never parts a CR from its LF (%i bytes before them)', async (count) => {
    const text = `${'x'.repeat(count)}\r\nlast\r\n`;
    const blocks = await read(text, 65_536);
    expect(blocks.filter((block) => block.startsWith('\n'))).toEqual([]);
    expect(blocks.join('').replace(/x+/, '')).toBe('\r\nlast\r\n');
  });

  it('keeps the beginning of an endless line, its end, and the lines behind it', async () => {
    const blocks = await read(`a\n${'x'.repeat(700_000)}\nb\n${'y'.repeat(300_000)}\r\n`, 65_536);
    const lines = blocks.join('').split('\n');
    expect(lines.map((line) => line.replace(/(.)\1+/, '$1*'))).toEqual(['a', 'x*', 'b', 'y*\r', '']);
    for (const long of [lines[1]!, lines[3]!]) expect(long.length).toBeGreaterThan(3 * 16_384);
  });
});

describe('behindLineEnd', () => {
  it.each([
    ['a\nb', 2],
    ['a\r\nb', 3],
    ['a\rb', 2],
    ['a\r', 2],
    ['a\n\nb', 2],
  ])('in %j is at %i', (text, behind) => {
    expect(behindLineEnd(Buffer.from(text), 1)).toBe(behind);
  });
});

describe('findLineEnd', () => {
  it.each([
    ['ab\ncd', 0, 2],
    ['ab\rcd', 0, 2],
    ['ab\ncd', 3, 5],
    ['', 0, 0],
  ])('in %j from %i is at %i', (text, from, end) => {
    expect(findLineEnd(Buffer.from(text), from)).toBe(end);
  });
});
