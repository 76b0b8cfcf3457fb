import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { pauseAccount } from '../../../src/ledger/account/pause-account.ts';
import { readAuditHead } from '../../../src/ledger/overview/list-audit.ts';
import { achRow, lines } from '../../support/payment-rows.ts';
import { type Answer, type DashboardWorld, openDashboardWorld } from '../support/dashboard-world.ts';
import { wordsOf } from '../support/page-words.ts';
import { forceSql } from '../../support/force-sql.ts';

let world: DashboardWorld;
let fileId: string;
beforeAll(async () => {
  world = await openDashboardWorld();
  await world.drop('ach-charge', 'june.csv', lines([achRow(1)]));
  await world.finish();
  await pauseAccount(world.app.ledger, 'main', { actor: 'operator:ada', reason: 'the bank is <closed>' });
  const { rows } = await world.app.ledger.pool.query<{ id: string }>('SELECT file_id AS id FROM file');
  fileId = rows[0]!.id;
});
afterAll(() => world.close());

async function audit(query = ''): Promise<Answer> {
  return (await world.as('viewer')).get(`/audit${query}`);
}

/** Returns the number and text of each audit link on the page. */
function linksOf({ text }: Answer): { seq: number; words: string }[] {
  const [, body = ''] = /<tbody>(.*)<\/tbody>/s.exec(text) ?? [];
  return body
    .split('</tr>')
    .slice(0, -1)
    .map((row) => ({ seq: Number(/<td[^>]*>(\d+)</.exec(row)?.[1]), words: wordsOf(row) }));
}

/** The tests build on each other; the last one breaks the trail. */
describe('auditPages', () => {
  it('shows who did what and why, the newest first, with a way to what it was done to', async () => {
    const answer = await audit('?who=ada');
    expect(answer.status).toBe(200);
    expect(linksOf(answer)).toHaveLength(1);
    expect(answer.text).not.toContain('<closed>');
    expect(linksOf(answer)[0]?.words).toMatch(
      /operator:ada pause-account main the bank is <closed> 1 fact account main$/,
    );
    const all = linksOf(await audit());
    expect(all.map(({ seq }) => seq)).toEqual(all.map(({ seq }) => seq).toSorted((one, other) => other - one));
    expect((await audit('?move=submit')).text).toContain(`href="/files/${fileId}/batches/1"`);
  });

  it.each([
    ['?file=june.csv', /^\d+ .* (worker|system)/],
    ['?move=claim', / claim claimed /],
    ['?who=worker:', / worker:/],
    ['?who=operator:&move=log-in', / operator:viewer log-in /],
    ['?from=2020-01-01&to=2099-01-01', /./],
  ])('takes only what is asked for by %s', async (query, expected) => {
    const links = linksOf(await audit(query));
    expect(links.length).toBeGreaterThan(0);
    for (const { words } of links) expect(words).toMatch(expected);
  });

  it('says that nothing fits, and what to do', async () => {
    for (const query of ['?who=nobody', '?from=2099-01-01', '?to=2020-01-01', '?who=ada&move=claim'])
      expect(wordsOf((await audit(query)).text)).toContain('Nothing fits.');
  });

  it.each(['?from=yesterday', '?to=2026-02-30', '?file=nobody.csv', '?before=x'])(
    'says what is wrong with %s',
    async (query) => {
      const { status, text } = await audit(query);
      expect(status).toBe(400);
      expect(text).toContain('role="alert"');
    },
  );

  it('goes page by page through the whole trail, each link once', async () => {
    await world.app.ledger.pool.query(
      `SELECT append_audit(now(), 'system', NULL, NULL, 'many', NULL, NULL, 'for the test', '{}') FROM generate_series(1, 230)`,
    );
    const { seq: head } = await readAuditHead(world.app.ledger);
    const seen: number[] = [];
    const sizes: number[] = [];
    let next: string | undefined = '/audit?move=many';
    const browser = await world.as('viewer');
    while (next !== undefined) {
      const answer = await browser.get(next);
      const links = linksOf(answer);
      seen.push(...links.map(({ seq }) => seq));
      sizes.push(links.length);
      next = /href="([^"]+)">Older/.exec(answer.text)?.[1]?.replaceAll('&amp;', '&');
      if (sizes.length > 1) expect(answer.text).toContain('href="/audit?move=many">← Newer');
    }
    expect(sizes).toEqual([100, 100, 30]);
    expect(new Set(seen).size).toBe(230);
    expect(Math.max(...seen)).toBe(head);
  });

  it('checks the whole trail for everybody who may look, and says where it ends', async () => {
    const browser = await world.as('viewer');
    const { status, text } = await browser.post('/audit/verify');
    const { seq, hash } = await readAuditHead(world.app.ledger);
    expect(status).toBe(200);
    expect(wordsOf(text)).toContain(`The audit trail is whole ${seq} links, read in`);
    expect(text).toContain(hash);
    expect((await browser.get('/audit/verify')).location).toBe('/audit');
    expect((await world.stranger().post('/audit/verify', {}, '')).status).toBe(401);
    expect((await browser.post('/audit/verify', {}, 'x')).status).toBe(403);
  });

  it('names the link that another hand has altered', async () => {
    await forceSql(world.app, `UPDATE audit SET reason = 'something else' WHERE seq = 2`);
    const { text } = await (await world.as('viewer')).post('/audit/verify');
    expect(wordsOf(text)).toContain('The audit trail is broken at link 2');
    expect(text).not.toContain('The audit trail is whole');
  });
});
