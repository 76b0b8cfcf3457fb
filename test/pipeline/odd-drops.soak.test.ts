import { mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { shortId } from '../../src/kernel/ids.ts';
import type { FileRow } from '../../src/ledger/engine/records.ts';
import { goodRows, keptLog, ledgerText, leftOver, readOriginal } from '../support/bad-input.ts';
import { CARD } from '../support/payment-rows.ts';
import { openPipelineWorld } from '../support/pipeline-world.ts';
import { openedForTests } from '../support/opened-for-tests.ts';

it('a control file that is a link is never followed: it holds its payment file', async () => {
  const elsewhere = await mkdtemp(join(tmpdir(), 'paydrop-else-'));
  onTestFinished(() => rm(elsewhere, { recursive: true }));
  const world = await openPipelineWorld();
  onTestFinished(() => world.close());
  await writeFile(join(elsewhere, 'linked.csv'), 'rows=3\n');
  await symlink(join(elsewhere, 'linked.csv'), join(world.root, 'drop/ach-charge/controlled.csv.ctl'));
  await world.drop('ach-charge', 'controlled.csv', goodRows(90));
  await world.finish();
  expect((await world.states())['controlled.csv']).toBe('held');
  expect(Object.values(await world.outputs('held')).join()).toContain('CONTROL_FILE');
  expect(await readFile(join(elsewhere, 'linked.csv'), 'utf8')).toBe('rows=3\n');
});

/** Names that a sender may give to a good file. All go through, because the name is for people and never a path. */
describe('an odd name', () => {
  const LONGEST_NAME_BYTES = 255;

  const NAMES: readonly { title: string; name: string | Buffer; shown: string }[] = [
    { title: 'leads upwards', name: '..\\..\\etc\\dues.csv', shown: '.._.._etc_dues.csv' },
    { title: 'has two lines', name: 'June\ndues.csv', shown: 'June_dues.csv' },
    { title: 'has an emoji', name: 'dues 🎉.csv', shown: 'dues 🎉.csv' },
    { title: 'is not UTF-8', name: Buffer.from('Jänner.csv', 'latin1'), shown: 'J\ufffdnner.csv' },
    { title: 'holds a card number', name: `card ${CARD}.csv`, shown: 'card ************2220.csv' },
    { title: 'holds a card number with dashes', name: '4222-2222-2222-2220.csv', shown: '****-****-****-2220.csv' },
    { title: 'is a formula', name: '=HYPERLINK("x").csv', shown: '=HYPERLINK("x").csv' },
    { title: 'begins with a dash', name: '-rf.csv', shown: '-rf.csv' },
    { title: 'turns its end around', name: 'dues\u202evsc.exe', shown: 'dues_vsc.exe' },
    { title: 'has quotes and commas', name: 'June, "dues".csv', shown: 'June, "dues".csv' },
    {
      title: 'is as long as a name can be',
      name: `${'j'.repeat(LONGEST_NAME_BYTES - 4)}.csv`,
      shown: `${'j'.repeat(251)}.csv`,
    },
    { title: 'is a blank', name: ' ', shown: ' ' },
    { title: 'is that of one of our own files', name: 'original', shown: 'original' },
  ];

  const { log, text: logText } = keptLog();
  const world = openedForTests(() => openPipelineWorld({ log }));
  let files: FileRow[];

  beforeAll(async () => {
    for (const [index, { name }] of NAMES.entries()) await world.drop('card', name, goodRows(index));
    await world.drop('card', 'plain.csv', goodRows(80));
    await world.finish();
    files = (await world.app.ledger.pool.query<FileRow>('SELECT * FROM file LEFT JOIN file_secret USING (file_id)'))
      .rows;
  });

  describe('a file whose name', () => {
    it.each(NAMES.map((one, index) => ({ ...one, index })))('$title goes through', async ({ shown, index }) => {
      const file = files.find((one) => one.name === shown);
      expect(files.map((one) => one.name)).toContain(shown);
      expect(file?.state).toBe('completed');
      expect((await readOriginal(world, file!)).toString()).toBe(goodRows(index));
      const outputs = (await readdir(world.settings.paths.out)).filter((name) =>
        name.includes(`__${shortId(file!.file_id)}.`),
      );
      // Acknowledgement, result and two summaries, with names that any system can hold.
      expect(outputs).toHaveLength(4);
      for (const name of outputs) expect(name).not.toMatch(/[\p{Cc}\\/<>:"|?*\u202a-\u202e]|^[.\-\s]/u);
    });
  });

  describe('all names together', () => {
    it('leave the plain file alone, and nothing behind', async () => {
      expect((await world.states())['plain.csv']).toBe('completed');
      expect(files).toHaveLength(NAMES.length + 1);
      expect(await leftOver(world)).toEqual([]);
    });

    it('carry no card number into an output, its name, the ledger or the log', async () => {
      const texts = await Promise.all(
        (['ack', 'result', 'summary-json', 'summary-txt'] as const).map((kind) => world.outputs(kind)),
      );
      const all = JSON.stringify(texts) + (await ledgerText(world)) + logText();
      expect(all).toContain('************2220');
      expect(all).not.toContain(CARD);
      expect(all).not.toContain('4222-2222-2222-2220');
    });

    it('write one log line each, whatever stands in the name', () => {
      for (const line of logText().trimEnd().split('\n')) expect(() => JSON.parse(line)).not.toThrow();
    });

    it('are shown to spreadsheets as text', async () => {
      const [ack] = Object.values(await world.outputs('ack')).filter((text) => text.includes('HYPERLINK'));
      expect(ack).toContain(`File Name,"'=HYPERLINK(""x"").csv"`);
    });
  });
});
