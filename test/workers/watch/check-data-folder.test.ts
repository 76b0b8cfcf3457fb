import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { checkDataFolder, DATA_MARK } from '../../../workers/watch/check-data-folder.ts';
import { achRow, lines } from '../../support/payment-rows.ts';
import { openPipelineWorld, type PipelineWorld } from '../../support/pipeline-world.ts';

let world: PipelineWorld;
beforeEach(async () => {
  world = await openPipelineWorld({});
});
afterEach(() => world.close());

const mark = () => join(world.root, DATA_MARK);
const said: string[] = [];
const log = { error: (text: string) => said.push(text), debug: () => {} };

/** Starts with another data folder. */
const startIn = (data: string, archive = join(data, 'archive')) =>
  checkDataFolder({
    ledger: world.app.ledger,
    log: log as never,
    settings: { ...world.app.settings, paths: { ...world.app.settings.paths, data, archive } },
  });

it('notes the data folder beside paydrop.yaml, and follows one that was moved with its ledger', async () => {
  const { data } = world.app.settings.paths;
  await startIn(data);
  expect(JSON.parse(await readFile(mark(), 'utf8'))).toMatchObject({ data });
  const moved = join(world.root, 'moved');
  await startIn(moved);
  expect(JSON.parse(await readFile(mark(), 'utf8'))).toMatchObject({ data: moved });
});

it('refuses a start with another folder and another ledger, until the note is removed', async () => {
  const ledger = '00000000-0000-4000-8000-000000000000';
  await writeFile(mark(), JSON.stringify({ data: '/before', ledger }));
  await expect(startIn('/now')).rejects.toMatchObject({
    code: 'CONFIG_INVALID',
    message: expect.stringMatching(/was used with "\/before".*Move "\/before" to "\/now"/s),
  });
  await rm(mark());
  await startIn('/now');
});

it('says of an external ledger that its originals lie elsewhere', async () => {
  await world.drop('ach-charge', 'june.csv', lines([achRow(1)]));
  await world.finish();
  said.length = 0;
  await startIn(world.app.settings.paths.data, world.app.settings.paths.archive);
  expect(said).toEqual([]);
  await startIn(join(world.root, 'elsewhere'));
  expect(said).toEqual([expect.stringContaining('knows 1 file of this site whose originals lie in another one')]);
});
