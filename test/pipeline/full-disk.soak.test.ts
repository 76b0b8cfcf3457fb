import { readdir, rename, rm, writeFile } from 'node:fs/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { compareBooks } from '../../src/cli/demo/compare-books.ts';
import { goodRows, keptLog } from '../support/bad-input.ts';
import { codeRow, lines, upTo } from '../support/payment-rows.ts';
import { openPipelineWorld, type PipelineWorld } from '../support/pipeline-world.ts';
import { findMountRefusal, mountSmallDisk } from '../support/small-disk.ts';

/** Outputs cannot be written: payments are made once, and outputs follow by themselves when they can be written. */

const LARGE_ROWS = 600;
const PATIENCE = { timeout: 120_000, interval: 20 };

let undo: (() => unknown)[] = [];
afterEach(async () => {
  for (const step of undo.toReversed()) await step();
  undo = [];
});

async function open(): Promise<{ world: PipelineWorld; logText: () => string }> {
  const { log, text: logText } = keptLog();
  const world = await openPipelineWorld({ log });
  undo.push(world.close);
  return { world, logText };
}

async function start(world: PipelineWorld): Promise<void> {
  const workers = await world.start();
  undo.push(workers.stop);
}

/** Checks that each file has all four outputs and nothing else, and that three accounts of what happened agree. */
async function expectAllDone(world: PipelineWorld, files: number, rows: number): Promise<void> {
  const names = await readdir(world.settings.paths.out);
  for (const kind of ['ack', 'result', 'summary-json', 'summary-txt'] as const) {
    expect(Object.keys(await world.outputs(kind))).toHaveLength(files);
  }
  expect(names).toHaveLength(4 * files);
  expect(world.sandbox.books()).toHaveLength(rows);
  expect(await compareBooks(world.app, world.sandbox.books())).toEqual([]);
}

describe('a disk that is full while outputs are written', () => {
  const refusal = findMountRefusal();
  if (refusal !== undefined) {
    it(`WAS NOT TRIED with a real one, because none can be mounted here: ${refusal}`, () => {
      expect(refusal).toMatch(/permission|superuser|not permitted|denied|must be root/i);
    });
    return;
  }

  it('holds back the output that does not fit, and no other; with room made, work goes on by itself', async () => {
    const { world, logText } = await open();
    // Room for notices and small results, but not for the result of the large file.
    const disk = mountSmallDisk(world.settings.paths.out, 48);
    undo.push(disk.remove);
    await start(world);
    await world.drop('card', 'large.csv', lines(upTo(LARGE_ROWS).map((n) => codeRow(n))));
    await world.drop('card', 'beside.csv', goodRows(1));
    await expect.poll(logText, PATIENCE).toContain('DISK_FULL');
    await expect
      .poll(() => world.states(), PATIENCE)
      .toEqual({ 'large.csv': 'in_progress', 'beside.csv': 'completed' });
    expect(logText()).toContain('Make room; work goes on by itself.');
    expect(Object.keys(await world.outputs('result'))).toHaveLength(1);
    expect(world.sandbox.books()).toHaveLength(LARGE_ROWS + 3);

    disk.resize(4_096);
    await expect.poll(() => world.states(), PATIENCE).toMatchObject({ 'large.csv': 'completed' });
    await expectAllDone(world, 2, LARGE_ROWS + 3);
  });
});

describe('an output folder that is gone, a file in its place', () => {
  it('stops the outputs and no payment; put back, work goes on by itself', async () => {
    const { world, logText } = await open();
    const { out } = world.settings.paths;
    await start(world);
    await rename(out, `${out}-away`);
    await writeFile(out, 'not a folder');
    await world.drop('card', 'monday.csv', goodRows(1));
    await expect.poll(() => world.sandbox.books().length, PATIENCE).toBe(3);
    await expect.poll(() => world.states(), PATIENCE).toEqual({ 'monday.csv': 'in_progress' });
    await expect.poll(logText, PATIENCE).toContain('FOLDER_MISSING');
    expect(logText()).toContain('Move the file away');

    await rm(out);
    await expect.poll(() => world.states(), PATIENCE).toEqual({ 'monday.csv': 'completed' });
    await expectAllDone(world, 1, 3);
  });
});
