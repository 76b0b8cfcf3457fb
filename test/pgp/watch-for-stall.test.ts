import { PassThrough, type Readable } from 'node:stream';
import { setImmediate as turn } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type NoteProgress, STALL_MS, watchForStall } from '../../src/pgp/watch-for-stall.ts';
import { inPieces } from '../support/openpgp.ts';

const never = () => new Promise<never>(() => {});
const BYTES = Buffer.from('some bytes');

async function collect(pieces: AsyncIterable<Uint8Array>): Promise<string> {
  const parts: Uint8Array[] = [];
  for await (const piece of pieces) parts.push(piece);
  return Buffer.concat(parts).toString();
}

function read<Result>(
  source: Readable,
  stallMs: number,
  work: (pieces: AsyncGenerator<Uint8Array>, note: NoteProgress) => Promise<Result>,
): Promise<Result> {
  const { pieces, note, within } = watchForStall(source, stallMs);
  return within(work(pieces, note));
}

/** Time passes only where a test says so, however busy the machine is. */
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
});
afterEach(() => {
  vi.useRealTimers();
});

/** Lets everything happen that needs no time. */
async function settle(): Promise<void> {
  for (let turns = 0; turns < 20; turns += 1) await turn();
}

async function pass(ms: number): Promise<void> {
  await settle();
  await vi.advanceTimersByTimeAsync(ms);
}

describe('watchForStall', () => {
  it('gives what came of the reading, and passes on what went wrong with it', async () => {
    expect(await read(inPieces(BYTES, 3), 1_000, collect)).toBe('some bytes');
    const trouble = new Error('no message');
    await expect(read(inPieces(BYTES), 1_000, () => Promise.reject(trouble))).rejects.toBe(trouble);
  });

  it.each([
    ['after the first piece', async (pieces: AsyncGenerator<Uint8Array>) => (await pieces.next(), never())],
    ['after the last', async (pieces: AsyncGenerator<Uint8Array>) => (await collect(pieces), never())],
  ])('fails when nothing more comes %s', async (_when, work) => {
    const failed = vi.fn();
    read(inPieces(BYTES, 3), 30, work).catch(failed);
    await pass(29);
    expect(failed).not.toHaveBeenCalled();
    await pass(1);
    await settle();
    expect(failed).toHaveBeenCalledWith(new Error('nothing came of the message within 30 ms'));
  });

  it('does not count the time of the source, also when something is made meanwhile of what it gave', async () => {
    const source = new PassThrough();
    source.write(BYTES);
    const text = read(source, 40, async (pieces, note) => {
      setTimeout(note, 20);
      return collect(pieces);
    });
    await pass(200);
    source.end();
    expect(await text).toBe('some bytes');
  });

  it('lets a reader take long that shows progress', async () => {
    const work = async (pieces: AsyncGenerator<Uint8Array>, note: NoteProgress) => {
      const text = await collect(pieces);
      for (let step = 0; step < 6; step += 1) {
        await pass(80);
        note();
      }
      return text;
    };
    expect(await read(inPieces(BYTES), 90, work)).toBe('some bytes');
    expect(STALL_MS).toBeGreaterThanOrEqual(10_000);
  });

  it('does not count the time in which nobody asks', async () => {
    const { pieces, within } = watchForStall(inPieces(BYTES, 3), 40);
    const parts: string[] = [];
    for (let next = await within(pieces.next()); !next.done; next = await within(pieces.next())) {
      parts.push(Buffer.from(next.value).toString());
      await pass(60);
    }
    expect(parts.join('')).toBe('some bytes');
  });
});
