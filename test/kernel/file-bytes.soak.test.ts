import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, it } from 'vitest';
import { expectReadWhole, LENGTHS } from './support/read-whole.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'paydrop-'));
});
afterAll(() => rm(folder, { recursive: true }));

/** Up to 900,000 pieces of one byte. */
it.each(LENGTHS)(
  'readPieces reads a file of %i bytes that was taken for nearly none',
  { timeout: 120_000 },
  async (length) => {
    await expectReadWhole(join(folder, 'file'), length, [length, length - 1, 0, 50, 10 * length]);
  },
);
