import { findFile } from '../../../src/ledger/file/search.ts';
import { beforeAll, describe, expect, it } from 'vitest';
import { achRow, cardRow, lines, upTo } from '../../support/payment-rows.ts';
import { dashboardForTests, type Json, type TestProgram } from '../support/dashboard-world.ts';

const world = dashboardForTests();
let program: TestProgram;
let fileId: string;
beforeAll(async () => {
  await world.drop('ach-charge', 'june.csv', lines(upTo(5).map((n) => achRow(n))));
  await world.finish();
  await world.drop('card', 'cards.csv', lines([cardRow(1), cardRow(2)]));
  await world.drop('card', 'broken.csv', 'no,such,layout\n');
  await world.finish();
  program = await world.program('viewer', ['look']);
  fileId = (await findFile(world.app.ledger, 'june.csv')).file_id;
});

async function ask(path: string): Promise<Json> {
  const { status, json } = await program.ask(path);
  expect([path, status]).toEqual([path, 200]);
  return json;
}

/** Follows a list to its end. @returns what stands on each page */
async function pagesOf(path: string, list: 'files' | 'rows' | 'links'): Promise<Json[][]> {
  const pages: Json[][] = [];
  for (let next: string | null = ''; next !== null; ) {
    const page: Json = await ask(path + next);
    pages.push(page[list]);
    next = page.next === null ? null : `&after=${page.next}`;
  }
  return pages;
}

describe('GET /files', () => {
  it('goes through all files, page by page, the newest first', async () => {
    const pages = await pagesOf('/files?limit=1', 'files');
    expect(pages).toHaveLength(3);
    expect(
      pages
        .flat()
        .map(({ name }) => name)
        .at(-1),
    ).toBe('june.csv');
    expect(pages.flat()).toHaveLength(3);
  });

  it.each([
    ['account=main', 3],
    ['account=moon', 0],
    ['state=rejected', 1],
    ['state=completed', 2],
    ['name=june.csv', 1],
    ['folder=drop/card', 2],
    ['since=2000-01-01T00:00:00Z', 3],
    ['until=2000-01-01T00:00:00Z', 0],
  ])('finds by %s', async (filter, count) => {
    expect((await ask(`/files?${filter}`)).files).toHaveLength(count);
  });

  it.each(['state=lost', 'limit=0', 'limit=501', 'limit=all', 'after=x', 'since=yesterday'])(
    'refuses %s',
    async (filter) => {
      const { status, json } = await program.ask(`/files?${filter}`);
      expect(status).toBe(400);
      expect(json).toEqual({ error: { code: 'BAD_REQUEST', says: expect.stringContaining(filter.split('=')[0]!) } });
    },
  );
});

describe('GET /files/:fileId', () => {
  it('tells the story by name, id or first letters', async () => {
    const story = await ask('/files/june.csv');
    expect(story).toMatchObject({
      file: { name: 'june.csv', state: 'completed', valid_rows: 5, valid_cents: 12_500 },
      batches: [{ batch_no: 1, state: 'reconciled', rows: 5, cents: 12_500 }],
      outcomes: { accepted_pending: { rows: 5, cents: 12_500 } },
      open: { rows: 0, cents: 0 },
      held: [],
      nextSendAt: null,
    });
    expect(story.outputs.map((output: { kind: string }) => output.kind)).toContain('result');
    expect(story.audit[0]).toMatchObject({ move: 'claim', to_state: 'claimed', evidence: { bytes: story.file.bytes } });
    const { file_id: fileId } = story.file;
    expect((await ask(`/files/${fileId}`)).file).toEqual(story.file);
    expect((await ask(`/files/${fileId.slice(0, 8)}`)).file).toEqual(story.file);
  });

  it('does not find what there is not, and does not say back a number', async () => {
    const { status, json } = await program.ask('/files/4222222222222220.csv');
    expect(status).toBe(404);
    expect(JSON.stringify(json)).not.toContain('4222222222222220');
  });
});

describe('GET /files/:fileId/rows', () => {
  it('goes through the rows of a file, page by page, each once', async () => {
    const pages = await pagesOf('/files/june.csv/rows?limit=2', 'rows');
    expect(pages.map((rows) => rows.map(({ line }) => line))).toEqual([[1, 2], [3, 4], [5]]);
  });

  it('tells the outcome and the last digits, never a number', async () => {
    const { rows, next } = await ask('/files/cards.csv/rows');
    expect(next).toBeNull();
    expect(rows).toMatchObject([
      { line: 1, invoice: 'C-1', amount_cents: 2_500, last_four: '2220', outcome: 'approved' },
      { line: 2, invoice: 'C-2', batch_no: 1 },
    ]);
    expect(JSON.stringify(rows)).not.toContain('422222');
  });

  it('filters and sorts as the page does', async () => {
    const lines = async (query: string) =>
      (await ask(`/files/cards.csv/rows?${query}`)).rows.map(({ line }: { line: number }) => line);
    expect(await lines('outcome=approved&invoice=C-1')).toEqual([1]);
    expect(await lines('sort=line&dir=desc&limit=1')).toEqual([2]);
    expect(await lines('sort=line&dir=desc&after=2')).toEqual([1]);
    expect(await lines('after=999999999999999')).toEqual([]);
    expect((await program.ask('/files/cards.csv/rows?sort=invoice')).status).toBe(400);
    const { files } = await ask('/files?sort=name');
    expect(files.map(({ name }: { name: string }) => name)).toEqual(
      files.map(({ name }: { name: string }) => name).toSorted(),
    );
  });

  it('tells a row that was withheld without an outcome, and nothing behind the last', async () => {
    const { rows } = await ask('/files/broken.csv/rows');
    expect(rows).toMatchObject([{ line: 1, batch_no: null, amount_cents: null, outcome: null }]);
    expect(await ask('/files/broken.csv/rows?after=1')).toEqual({ rows: [], next: null });
  });
});

describe('GET /files/:fileId/why', () => {
  it('tells what happened, how it stands and what to do', async () => {
    const why = await ask('/files/broken.csv/why');
    expect(why.now[0]).toContain('rejected');
    expect(why.story[0]).toMatchObject({ at: expect.stringMatching(/Z$/), text: expect.stringContaining('taken') });
    expect(why.next).toEqual([expect.stringMatching(/\.$/)]);
    expect(why.steps).toEqual([why.next]);
  });
});

describe('GET /files/:fileId/batches/:batchNo', () => {
  it('tells a batch with its file, without what a worker holds it by', async () => {
    const { status, json } = await program.ask(`/files/${fileId}/batches/1`);
    expect(status).toBe(200);
    expect(json).toMatchObject({
      file: { file_id: fileId, name: 'june.csv' },
      batch: { batch_no: 1, state: 'reconciled', rows: 5, cents: 12_500, batch_id: expect.any(String) },
    });
    expect(JSON.stringify(json)).not.toMatch(/"token"|"worker"|_key"/);
  });

  it.each(['/2', '/0', '/x', '/99999999999'])('does not find or understand %s', async (end) => {
    expect([400, 404]).toContain((await program.ask(`/files/${fileId}/batches${end}`)).status);
  });
});

describe('GET /files/:fileId/batches/:batchNo/why', () => {
  it('tells the story of the batch', async () => {
    const { status, json } = await program.ask(`/files/${fileId}/batches/1/why`);
    expect(status).toBe(200);
    expect(json).toMatchObject({
      about: expect.stringContaining('batch 1 of june.csv'),
      merchant: expect.stringMatching(/^(sandbox )?127\.0\.0\.1:\d+, USD$/),
      now: [expect.stringContaining('The file: completed'), expect.any(String)],
      next: ['There is nothing to do.'],
      steps: [['There is nothing to do.']],
    });
  });
});

async function search(words: string): Promise<Json> {
  const { status, json } = await program.ask(`/search?q=${encodeURIComponent(words)}`);
  expect(status).toBe(200);
  return json;
}

const NOTHING = { file: null, batch: null, rows: [], files: [], batchIds: [] };

describe('GET /search', () => {
  it('finds a file by its name and by the first letters of its id', async () => {
    const found = await search('june.csv');
    expect(found).toMatchObject({ ...NOTHING, file: { name: 'june.csv' }, files: [{ name: 'june.csv' }] });
    const { file } = await search(found.file.file_id.slice(0, 6));
    expect(file).toEqual(found.file);
  });

  it('finds a batch by its place, and by the id of the service', async () => {
    const { batch, file } = await search('june.csv/1');
    expect([file.name, batch.batch_no]).toEqual(['june.csv', 1]);
    const batchIds = [{ fileId: file.file_id, batchNo: 1, name: 'june.csv' }];
    expect(await search(batch.batch_id)).toMatchObject({ ...NOTHING, batchIds });
  });

  it('finds payments in any case and by facts, with what became of them and what it means', async () => {
    for (const words of [' a-2 ', 'A-2 25.00', 'a-2 today usd']) {
      const { rows } = await search(words);
      expect(rows, words).toMatchObject([
        { invoice: 'A-2', line: 2, name: 'june.csv', outcome: 'accepted_pending', word: 'Pending at bank' },
      ]);
      expect(rows[0].path).toBe(`/payments/${rows[0].fileId}/2`);
    }
  });

  it('finds nothing for what is nothing', async () => {
    for (const words of ['june.csv/2', '%', "' OR 1=1"]) expect(await search(words)).toMatchObject(NOTHING);
  });

  it('refuses a long number, with and without a token, and repeats nothing of it', async () => {
    const { status, json } = await program.ask('/search?q=4222-2222-2222-2220');
    expect([status, json.error.code]).toEqual([400, 'USAGE']);
    expect(JSON.stringify(json)).not.toMatch(/4222-?22/);
    expect((await world.stranger().get('/api/v1/search?q=4222222222222220')).status).toBe(400);
  });

  it.each(['', '?q=', `?q=${'x'.repeat(256)}`])('refuses "%s"', async (query) => {
    expect((await program.ask(`/search${query}`)).status).toBe(400);
  });
});

describe('GET /report', () => {
  it('tells the day of an account to the cent', async () => {
    const { rows } = await world.app.ledger.pool.query<{ day: string }>(
      `SELECT to_char(accepted_at AT TIME ZONE 'UTC', 'YYYY-MM-DD') AS day FROM file WHERE accepted_at IS NOT NULL`,
    );
    const { reports } = await ask(`/report?account=main&day=${rows[0]!.day}`);
    expect(reports).toMatchObject([
      {
        day: rows[0]!.day,
        account: 'main',
        accepted: { files: 2, rows: 7, total: '175.00' },
        final: { ACCEPTED_PENDING: { rows: 5, total: '125.00' }, APPROVED: { rows: 2, total: '50.00' } },
        open: { rows: 0, total: '0.00' },
        difference: { rows: 0, total: '0.00' },
      },
    ]);
  });

  it('tells today of every account when nothing is said', async () => {
    expect((await ask('/report')).reports.map((report: { account: string }) => report.account)).toEqual(['main']);
  });

  it.each([
    ['account=moon', 404],
    ['day=yesterday', 400],
    ['day=2026-02-31', 400],
  ])('refuses %s', async (query, expected) => {
    expect((await program.ask(`/report?${query}`)).status).toBe(expected);
  });
});

describe('GET /audit', () => {
  it('goes through the whole trail, the newest first, each link once', async () => {
    const { rows } = await world.app.ledger.pool.query<{ seq: number }>('SELECT seq FROM audit ORDER BY seq DESC');
    const links = (await pagesOf('/audit?limit=7', 'links')).flat();
    expect(links.map(({ seq }) => seq)).toEqual(rows.map(({ seq }) => seq));
  });

  it('finds by file, by actor and by time', async () => {
    const ofFile = (await ask('/audit?file=june.csv')).links;
    expect(new Set(ofFile.map((link: { file_id: string }) => link.file_id)).size).toBe(1);
    const actors = (await ask('/audit?actor=worker:intake')).links.map((link: { actor: string }) => link.actor);
    expect(new Set(actors)).toEqual(new Set(['worker:intake']));
    expect((await ask('/audit?since=2100-01-01T00:00:00Z')).links).toEqual([]);
    expect((await ask('/audit?until=2000-01-01T00:00:00Z')).links).toEqual([]);
    const moves = (await ask('/audit?move=accept&dir=asc')).links as { move: string; seq: number }[];
    expect(moves.length).toBeGreaterThan(1);
    expect(moves.every(({ move }) => move === 'accept')).toBe(true);
    expect(moves.map(({ seq }) => seq)).toEqual(moves.map(({ seq }) => seq).toSorted((one, other) => one - other));
    expect((await ask(`/audit?move=accept&dir=asc&after=${moves[0]!.seq}`)).links[0]).toMatchObject(moves[1]!);
  });

  it('does not find a file that there is not', async () => {
    expect((await program.ask('/audit?file=nothing')).status).toBe(404);
  });
});
