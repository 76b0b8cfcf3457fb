import { mkdtemp, open, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readPieces, readPiecesNow, SMALL_BYTES } from '../../src/kernel/read-pieces.ts';
import { expectReadWhole, LENGTHS, textOf } from './support/read-whole.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'paydrop-'));
});
afterAll(() => rm(folder, { recursive: true }));

describe('readPieces', () => {
  it.each(LENGTHS)('reads a file of %i bytes, whatever it was taken for', async (length) => {
    // With the smallest pieces each byte is a call, so read-pieces.soak.test.ts covers large files.
    const tooSmall = length < 1_000 ? [0, 50] : [1_000, SMALL_BYTES - 1];
    await expectReadWhole(join(folder, 'file'), length, [length, length - 1, ...tooSmall, 10 * length]);
  });

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
      const content = textOf(length);
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
