import { mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { compareBooks } from '../../../src/cli/demo/compare-books.ts';
import { cardRow, lines, MAGIC_CARD } from '../../support/payment-rows.ts';
import { type CliWorld, openCliWorld } from '../support/cli-world.ts';
import {
  concludeDemo,
  dropSamples,
  linesToTry,
  makeScratchFolder,
  showResults,
  writeDemoConfig,
} from '../../../src/cli/demo/demo.ts';
import { freshFolder } from '../../files/support/fresh-folder.ts';
import { runHere } from '../support/run-here.ts';
import { loadSettings } from '../../../src/config/config.ts';
import { loadMasterKey } from '../../support/openpgp.ts';
import { openPipelineWorld } from '../../support/pipeline-world.ts';
import { openedForTests } from '../../support/opened-for-tests.ts';

type Book = ReturnType<CliWorld['sandbox']['books']>[number];

/** C-1 in the two places that were not tampered with. */
const TRUE_ROW = 'TEST88 processcreditcardbatch C-1 25.00 approved';

describe('compareBooks', () => {
  const world = openedForTests(() => openCliWorld({ folder: { badRows: { maxPercent: 50 } } }));
  beforeAll(async () => {
    const declined = cardRow(2, { card: MAGIC_CARD, amount: '2.00' });
    await world.drop('card', 'monday.csv', lines([cardRow(1), declined, cardRow(3, { amount: 'ten' }), cardRow(4)]));
    await world.finish();
  });

  function compareWith(change: (books: readonly Book[]) => readonly Book[]): Promise<string[]> {
    return compareBooks(world.app, change(world.sandbox.books()));
  }

  /** Compares while the ledger holds something else, then rolls everything back. */
  async function whileTampered(statement: string): Promise<string[]> {
    const client = await world.app.ledger.pool.connect();
    try {
      await client.query('BEGIN');
      await client.query('SET LOCAL session_replication_role = replica');
      await client.query(statement);
      const ledger = { ...world.app.ledger, pool: client as unknown as typeof world.app.ledger.pool };
      return await compareBooks({ ...world.app, ledger }, world.sandbox.books());
    } finally {
      await client.query('ROLLBACK');
      client.release();
    }
  }

  /** Compares while the result file on disk holds something else. */
  async function whileRewritten(alter: (text: string) => string): Promise<string[]> {
    const { out } = world.settings.paths;
    const name = (await readdir(out)).find((entry) => entry.endsWith('.result.csv'));
    const path = join(out, name ?? '');
    const text = await readFile(path, 'utf8');
    expect(alter(text)).not.toBe(text);
    try {
      await writeFile(path, alter(text));
      return await compareBooks(world.app, world.sandbox.books());
    } finally {
      await writeFile(path, text);
    }
  }

  it('finds no difference after a good run; an invalid row stands in no book', async () => {
    expect(await compareWith((books) => books)).toEqual([]);
  });

  it.each([
    ['another amount', (book: Book) => ({ ...book, amountCents: 2_501 }), 'C-1 25.01 approved'],
    ['another outcome', (book: Book) => ({ ...book, outcome: 'declined' as const }), 'C-1 25.00 declined'],
    ['another account', (book: Book) => ({ ...book, account: 'OTHER' }), 'OTHER processcreditcardbatch C-1'],
  ])('names %s in the books of the service, beside both others', async (_what, alter, words) => {
    const differences = await compareWith((books) =>
      books.map((book) => (book.invoice === 'C-1' ? alter(book) : book)),
    );
    expect(differences).toHaveLength(4);
    expect(differences).toContain(`${TRUE_ROW}: 1 in the ledger, 0 in the books of the service`);
    expect(differences).toContain(`${TRUE_ROW}: 1 in the output files, 0 in the books of the service`);
    expect(differences.filter((text) => text.includes(words) && text.includes(': 0 in '))).toHaveLength(2);
  });

  it('names a payment that the service took twice, or never', async () => {
    expect(await compareWith((books) => [...books, books[0]!])).toEqual([
      `${TRUE_ROW}: 1 in the ledger, 2 in the books of the service`,
      `${TRUE_ROW}: 1 in the output files, 2 in the books of the service`,
    ]);
    expect(await compareWith((books) => books.slice(1))).toEqual([
      `${TRUE_ROW}: 1 in the ledger, 0 in the books of the service`,
      `${TRUE_ROW}: 1 in the output files, 0 in the books of the service`,
    ]);
  });

  it.each([
    ['another outcome', `UPDATE row_outcome SET outcome = 'declined' WHERE line = 1`, 'C-1 25.00 declined'],
    ['another amount', 'UPDATE payment_row SET amount_cents = 2501 WHERE line = 1', 'C-1 25.01 approved'],
  ])('names %s in the ledger', async (_what, statement, words) => {
    expect(await whileTampered(statement)).toEqual([
      `TEST88 processcreditcardbatch ${words}: 1 in the ledger, 0 in the books of the service`,
      `${TRUE_ROW}: 0 in the ledger, 1 in the books of the service`,
    ]);
  });

  it('names a row that the ledger lost', async () => {
    expect(await whileTampered('DELETE FROM row_outcome WHERE line = 1')).toEqual([
      `${TRUE_ROW}: 0 in the ledger, 1 in the books of the service`,
    ]);
  });

  it.each([
    ['another amount', (text: string) => text.replace('25.00', '25.01'), 'C-1 25.01 approved'],
    ['another outcome', (text: string) => text.replace('APPROVED', 'DECLINED'), 'C-1 25.00 declined'],
    ['an amount that is none', (text: string) => text.replace('25.00', 'many'), 'C-1 many approved'],
  ])('names %s in an output file', async (_what, alter, words) => {
    expect(await whileRewritten(alter)).toEqual([
      `TEST88 processcreditcardbatch ${words}: 1 in the output files, 0 in the books of the service`,
      `${TRUE_ROW}: 0 in the output files, 1 in the books of the service`,
    ]);
  });

  it('names a row that an output file lost', async () => {
    expect(await whileRewritten((text) => text.replace(/^1,.*\r\n/m, ''))).toEqual([
      `${TRUE_ROW}: 0 in the output files, 1 in the books of the service`,
    ]);
  });
});

it('dropSamples drops valid, faulty, repeated and broken files, and says of each what it is', async () => {
  const root = await freshFolder();
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
});

async function modeOf(path: string): Promise<string> {
  return ((await stat(path)).mode & 0o777).toString(8);
}

it('makeScratchFolder makes a new folder that others may pass through and not list', async () => {
  const made = await makeScratchFolder();
  expect(basename(made)).toMatch(/^paydrop-demo-/);
  expect(await modeOf(made)).toBe('711');
  await rm(made, { recursive: true });
});

it('writeDemoConfig writes the sample configuration for this sandbox, with short waits in every account and folder', async () => {
  const root = await freshFolder();
  await writeDemoConfig(root, 'http://127.0.0.1:4321');
  const { accounts, folders, paths } = loadSettings(root, {});
  expect([...accounts.keys()]).toEqual(['main', 'canada']);
  for (const account of accounts.values()) {
    expect(account).toMatchObject({ baseUrl: 'http://127.0.0.1:4321', poll: { firstMs: 500 } });
  }
  for (const folder of folders) {
    expect(folder.complete).toMatchObject({ by: 'quiet', quietMs: 600 });
    expect((await stat(folder.path)).isDirectory()).toBe(true);
  }
  expect(await modeOf(join(root, 'paydrop.yaml'))).toBe('600');
  expect(await modeOf(paths.data)).toBe('700');
  expect(loadMasterKey({ file: paths.masterKey, env: {} }).bytes).toHaveLength(32);
});

describe('show results', () => {
  const world = openedForTests(openPipelineWorld);
  beforeAll(async () => {
    await world.drop('card', 'empty.csv', '');
    await world.drop('card', 'monday.csv', lines([cardRow(1)]));
    await world.finish();
  });

  it('showResults has the table of files, and the output files of one that was sent', async () => {
    const text = await showResults(world.app);
    expect(text).toMatch(/^File +Account/);
    expect(text).toMatch(/^empty\.csv .*rejected .*nothing sent: .*/m);
    expect(text).toMatch(/^monday\.csv .*completed .*1 approved/m);
    expect(text).toContain(`5 output files are in ${world.settings.paths.out}. Those of monday.csv:`);
    expect(text.match(/^ {2}.*monday__.*\.(ack|result|summary)\.(csv|json|txt)$/gm)).toHaveLength(4);
  });

  describe('concludeDemo', () => {
    it('says that all agree, with status 0', () => {
      expect(concludeDemo([])).toEqual({
        text: expect.stringMatching(/match, row by row and to the cent\.$/),
        status: 0,
      });
    });

    it('names every difference, with status 5', () => {
      expect(concludeDemo(['C-1: 1 here', 'C-2: 0 there'])).toEqual({
        text: 'The three do NOT match:\nC-1: 1 here\nC-2: 0 there',
        status: 5,
      });
    });
  });

  it('linesToTry has a line to paste for each example', () => {
    const commands = linesToTry('/tmp/a b')
      .split('\n')
      .filter((line) => line.startsWith('  '));
    expect(commands).toHaveLength(3);
    for (const line of commands)
      expect(line).toMatch(/ --dir '\/tmp\/a b' (status|show card\.csv|find --invoice C-1002)$/);
  });
});
