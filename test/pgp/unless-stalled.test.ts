import { PassThrough } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { STALL_MS, unlessStalled } from '../../src/pgp/unless-stalled.ts';
import { inPieces } from '../support/openpgp.ts';

const never = () => new Promise<never>(() => {});
const BYTES = Buffer.from('some bytes');

async function collect(pieces: AsyncIterable<Uint8Array>): Promise<string> {
  const parts: Uint8Array[] = [];
  for await (const piece of pieces) parts.push(piece);
  return Buffer.concat(parts).toString();
}

describe('unlessStalled', () => {
  it('gives what came of the reading, and passes on what went wrong with it', async () => {
    expect(await unlessStalled(inPieces(BYTES, 3), 1_000, collect)).toBe('some bytes');
    const trouble = new Error('no message');
    await expect(unlessStalled(inPieces(BYTES), 1_000, () => Promise.reject(trouble))).rejects.toBe(trouble);
  });

  it.each([
    ['after the first piece', async (pieces: AsyncGenerator<Uint8Array>) => (await pieces.next(), never())],
    ['after the last', async (pieces: AsyncGenerator<Uint8Array>) => (await collect(pieces), never())],
  ])('fails when nothing more comes %s', async (_when, read) => {
    await expect(unlessStalled(inPieces(BYTES, 3), 30, read)).rejects.toThrow(
      'nothing came of the message within 30 ms',
    );
  });

  it('does not count the time of the source, also when something is made meanwhile of what it gave', async () => {
    const source = new PassThrough();
    source.write(BYTES);
    setTimeout(() => source.end(), 200);
    const text = await unlessStalled(source, 40, async (pieces, note) => {
      setTimeout(note, 20);
      return collect(pieces);
    });
    expect(text).toBe('some bytes');
  });

  it('lets a reader take long that shows progress', async () => {
    const read = async (pieces: AsyncGenerator<Uint8Array>, note: () => void) => {
      const text = await collect(pieces);
      for (let step = 0; step < 6; step += 1) {
        await sleep(20);
        note();
      }
      return text;
    };
    expect(await unlessStalled(inPieces(BYTES), 90, read)).toBe('some bytes');
    expect(STALL_MS).toBeGreaterThanOrEqual(10_000);
  });
});
