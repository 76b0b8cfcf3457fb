import { mkdir, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { dropSamples } from '../../../src/cli/demo/scratch-folder.ts';
import { runHere } from '../support/run-here.ts';

it('dropSamples drops valid, faulty, repeated and broken files, and says of each what it is', async () => {
  const root = await mkdtemp(join(tmpdir(), 'paydrop-samples-'));
  try {
    for (const folder of ['card', 'card-canada', 'ach-charge', 'ach-refund'])
      await mkdir(join(root, 'drop', folder), { recursive: true });
    const said = await dropSamples(root);
    const dropped = (await readdir(join(root, 'drop'), { recursive: true })).filter((name) => name.endsWith('.csv'));
    expect(new Set(said.map((line) => line.split(' ')[0]))).toEqual(new Set(dropped.map((name) => `drop/${name}`)));

    const verdict = async (name: string) =>
      runHere(['--dir', root, 'validate', join(root, 'drop/card', name), '--operation', 'card']);
    expect(await verdict('card.csv')).toMatchObject({ status: 0 });
    expect(await verdict('broken.csv')).toMatchObject({ status: 2, out: expect.stringContaining('REJECTED') });
    expect(await verdict('some-bad-rows.csv')).toMatchObject({ status: 2, out: expect.stringContaining('2 withheld') });
    const read = (name: string) => readFile(join(root, 'drop/card', name), 'utf8');
    expect(await read('same-again.csv')).toBe(await read('card.csv'));
  } finally {
    await rm(root, { recursive: true });
  }
});
