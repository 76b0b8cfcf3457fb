import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { open } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { openOriginal } from '../../workers/open-original.ts';
import { fileNamed, goodRows, leftOver, readNotice, sayingOf } from '../support/bad-input.ts';
import { openPipelineWorld, type PipelineWorld } from '../support/pipeline-world.ts';
import { makeInstallation } from '../support/installation.ts';
import { runInSmallHeap } from './large-file.soak.test.ts';

/** Many bytes without a single line end, such as an export that lost them, or a film. */

const FILE_MIB = 8;

let world: PipelineWorld;
let droppedSha256: string;

beforeAll(async () => {
  world = await openPipelineWorld();
  droppedSha256 = await writeEndlessLine(join(world.root, 'drop/ach-charge/endless.csv'), FILE_MIB);
  await world.drop('ach-charge', 'beside.csv', goodRows(1));
  await world.finish();
});

afterAll(() => world?.close());

describe('a file of one endless line', () => {
  it('is refused with what to do', async () => {
    const file = await fileNamed(world, 'endless.csv');
    expect(file).toMatchObject({
      state: 'rejected',
      reason_code: 'LINE_TOO_LONG',
      bytes: FILE_MIB * MEBIBYTE,
      records: 1,
    });
    const { faults } = await readNotice(world, file, 'nak');
    expect(faults).toContainEqual(expect.objectContaining({ line: '1', ...sayingOf('LINE_TOO_LONG') }));
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

it('a file of one endless line of 200 MB is refused in a heap that cannot hold it', async () => {
  const installation = await makeInstallation({ accounts: ['main'], serviceUrl: 'http://127.0.0.1:9' });
  onTestFinished(() => installation.remove());
  await writeEndlessLine(join(installation.root, 'drop/main/card/endless.csv'), 200);
  const { status, stdout, stderr } = await runInSmallHeap('measured-intake.ts', installation.root);
  expect(status, stderr).toBe(0);
  const { files, peakMb } = JSON.parse(stdout) as { files: unknown[]; peakMb: number };
  expect(files).toMatchObject([{ state: 'rejected', records: 1, validRows: 0, batched: null }]);
  process.stdout.write(`intake of an endless line: peak ${Math.round(peakMb)} MB\n`);
}, 300_000);

const MEBIBYTE = 1_048_576;

/** Writes the line in pieces, so that the test itself takes no memory. Returns the SHA-256 of what it wrote. */
async function writeEndlessLine(path: string, mebibytes: number): Promise<string> {
  const piece = Buffer.from('K-1,A10000001,25.00,June dues,'.repeat(40_000)).subarray(0, MEBIBYTE);
  const hash = createHash('sha256');
  const handle = await open(path, 'wx');
  for (let written = 0; written < mebibytes; written += 1) {
    hash.update(piece);
    await handle.writeFile(piece);
  }
  await handle.close();
  return hash.digest('hex');
}
