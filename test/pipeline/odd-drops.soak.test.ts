import { execFileSync } from 'node:child_process';
import { link, mkdir, mkdtemp, readdir, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ERRORS, type QuarantineCode } from '../../schemas/errors.ts';
import { shortId } from '../../src/kernel/ids.ts';
import type { FileRow } from '../../src/ledger/engine/records.ts';
import { goodRows, keptLog, ledgerText, leftOver, readOriginal } from '../support/bad-input.ts';
import { CARD, codeRow, lines } from '../support/payment-rows.ts';
import { openPipelineWorld, type PipelineWorld } from '../support/pipeline-world.ts';
import { openedForTests } from '../support/opened-for-tests.ts';

/** Drops that are no plain files: quarantined as they are and never opened, while the files beside them go through. */

const SECRET_ROWS = lines([codeRow(1, { invoice: 'ODD-1' })]);
let world: PipelineWorld;
let elsewhere: string;
let server: Server;

type Odd = {
  title: string;
  code: QuarantineCode;
  /** Makes it at a path of the drop folder. */
  make: (path: string) => Promise<unknown>;
  /** Checks what must still be true of it in quarantine, or of its target. */
  keeps: (moved: string) => Promise<unknown>;
};

const ODD: readonly Odd[] = [
  {
    title: 'a folder with a file in it',
    code: 'DROP_DIRECTORY',
    make: (path) => mkdir(path).then(() => writeFile(join(path, 'inner.csv'), SECRET_ROWS)),
    keeps: async (moved) => expect(await readFile(join(moved, 'inner.csv'), 'utf8')).toBe(SECRET_ROWS),
  },
  {
    title: 'a link to a file outside',
    code: 'DROP_SYMLINK',
    make: (path) => symlink(join(elsewhere, 'linked.csv'), path),
    keeps: async () => expect(await readFile(join(elsewhere, 'linked.csv'), 'utf8')).toBe(SECRET_ROWS),
  },
  {
    title: 'a link to nothing',
    code: 'DROP_SYMLINK',
    make: (path) => symlink(join(elsewhere, 'nothing.csv'), path),
    keeps: async () => expect(await readdir(elsewhere)).not.toContain('nothing.csv'),
  },
  {
    title: 'a pipe that nobody writes into',
    code: 'DROP_SPECIAL',
    make: async (path) => execFileSync('mkfifo', [path]),
    keeps: async () => undefined,
  },
  {
    title: 'a socket',
    code: 'DROP_SPECIAL',
    make: async (path) => {
      // Made under a short path, because the path of a socket may not be long.
      const short = join(elsewhere, 's');
      await new Promise<void>((resolve) => server.listen(short, resolve));
      await rename(short, path);
    },
    keeps: async () => undefined,
  },
  {
    title: 'a file with a second name outside',
    code: 'DROP_HARD_LINK',
    make: (path) => link(join(elsewhere, 'second-name.csv'), path),
    keeps: async (moved) => expect(await readFile(moved, 'utf8')).toBe(SECRET_ROWS),
  },
  {
    title: `a folder named after a card number`,
    code: 'DROP_DIRECTORY',
    make: (path) => mkdir(path.replace('odd-', `${CARD}-odd-`)),
    keeps: async () => undefined,
  },
];

beforeAll(async () => {
  elsewhere = await mkdtemp(join(tmpdir(), 'paydrop-else-'));
  for (const name of ['linked.csv', 'second-name.csv']) await writeFile(join(elsewhere, name), SECRET_ROWS);
  server = createServer();
  world = await openPipelineWorld();
  const folder = join(world.root, 'drop', 'ach-charge');
  for (const [index, { make }] of ODD.entries()) {
    await make(join(folder, `odd-${index}.csv`));
    await world.drop('ach-charge', `good-${index}.csv`, goodRows(index));
  }
  // A control file that is a link is never followed; its payment file is held.
  await symlink(join(elsewhere, 'linked.csv'), join(folder, 'controlled.csv.ctl'));
  await world.drop('ach-charge', 'controlled.csv', goodRows(90));
  await world.finish();
});

afterAll(async () => {
  await world?.close();
  server?.close();
  await rm(elsewhere, { recursive: true, force: true });
});

/** Returns what lies in quarantine, by the name in its reason. */
async function quarantined() {
  const { quarantine } = world.settings.paths;
  const entries = (await readdir(quarantine)).map(async (id) => {
    const reason = JSON.parse(await readFile(join(quarantine, id, 'reason.json'), 'utf8')) as Record<string, string>;
    return [reason['name']!, { reason, moved: join(quarantine, id, 'drop') }] as const;
  });
  return new Map(await Promise.all(entries));
}

describe('a drop that is no plain file', () => {
  it.each(ODD.map((one, index) => ({ ...one, index })))(
    '$title is moved aside as $code, with what to do',
    async ({ index, code, keeps }) => {
      const found = [...(await quarantined())].filter(([name]) => name.endsWith(`odd-${index}.csv`));
      expect(found).toHaveLength(1);
      const { reason, moved } = found[0]![1];
      expect(reason).toMatchObject({ code, mend: ERRORS[code].remedy, from: 'drop/ach-charge' });
      expect(reason['reason']).not.toBe('');
      await keeps(moved);
    },
  );

  it('is said under its masked name', async () => {
    const text = JSON.stringify([...(await quarantined())].map(([, { reason }]) => reason));
    expect(text).toContain('************2220-odd-6.csv');
    expect(text).not.toContain(CARD);
  });

  it('never stands in the way of the files beside it, and nothing of it is sent', async () => {
    const states = await world.states();
    for (const index of ODD.keys()) expect(states[`good-${index}.csv`]).toBe('completed');
    expect(Object.keys(states).filter((name) => name.includes('odd'))).toEqual([]);
    expect(world.sandbox.books().some((row) => row.invoice === 'ODD-1')).toBe(false);
    expect(await leftOver(world)).toEqual([]);
  });

  it('holds the payment file when it stands in the place of its control file', async () => {
    expect((await world.states())['controlled.csv']).toBe('held');
    expect(Object.values(await world.outputs('held')).join()).toContain('CONTROL_FILE');
    expect(await readFile(join(elsewhere, 'linked.csv'), 'utf8')).toBe(SECRET_ROWS);
  });
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
