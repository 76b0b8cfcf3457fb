import fs from 'node:fs';
import { mkdtemp, open, readFile, rm } from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SMALL_BYTES } from '../../src/kernel/read-pieces.ts';
import { writeWhole } from '../../src/kernel/write-whole.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'paydrop-'));
});
afterAll(() => rm(folder, { recursive: true }));

const SIZES = [0, 1, SMALL_BYTES, SMALL_BYTES + 1, 1_000_000];

async function writeAll(pieces: readonly Buffer[]): Promise<Buffer> {
  const path = join(folder, 'file');
  const handle = await open(path, 'w');
  for (const piece of pieces) await writeWhole(handle.fd, piece);
  await handle.close();
  return readFile(path);
}

describe('writeWhole', () => {
  it('writes pieces of any size one behind the other', async () => {
    const pieces = SIZES.map((size, index) => Buffer.alloc(size, 97 + index));
    expect((await writeAll(pieces)).equals(Buffer.concat(pieces))).toBe(true);
  });

  it('writes on where the disk has taken a part', async () => {
    const { writeSync } = fs;
    const byFive = (fd: number, bytes: Uint8Array, from: number) =>
      writeSync(fd, bytes, from, Math.min(5, bytes.length - from));
    try {
      Object.assign(fs, { writeSync: byFive });
      syncBuiltinESMExports();
      expect((await writeAll([Buffer.from('one, two, three')])).toString()).toBe('one, two, three');
    } finally {
      Object.assign(fs, { writeSync });
      syncBuiltinESMExports();
    }
  });

  it('fails when it is not open for writing', async () => {
    const handle = await open(folder, 'r');
    for (const size of [1, 100_000])
      await expect(writeWhole(handle.fd, Buffer.alloc(size))).rejects.toMatchObject({ code: 'EBADF' });
    await handle.close();
  });
});
