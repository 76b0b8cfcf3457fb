import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { achRow, cardRow, lines, upTo } from '../../support/payment-rows.ts';
import { type DashboardWorld, type Json, openDashboardWorld, type TestProgram } from '../support/dashboard-world.ts';

let world: DashboardWorld;
let program: TestProgram;
beforeAll(async () => {
  world = await openDashboardWorld();
  await world.drop('ach-charge', 'june.csv', lines(upTo(5).map((n) => achRow(n))));
  await world.finish();
  await world.drop('card', 'cards.csv', lines([cardRow(1), cardRow(2)]));
  await world.drop('card', 'broken.csv', 'no,such,layout\n');
  await world.finish();
  program = await world.program('viewer', ['look']);
});
afterAll(() => world.close());

async function ask(path: string): Promise<Json> {
  const { status, json } = await program.ask(path);
  expect([path, status]).toEqual([path, 200]);
  return json;
}

describe('GET /files', () => {
  it('goes through all files, page by page, the newest first', async () => {
    const seen: string[] = [];
    let next: string | null = null;
    do {
      const page = await ask(`/files?limit=1${next === null ? '' : `&after=${next}`}`);
      seen.push(...page.files.map((file: { name: string }) => file.name));
      next = page.next;
    } while (next !== null);
    expect(seen).toHaveLength(3);
    expect(seen.at(-1)).toBe('june.csv');
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
    const seen: number[] = [];
    let next: string | null = null;
    do {
      const page = await ask(`/files/june.csv/rows?limit=2${next === null ? '' : `&after=${next}`}`);
      expect(page.rows.length).toBeLessThanOrEqual(2);
      seen.push(...page.rows.map((row: { line: number }) => row.line));
      next = page.next;
    } while (next !== null);
    expect(seen).toEqual([1, 2, 3, 4, 5]);
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
    expect(why.next.length).toBeGreaterThan(0);
  });
});
