import { createHash } from 'node:crypto';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openOriginal } from '../../workers/open-original.ts';
import { fileNamed, goodRows, leftOver, readNotice, sayingOf } from '../support/bad-input.ts';
import { openPipelineWorld, type PipelineWorld } from '../support/pipeline-world.ts';

/** 200 MB without a single line end, as an export that has lost them, or somebody's film. */

const MEBIBYTE = 1_048_576;
const FILE_MIB = 200;
/** Reading the line whole would take its size at least. */
const MOST_GROWTH_MIB = 150;

let world: PipelineWorld;
let droppedSha256: string;
let growthMib: number;

beforeAll(async () => {
  world = await openPipelineWorld();
  droppedSha256 = await writeEndlessLine(join(world.root, 'drop/ach-charge/endless.csv'));
  await world.drop('ach-charge', 'beside.csv', goodRows(1));
  const before = process.memoryUsage.rss();
  let highest = before;
  const sampler = setInterval(() => {
    highest = Math.max(highest, process.memoryUsage.rss());
  }, 5);
  await world.finish(100_000);
  clearInterval(sampler);
  growthMib = (highest - before) / MEBIBYTE;
}, 150_000);

afterAll(() => world?.close());

/** @returns the SHA-256 of what was written, a piece at a time so that the test itself takes no memory */
async function writeEndlessLine(path: string): Promise<string> {
  const piece = Buffer.from('K-1,A10000001,25.00,June dues,'.repeat(40_000)).subarray(0, MEBIBYTE);
  const hash = createHash('sha256');
  const handle = await open(path, 'wx');
  for (let written = 0; written < FILE_MIB; written += 1) {
    hash.update(piece);
    await handle.writeFile(piece);
  }
  await handle.close();
  return hash.digest('hex');
}

describe('a file of one endless line', () => {
  it('is refused with what to do, and costs no memory', async () => {
    const file = await fileNamed(world, 'endless.csv');
    expect(file).toMatchObject({
      state: 'rejected',
      reason_code: 'LINE_TOO_LONG',
      bytes: FILE_MIB * MEBIBYTE,
      records: 1,
    });
    const { faults } = await readNotice(world, file, 'nak');
    expect(faults).toContainEqual(expect.objectContaining({ line: '1', ...sayingOf('LINE_TOO_LONG') }));
    expect(growthMib).toBeLessThan(MOST_GROWTH_MIB);
  });

  it('is kept as it came', async () => {
    const hash = createHash('sha256');
    for await (const chunk of openOriginal(world.app, await fileNamed(world, 'endless.csv')))
      hash.update(chunk as Buffer);
    expect(hash.digest('hex')).toBe(droppedSha256);
    expect(await leftOver(world)).toEqual([]);
  });

  it('does not hold up the file beside it', async () => {
    expect((await fileNamed(world, 'beside.csv')).state).toBe('completed');
    expect(world.sandbox.books()).toHaveLength(3);
  });
});
