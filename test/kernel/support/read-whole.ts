import { open, writeFile } from 'node:fs/promises';
import { expect } from 'vitest';
import { PIECE_BYTES, readPieces, SMALL_BYTES } from '../../../src/kernel/file-bytes.ts';

/** Lengths, in bytes, at which a reader could go wrong. */
export const LENGTHS = [0, 1, SMALL_BYTES - 1, SMALL_BYTES, PIECE_BYTES - 1, PIECE_BYTES, 2 * PIECE_BYTES, 900_000];

/** Returns Latin text in which no piece equals the next. */
export function textOf(length: number): string {
  return 'abcdefghijklmnopqrstuvw'.repeat(Math.ceil(length / 23)).slice(0, length);
}

/** Reads a file of that many bytes under each assumed size, and checks its content. */
export async function expectReadWhole(path: string, length: number, sizes: readonly number[]): Promise<void> {
  const content = textOf(length);
  await writeFile(path, content);
  for (const size of sizes) {
    const handle = await open(path);
    let text = '';
    let longest = 0;
    for await (const piece of readPieces(handle.fd, Math.max(0, size))) {
      text += piece.toString('latin1');
      longest = Math.max(longest, piece.length);
    }
    await handle.close();
    expect(text, `taken for ${size} bytes`).toBe(content);
    expect(longest).toBeLessThanOrEqual(PIECE_BYTES);
  }
}
