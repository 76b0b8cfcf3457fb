import { beforeAll, describe, expect, it } from 'vitest';
import { findFile } from '../../../../src/ledger/file/search.ts';
import { CARD, cardRow, lines, MAGIC_CARD, upTo } from '../../../support/payment-rows.ts';
import { dashboardForTests, type TestBrowser, type TestPerson } from '../../support/dashboard-world.ts';
import { forceSql } from '../../../support/force-sql.ts';
import { linksOf, sectionOf, tableOf, wordsOf } from '../../support/read-page.ts';
import type { LinkedFile } from '../../../../src/ledger/file/list-files.ts';
import { ControlTotals, LinkedFiles } from '../../../../src/web/pages/files/file-overview.tsx';
import { LatestSteps, SHOWN_STEPS } from '../../../../src/web/pages/files/show-file.tsx';
import { Story } from '../../../../src/web/pages/files/told-why.tsx';
import type { AuditLink } from '../../../../src/ledger/overview/list-audit.ts';
import { draw } from '../../support/page-words.ts';

const world = dashboardForTests({ folder: { duplicateRows: 'hold' } });
let viewer: TestBrowser;
const ids: Record<string, string> = {};
beforeAll(async () => {
  const odd = [cardRow(1, { card: MAGIC_CARD, amount: '2.00' }), cardRow(2, { expiry: '12/20' })];
  const rows = [...odd, ...upTo(20).map((n) => cardRow(20 + n))];
  await world.drop('card', 'done.csv', lines(rows));
  await world.drop('card', 'held.csv', lines([cardRow(11), cardRow(11)]));
  await world.drop('card', 'refused.csv', 'a,b\n');
  await world.drop('card', 'paid.csv', lines([cardRow(61)]));
  await world.finish();
  for (const name of ['done.csv', 'held.csv', 'refused.csv', 'paid.csv'])
    ids[name] = (await findFile(world.app.ledger, name)).file_id;
  viewer = await world.as('viewer');
});

const page = async (name: string, tab = 'overview') => (await viewer.get(`/files/${ids[name]}?tab=${tab}`)).text;
const tabsOf = (html: string) =>
  [...(/<nav class="tabs" aria-label="File".*?<\/nav>/.exec(html)?.[0] ?? '').matchAll(/<a[^>]*>([^<]+)</g)].map(
    ([, label]) => label,
  );
const actionsOf = (html: string) => linksOf(html).flatMap((link) => /\/do\/(.+)$/.exec(link)?.[1] ?? []);

describe('/files/:fileId', () => {
  it('tells at a glance how a finished file stands, how its rows came out and that everything agrees', async () => {
    const html = await page('done.csv');
    expect(wordsOf(sectionOf(html, 'Status'))).toMatch(
      /State Completed with declines .* Total 502\.00 USD Payments 21 Withheld rows 1/,
    );
    expect(wordsOf(sectionOf(html, 'What happened'))).toContain('done.csv was taken from drop/card');
    const outcomes = tableOf(sectionOf(html, 'Outcomes')).map((row) => [row[0], row[2], row[3]]);
    expect(outcomes).toEqual([
      ['Approved', '20', '500.00 USD'],
      ['Declined', '1', '2.00 USD'],
      ['Invalid', '1', '25.00 USD'],
    ]);
    expect(sectionOf(html, 'Outcomes')).toContain('role="img"');
    expect(html).toContain('<summary>9 of 9 control totals agree</summary>');
    expect(sectionOf(await page('paid.csv'), 'What to do next')).toBe('');
    const totals = tableOf(sectionOf(html, 'What happened')).map((row) => [row[0], row[3]]);
    expect(totals).toEqual(['H0', 'H1', 'H2', 'H3', 'H4', 'H5', 'H6', 'H7', 'H8'].map((id) => [id, 'agree']));
    expect(html).not.toContain(CARD);
  });

  it('shows on each tab only what belongs there, below the same head', async () => {
    const tab = (name: string) => page('done.csv', name);
    expect(tabsOf(await tab('nonsense'))).toEqual([
      'Overview',
      'Payments',
      'Batches',
      'Problems 1',
      'Outputs',
      'History',
    ]);
    expect(tableOf(sectionOf(await tab('payments'), 'Payments'))).toHaveLength(22);
    expect(tableOf(sectionOf(await tab('batches'), 'Batches'))[0]!.slice(0, 3)).toEqual([
      'Batch 1',
      'Reconciled',
      '21',
    ]);
    expect(tableOf(sectionOf(await tab('problems'), 'Problems by cause'))[0]!.slice(0, 4)).toEqual([
      expect.stringMatching(/^The card/),
      'Expiry',
      '1',
      '2',
    ]);
    expect(linksOf(sectionOf(await tab('outputs'), 'Output files'))).toContain(
      `/files/${ids['done.csv']}/outputs/result`,
    );
    expect(wordsOf(sectionOf(await tab('history'), 'Latest steps'))).toContain('paydrop complete: now completed');
    for (const name of ['payments', 'batches', 'problems', 'outputs', 'history']) {
      const html = await tab(name);
      expect(sectionOf(html, 'Status')).toContain('data-state="completed_with_declines"');
      expect(sectionOf(html, 'Outcomes')).toBe('');
    }
  });

  it('says every reason for which a file is held, what to do, and what can be done', async () => {
    const html = await (await world.as('approver')).get(`/files/${ids['held.csv']}`);
    expect(wordsOf(sectionOf(html.text, 'Status'))).toMatch(
      /Needs approval The file has the same invoice, amount and payer twice \(1 row, the first on line 2\)/,
    );
    expect(wordsOf(sectionOf(html.text, 'What to do next'))).toMatch(/Then Approve or Decline/);
    expect(actionsOf(sectionOf(html.text, 'Status'))).toEqual(['decline', 'check-outputs']);
    expect(linksOf(sectionOf(html.text, 'Status'))).toContain(`/approvals?file=${ids['held.csv']}`);
    expect(actionsOf(sectionOf(html.text, 'What to do next'))).toEqual(['approve', 'decline']);
    expect(actionsOf(sectionOf(await page('held.csv'), 'What to do next'))).toEqual([]);
    expect(tableOf(sectionOf(html.text, 'Outcomes'))).toEqual([
      ['waits', 'not sent yet; nothing was charged', '2', '50.00 USD'],
    ]);
  });

  it('has neither control totals nor batches of a refused file', async () => {
    const html = await page('refused.csv');
    expect(wordsOf(sectionOf(html, 'What happened'))).toContain('nothing in it was sent');
    expect(tabsOf(html)).toEqual(['Overview', 'Payments', 'Problems 2', 'Outputs', 'History']);
  });

  it('fills one button at most and shows no command, code or state of the ledger', async () => {
    const admin = await world.as('admin');
    for (const name of ['done.csv', 'held.csv', 'refused.csv'])
      for (const tab of ['overview', 'payments', 'batches', 'problems', 'outputs', 'history']) {
        const html = (await admin.get(`/files/${ids[name]}?tab=${tab}`)).text;
        expect(html.match(/class="(button )?main"/g)?.length ?? 0).toBeLessThanOrEqual(1);
        const seen = wordsOf(html.replaceAll(/<details.*?<\/details>|<(meta|script)[^>]*>/g, ''));
        expect(seen).not.toMatch(
          /paydrop [a-z-]+ [a-z0-9]{16}|--reason|See --help|[A-Z]{3,}_[A-Z_]+|\b(in_progress|partly_cancelled)\b/,
        );
      }
  });

  it.each<[TestPerson, boolean]>([
    ['viewer', false],
    ['operator', true],
    ['approver', false],
    ['admin', true],
  ])('offers the %s only what the role may do', async (person, mayReprocess) => {
    const { text } = await (await world.as(person)).get(`/files/${ids['done.csv']}`);
    expect(actionsOf(text)).toEqual(['check-outputs']);
    expect(text.includes('<button type="submit" class="main">Reprocess 1…</button>')).toBe(mayReprocess);
  });

  it('brings itself up to date, part by part, and every id and part is there once', async () => {
    const html = await page('done.csv');
    expect(html).toContain('data-live="on"');
    for (const name of ['id', 'data-part']) {
      const found = [...html.matchAll(new RegExp(` ${name}="([^"]+)"`, 'g'))].map(([, value]) => value);
      expect(found.length).toBeGreaterThan(5);
      expect(new Set(found).size).toBe(found.length);
    }
  });

  it('keeps the overview short with 200,000 rows, 2,000 batches and a long story', async () => {
    const fileId = ids['done.csv']!;
    const { file_no: fileNo } = await findFile(world.app.ledger, fileId);
    await forceSql(
      world.app,
      `INSERT INTO batch (file_id, batch_no, account, merchant_no, operation, state, state_at, rows, cents, body_sha256, first_line, last_line)
       SELECT $1, n, 'main', merchant_of('main'), 'card', 'cancelled', now(), 1, 1, '', n, n FROM generate_series(1001, 3000) n`,
      [fileId],
    );
    await forceSql(
      world.app,
      `INSERT INTO row_fault SELECT $1, n, n, NULL, 'EXPIRY_PAST', NULL, NULL FROM generate_series(100, 20000) n`,
      [fileNo],
    );
    await forceSql(
      world.app,
      `INSERT INTO payment_row (file_no, line, batch_no, invoice, customer_code, amount_cents, last_four)
       SELECT $1, n, 1001 + n / 100, 'i', '', 1, '' FROM generate_series(101, 200000) n`,
      [fileNo],
    );
    await forceSql(
      world.app,
      `INSERT INTO audit (seq, at, actor, file_id, move, reason, evidence, previous, hash, chain, link_no)
       SELECT n, now(), 'worker:x', $1, 'note', 'again', '{}', '', '', '', n FROM generate_series(100001, 100120) n`,
      [fileId],
    );
    const html = await page('done.csv');
    expect(Buffer.byteLength(html)).toBeLessThan(40_000);
    expect(
      sectionOf(html, 'What happened')
        .replace(/<details.*?<\/details>/, '')
        .match(/<li/g),
    ).toHaveLength(8);
    expect(sectionOf(html, 'What happened')).toContain('in between</summary>');
    expect(tabsOf(html)).toContain('Problems, very many');
    expect(tableOf(sectionOf(await page('done.csv', 'batches'), 'Batches'))).toHaveLength(100);
    expect(tableOf(sectionOf(await page('done.csv', 'problems'), 'Line by line'))).toHaveLength(100);
    const history = await page('done.csv', 'history');
    expect(tableOf(sectionOf(history, 'Latest steps'))).toHaveLength(100);
    expect(linksOf(history)).toContain(`/audit?file=${fileId}`);
  });

  it.each(['zzzzzzzzzzzzzzzz', 'x', '..%2f', upTo(20).join('')])('knows no file "%s"', async (fileId) => {
    expect((await viewer.get(`/files/${fileId}`)).status).toBe(404);
  });
});

const AT = new Date('2026-06-15T10:00:00Z');
const drawLinked = (files: LinkedFile[]) =>
  draw(LinkedFiles, {
    files: files.map((file) => ({ ...file, shown: file.state ? SHOWN : undefined })),
    timeZone: 'UTC',
  });
const SHOWN = { shown: 'completed', blockedBy: [] } as const;

describe('LinkedFiles', () => {
  it.each([
    ['made_from', 'This file has rows of'],
    ['resubmitted_as', 'Rows of this file were resubmitted as'],
    ['duplicate_of', 'This file has the content of'],
    ['repeated_by', 'The same content was dropped again as'],
    ['corrects', 'This file corrects'],
    ['corrected_by', 'It was corrected by'],
  ] as const)('says %s in words, with a link', (kind, words) => {
    const file = { fileId: 'abc', name: 'x.csv', state: 'completed', at: AT, rows: 1_200, runNo: 7 } as const;
    const links = ['<a href="/files/abc">x.csv</a>', '<a href="/queue/selections/7">Run 7</a>'];
    for (const part of [words, ...links, '1,200']) expect(drawLinked([{ kind, ...file }])).toContain(part);
  });

  it('has no link to a file that has not come back yet', () => {
    const file = { fileId: null, name: 'x.csv', state: null, at: AT, rows: null, runNo: null };
    const html = drawLinked([{ kind: 'resubmitted_as', ...file }]);
    expect(html).not.toContain('<a ');
    expect(html).toContain('has not been taken from its folder yet');
  });
});

const drawTotals = (totals: Parameters<typeof ControlTotals>[0]['totals']) => draw(ControlTotals, { totals });

describe('ControlTotals', () => {
  it.each([
    ['agree', 'good'],
    ['differ', 'bad'],
    ['not yet', 'busy'],
    ['not needed', 'quiet'],
  ] as const)('says %s in words and by a colour', (state, tone) => {
    const html = drawTotals([{ id: 'H3', state, says: '5 rows = 4 valid + 1 withheld' }]);
    expect(html).toContain(`<span class="state ${tone}">${state}</span>`);
    expect(html).toContain('5 rows = 4 valid + 1 withheld');
    expect(html).toContain('All rows, and the valid and withheld rows');
  });

  it('knows in words what each of the nine is about', () => {
    const ids = ['H0', 'H1', 'H2', 'H3', 'H4', 'H5', 'H6', 'H7', 'H8'];
    const html = drawTotals(ids.map((id) => ({ id, state: 'agree' as const, says: 'x' })));
    expect(html).not.toContain('<td></td>');
  });

  it('says why a refused file has none', () => {
    expect(drawTotals([])).toContain('nothing in it was sent');
  });
});

describe('Story', () => {
  it('folds away the middle of a long one, and nothing of a short one', () => {
    const story = upTo(30).map((n) => ({ at: null, text: `step ${n}.` }));
    const html = draw(Story, { story, timeZone: 'UTC', most: 8 });
    expect(html).toContain('<summary>22 steps in between</summary>');
    const open = html.replace(/<details.*<\/details>/, '');
    expect([...open.matchAll(/step (\d+)/g)].map(([, n]) => Number(n))).toEqual([1, 2, 25, 26, 27, 28, 29, 30]);
    expect(draw(Story, { story: story.slice(0, 8), timeZone: 'UTC', most: 8 })).not.toContain('<details');
  });
});

const LINK: AuditLink = {
  seq: 1,
  at: new Date('2026-06-15T10:00:00Z'),
  actor: 'worker:submit',
  file_id: 'abc',
  batch_no: 3,
  move: 'send',
  from_state: 'preparing',
  to_state: 'in_progress',
  reason: 'attempt 1 begins',
  evidence: {},
};
const drawSteps = (links: AuditLink[]) => draw(LatestSteps, { fileId: 'abc', links, timeZone: 'UTC' });

describe('LatestSteps', () => {
  it('has the newest first: who, which batch, what and why', () => {
    const approve = {
      ...LINK,
      actor: 'operator:ada',
      batch_no: null,
      move: 'note',
      to_state: null,
      reason: '<i>ok</i>',
    };
    const html = drawSteps([LINK, approve]);
    const text = html.replaceAll(/<[^>]+>/g, ' ').replaceAll(/\s+/g, ' ');
    expect(text).toMatch(/ada note &lt;i>ok&lt;\/i> .* paydrop 3 send: now processing attempt 1 begins/);
    expect(html).toContain('<a href="/files/abc/batches/3">3</a>');
  });

  it('leads to all of them in the audit trail', () => {
    expect(drawSteps([LINK])).toContain('href="/audit?file=abc"');
    expect(drawSteps([LINK])).not.toContain('All steps');
    expect(drawSteps(Array.from({ length: SHOWN_STEPS }, () => LINK))).toContain('All steps, in the audit trail');
  });
});
