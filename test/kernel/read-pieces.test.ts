import { mkdtemp, open, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PIECE_BYTES, readPieces, readPiecesNow, SMALL_BYTES } from '../../src/kernel/read-pieces.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'paydrop-'));
});
afterAll(() => rm(folder, { recursive: true }));

async function readBack(content: string, size: number): Promise<{ text: string; longest: number }> {
  const path = join(folder, 'file');
  await writeFile(path, content);
  const handle = await open(path);
  let text = '';
  let longest = 0;
  for await (const piece of readPieces(handle.fd, size)) {
    text += piece.toString('latin1');
    longest = Math.max(longest, piece.length);
  }
  await handle.close();
  return { text, longest };
}

describe('readPieces', () => {
  it.each([0, 1, SMALL_BYTES - 1, SMALL_BYTES, PIECE_BYTES - 1, PIECE_BYTES, 2 * PIECE_BYTES, 900_000])(
    'reads a file of %i bytes, whatever it was taken for',
    async (length) => {
      const content = Array.from({ length }, (_, place) => String.fromCharCode(97 + (place % 23))).join('');
      for (const size of [length, length - 1, 0, 50, 10 * length]) {
        const { text, longest } = await readBack(content, Math.max(0, size));
        expect(text).toBe(content);
        expect(longest).toBeLessThanOrEqual(PIECE_BYTES);
      }
    },
  );

  it('begins at the first byte, wherever the file was read before', async () => {
    const path = join(folder, 'read');
    await writeFile(path, 'abc');
    const handle = await open(path);
    await handle.read(Buffer.alloc(2), 0, 2);
    for await (const piece of readPieces(handle.fd, 3)) expect(piece.toString()).toBe('abc');
    await handle.close();
  });
});

describe('readPiecesNow', () => {
  it.each([0, 1, SMALL_BYTES - 1, SMALL_BYTES, SMALL_BYTES + 1, 20 * SMALL_BYTES])(
    'reads a file of %i bytes',
    async (length) => {
      const content = Array.from({ length }, (_, place) => String.fromCharCode(97 + (place % 23))).join('');
      const path = join(folder, 'now');
      await writeFile(path, content);
      const handle = await open(path);
      let text = '';
      for await (const piece of readPiecesNow(handle.fd)) text += piece.toString('latin1');
      await handle.close();
      expect(text).toBe(content);
    },
  );

  it('lets others of the process have their turn', async () => {
    const path = join(folder, 'long');
    await writeFile(path, Buffer.alloc(100 * SMALL_BYTES));
    const handle = await open(path);
    let turns = 0;
    const count = () => {
      turns += 1;
      timer = setImmediate(count);
    };
    let timer = setImmediate(count);
    for await (const piece of readPiecesNow(handle.fd)) expect(piece.length).toBe(SMALL_BYTES);
    clearImmediate(timer);
    await handle.close();
    expect(turns).toBeGreaterThan(3);
  });
});
