import { beforeAll, describe, expect, it } from 'vitest';
import { transact } from '../../../src/ledger/engine/transaction.ts';
import { pauseAccount } from '../../../src/ledger/account/pause-account.ts';
import { readAuditHead, readSettledEnd, type AuditLink } from '../../../src/ledger/overview/list-audit.ts';
import { achRow, lines } from '../../support/payment-rows.ts';
import { type Answer, dashboardForTests } from '../support/dashboard-world.ts';
import { wordsOf, draw } from '../support/page-words.ts';
import { forceSql } from '../../support/force-sql.ts';
import { appendLate } from '../../ledger/support/put-rows.ts';
import { type AuditQuery, FilterForm, linkColumns, readLinks } from '../../../src/web/pages/audit.tsx';
import { VerifyForm, VerifyResult } from '../../../src/web/pages/verify-trail.tsx';
import { Table } from '../../../src/web/parts/blocks.tsx';
import type { Viewer } from '../../../src/web/access/viewer.ts';

const world = dashboardForTests();
let fileId: string;
beforeAll(async () => {
  await world.drop('ach-charge', 'june.csv', lines([achRow(1)]));
  await world.finish();
  await pauseAccount(world.app.ledger, 'main', { actor: 'operator:ada', reason: 'the bank is <closed>' });
  const { rows } = await world.app.ledger.pool.query<{ id: string }>('SELECT file_id AS id FROM file');
  fileId = rows[0]!.id;
});

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
    ['?move=claim', / claim Checking /],
    ['?who=worker:', / worker:/],
    ['?who=operator:&move=log-in', / operator:viewer log-in /],
    ['?from=2020-01-01&to=2099-01-01', /./],
  ])('takes only what is asked for by %s', async (query, expected) => {
    const links = linksOf(await audit(query));
    expect(links.length).toBeGreaterThan(0);
    for (const { words } of links) expect(words).toMatch(expected);
  });

  it('lists wrong passwords for names that no user has, without the names', async () => {
    await world.stranger().post('/login', { name: 'my secret password', password: 'oops' }, '');
    const links = linksOf(await audit('?who=stranger'));
    expect(links.map(({ words }) => words)).toEqual([expect.stringMatching(/ stranger log-in-failed unknown name /)]);
    expect(links[0]?.words).not.toContain('secret');
  });

  it('says that nothing fits, and what to do', async () => {
    for (const query of ['?who=nobody', '?from=2099-01-01', '?to=2020-01-01', '?who=ada&move=claim'])
      expect(wordsOf((await audit(query)).text)).toContain('Nothing matches.');
  });

  it.each(['?from=yesterday', '?to=2026-02-30', '?file=nobody.csv'])('says what is wrong with %s', async (query) => {
    const { status, text } = await audit(query);
    expect(status).toBe(400);
    expect(text).toContain('role="alert"');
  });

  it('goes page by page through the whole trail, each link once', async () => {
    await transact(world.app.ledger, async (tx) => {
      for (let n = 0; n < 230; n++) tx.audit({ actor: 'system', move: 'many', reason: 'for the test' });
    });
    const head = await readSettledEnd(world.app.ledger);
    const seen: number[] = [];
    const sizes: number[] = [];
    let next: string | undefined = '/audit?move=many';
    const browser = await world.as('viewer');
    while (next !== undefined) {
      const answer = await browser.get(next);
      const links = linksOf(answer);
      seen.push(...links.map(({ seq }) => seq));
      sizes.push(links.length);
      next = /href="([^"]+)">Next/.exec(answer.text)?.[1]?.replaceAll('&amp;', '&');
      expect(wordsOf(answer.text)).toContain(`${seen.length - links.length + 1} to ${seen.length} of 230`);
      const back = /href="([^"]+)">← Previous/.exec(answer.text)?.[1]?.replaceAll('&amp;', '&');
      if (back)
        expect(linksOf(await browser.get(back)).map(({ seq }) => seq)).toEqual(
          seen.slice(-links.length - 100, -links.length),
        );
    }
    expect(sizes).toEqual([100, 100, 30]);
    expect(new Set(seen).size).toBe(230);
    expect(Math.max(...seen)).toBe(head);
    const oldest = linksOf(await browser.get('/audit?move=many&sort=time&dir=asc'));
    expect(oldest.map(({ seq }) => seq)).toEqual(seen.slice(-100).toReversed());
  });

  it('goes upwards past no link that appears after one with a larger number', async () => {
    const { ledger } = world.app;
    const read = (after?: number) => readLinks(ledger, { move: 'late' }, { after, limit: 10 });
    const commit = await appendLate(ledger, 'late');
    const before = await read();
    await commit();
    const seen = [...before, ...(await read(before.at(-1)?.seq))].map(({ evidence }) => evidence['account']);
    expect(seen).toEqual(['slow', 'fast']);
  });

  it('checks the whole trail for everybody who may look, and says where it ends', async () => {
    const browser = await world.as('viewer');
    const { status, text } = await browser.post('/audit/verify');
    const { links, hash } = await readAuditHead(world.app.ledger);
    expect(status).toBe(200);
    expect(wordsOf(text)).toContain(`The audit trail is complete ${links} links in 4 chains, read in`);
    expect(text).toContain(hash);
    expect((await browser.get('/audit/verify')).location).toBe('/audit');
    expect((await world.stranger().post('/audit/verify', {}, '')).status).toBe(401);
    expect((await browser.post('/audit/verify', {}, 'x')).status).toBe(403);
  });

  it('names the link that another hand has altered', async () => {
    await forceSql(world.app, `UPDATE audit SET reason = 'something else' WHERE seq = 2`);
    const { text } = await (await world.as('viewer')).post('/audit/verify');
    expect(wordsOf(text)).toContain('The audit trail is broken at link 2');
    expect(text).not.toContain('The audit trail is complete');
  });
});

const nothing: AuditQuery = { who: '', file: '', move: '', from: '', to: '' };
const form = (asked: Partial<AuditQuery> = {}) =>
  draw(FilterForm, { asked: { ...nothing, ...asked }, zone: 'Europe/Berlin' });

describe('FilterForm', () => {
  it('keeps what was asked for, and asks for nothing that was not', () => {
    const html = form({ who: '"ada', move: 'approve', from: '2026-06-15' });
    expect(html).toContain('value="&quot;ada"');
    expect(html).toContain('value="2026-06-15"');
    expect(html).toMatch(/id="f-move" name="move" type="text" value="approve"/);
    expect(form()).not.toMatch(/name="before"|method=/);
  });

  it('has a label for each field, and says of which zone the days are', () => {
    const html = form();
    const ids = [...html.matchAll(/<input[^>]* id="([^"]+)"|<input id="([^"]+)"/g)].map(
      ([, one, other]) => one ?? other,
    );
    expect(ids).toEqual(['f-who', 'f-file', 'f-move', 'f-from', 'f-to']);
    for (const id of ids) expect(html).toContain(`for="${id}"`);
    expect(wordsOf(html)).toContain('Days in Europe/Berlin.');
  });

  it('suggests each move once', () => {
    const moves = [...form().matchAll(/<option value="([^"]+)"/g)].map(([, move]) => move);
    expect(moves).toContain('approve');
    expect(moves).toContain('pause-account');
    expect(new Set(moves).size).toBe(moves.length);
  });
});

const link: AuditLink = {
  seq: 7,
  at: new Date('2026-06-15T10:00:00Z'),
  actor: 'worker:submit',
  file_id: 'g7fhpaqs00000000',
  batch_no: 2,
  move: 'submit',
  from_state: 'sending',
  to_state: 'submitted',
  reason: 'answered',
  evidence: {},
};

function rowOf(change: Partial<AuditLink> = {}): string {
  const columns = linkColumns('America/Toronto').flatMap(({ cell, ...column }) => (cell ? [{ ...column, cell }] : []));
  return draw(Table<AuditLink>, { label: 'Links', columns, rows: [{ ...link, ...change }], empty: '' });
}

describe('linkColumns', () => {
  it('says who did what, when and why', () => {
    expect(wordsOf(rowOf())).toContain(
      '7 2026-06-15 06:00:00 -04:00 worker:submit submit Awaiting result g7fhpaqs00000000/2 answered',
    );
  });

  it.each([
    ['a batch', {}, 'href="/files/g7fhpaqs00000000/batches/2"'],
    ['a file', { batch_no: null }, 'href="/files/g7fhpaqs00000000"'],
    ['an account', { file_id: null, batch_no: null, evidence: { account: 'main' } }, '<td>main</td>'],
    ['all accounts', { file_id: null, batch_no: null, evidence: { account: '*' } }, '<td>all accounts</td>'],
  ] as [string, Partial<AuditLink>, string][])('leads to %s', (_what, change, expected) => {
    expect(rowOf(change)).toContain(expected);
  });

  it('keeps the evidence folded, whatever is in it', () => {
    const html = rowOf({ evidence: { host: '<b>x</b>', list: [1, { two: null }] } });
    expect(html).toContain('<summary>2 facts</summary>');
    expect(html).toContain('&lt;b>x&lt;/b>');
    expect(html).toContain('[1,{&quot;two&quot;:null}]');
    expect(rowOf()).not.toContain('<details');
  });
});

const viewer: Viewer = { person: 'ada', role: 'viewer', csrf: 'token', actions: undefined };

describe('VerifyForm', () => {
  it.each([
    [12, 'All 12 links are read. That takes a moment.'],
    [1_000_000, /All 1,000,000 links are read. That may take about \d+ seconds\./],
  ])('says before %i links are read how long it takes', (links, says) => {
    const html = draw(VerifyForm, { viewer, links });
    expect(wordsOf(html)).toMatch(says);
    expect(html).toMatch(/name="_csrf" value="[\w-]+"/);
  });
});

describe('VerifyResult', () => {
  const chains = ['', 'bank', 'main'].map((chain) => ({ chain, links: 9, seq: 9, hash: 'cd' }));
  const roots = { signed: 0, unchecked: {} };
  const whole = {
    brokenAt: undefined,
    breaks: [],
    links: 1_234,
    hash: 'ab12',
    chains,
    roots,
    lastRoot: undefined,
    unsignedFrom: 1,
  };
  const tookMs = 3_140;

  it('says where a whole trail ends, and how long it took', () => {
    const html = draw(VerifyResult, { verified: { ...whole, tookMs } });
    expect(wordsOf(html)).toContain('complete 1,234 links in 3 chains, read in 3.1 s. The hash of their ends is ab12.');
    expect(html).not.toContain('role="alert"');
  });

  it('says loudly where it is broken', () => {
    const breaks = [{ chain: 'main', seq: null, says: 'its end is missing' }];
    const html = draw(VerifyResult, { verified: { ...whole, tookMs, brokenAt: 0, breaks } });
    expect(html).toContain('role="alert"');
    expect(wordsOf(html)).toContain('The audit trail is broken at link 0');
    expect(wordsOf(html)).toContain('the chain of account main: its end is missing');
  });
});
