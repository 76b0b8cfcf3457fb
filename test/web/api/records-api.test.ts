import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { achRow, lines, upTo } from '../../support/payment-rows.ts';
import { type DashboardWorld, type Json, openDashboardWorld, type TestProgram } from '../support/dashboard-world.ts';

let world: DashboardWorld;
let program: TestProgram;
beforeAll(async () => {
  world = await openDashboardWorld();
  await world.drop('ach-charge', 'june.csv', lines(upTo(4).map((n) => achRow(n))));
  await world.finish();
  program = await world.program('viewer', ['look']);
});
afterAll(() => world.close());

async function ask(path: string): Promise<Json> {
  const { status, json } = await program.ask(path);
  expect([path, status]).toEqual([path, 200]);
  return json;
}

describe('GET /report', () => {
  it('tells the day of an account to the cent', async () => {
    const { rows } = await world.app.ledger.pool.query<{ day: string }>(
      `SELECT to_char(accepted_at AT TIME ZONE 'UTC', 'YYYY-MM-DD') AS day FROM file`,
    );
    const { reports } = await ask(`/report?account=main&day=${rows[0]!.day}`);
    expect(reports).toMatchObject([
      {
        day: rows[0]!.day,
        account: 'main',
        accepted: { files: 1, rows: 4, total: '100.00' },
        final: { ACCEPTED_PENDING: { rows: 4, total: '100.00' } },
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
    const seen: number[] = [];
    let next: string | null = null;
    do {
      const page = await ask(`/audit?limit=7${next === null ? '' : `&after=${next}`}`);
      seen.push(...page.links.map((link: { seq: number }) => link.seq));
      next = page.next;
    } while (next !== null);
    expect(seen).toEqual(rows.map(({ seq }) => seq));
  });

  it('finds by file, by actor and by time', async () => {
    const ofFile = (await ask('/audit?file=june.csv')).links;
    expect(new Set(ofFile.map((link: { file_id: string }) => link.file_id)).size).toBe(1);
    const actors = (await ask('/audit?actor=worker:intake')).links.map((link: { actor: string }) => link.actor);
    expect(new Set(actors)).toEqual(new Set(['worker:intake']));
    expect((await ask('/audit?since=2100-01-01T00:00:00Z')).links).toEqual([]);
  });

  it('does not find a file that there is not', async () => {
    expect((await program.ask('/audit?file=nothing')).status).toBe(404);
  });
});
