import { beforeAll, describe, expect, it } from 'vitest';
import type { BatchState } from '../../../../schemas/lifecycle.ts';
import { proposeApproval } from '../../../../src/ledger/file/release-held.ts';
import { sayMerchantOf } from '../../../../src/ledger/merchant/read-merchants.ts';
import { findFile } from '../../../../src/ledger/file/search.ts';
import { CARD, cardRow, lines, upTo } from '../../../support/payment-rows.ts';
import { dashboardForTests, type TestBrowser } from '../../support/dashboard-world.ts';
import { forceSql } from '../../../support/force-sql.ts';
import { linksOf, sectionOf, tableOf, wordsOf } from '../../support/read-page.ts';
import type { AttemptInDoubt, InDoubt } from '../../../../src/ledger/doubt/in-doubt.ts';
import { foundDoubt, ACCOUNT, CALLED_AT } from '../../../workers/support/resolve-context.ts';
import { BatchAttempts } from '../../../../src/web/pages/files/show-batch.tsx';
import type { Comparison } from '../../../../src/explain/compare-batch.ts';
import { compareRows } from '../../../../src/reconcile/compare-rows.ts';
import { BatchComparison, BatchDoubt } from '../../../../src/web/pages/files/batch-doubt.tsx';
import { changeCells, resultsOf, sentRow } from '../../../reconcile/support/result-rows.ts';
import { ToldWhy, WaitingProposals } from '../../../../src/web/pages/files/told-why.tsx';
import { draw } from '../../support/page-words.ts';

const world = dashboardForTests();
let viewer: TestBrowser;
let fileId: string;
beforeAll(async () => {
  world.sandbox.faults.plan({ kind: 'result-row-missing', operation: 'getBatchProcessResultFile' });
  await world.drop('card', 'monday.csv', lines(upTo(3).map((n) => cardRow(n))));
  await world.finish();
  ({ file_id: fileId } = await findFile(world.app.ledger, 'monday.csv'));
  viewer = await world.as('viewer');
});

const path = () => `/files/${fileId}/batches/1`;
const force = (state: BatchState) =>
  forceSql(world.app, 'UPDATE batch SET state = $2 WHERE file_id = $1', [fileId, state]);

describe('/files/:fileId/batches/:batchNo', () => {
  it('lays both sides of an exception beside each other', async () => {
    const { status, text } = await viewer.get(path());
    expect(status).toBe(200);
    expect(wordsOf(sectionOf(text, 'Batch 1 of monday.csv'))).toContain('State Result mismatch');
    expect(wordsOf(sectionOf(text, 'Batch 1 of monday.csv'))).toContain(
      `Merchant ${await sayMerchantOf(world.app.ledger, 'main')}`,
    );
    const comparison = sectionOf(text, 'What was sent and what was returned');
    expect(wordsOf(comparison)).toContain('3 rows sent, 2 returned, 1 differs.');
    expect(tableOf(comparison)).toEqual([
      ['3', '3', 'C-3', '25.00', 'number ending 2220', 'not in the result', '', '', '', ''],
    ]);
    expect(tableOf(sectionOf(text, 'Attempts'))[0]![4]).toBe('accepted by the service');
    const [both] = linksOf(sectionOf(text, 'What to do next'));
    expect(text).toContain(`id="${both!.replace(`${path()}#`, '')}"`);
    expect(text).not.toContain(CARD);
  });

  it('shows the rest when the result cannot be opened any more', async () => {
    await forceSql(world.app, `UPDATE sealed_part SET bytes = '\\x00' WHERE file_id = $1 AND part = 'result'`, [
      fileId,
    ]);
    const { status, text } = await viewer.get(path());
    expect([status, tableOf(sectionOf(text, 'Attempts')).length]).toEqual([200, 1]);
    expect(wordsOf(sectionOf(text, 'What was sent and what was returned'))).toContain(
      'sealed data was changed or cut off',
    );
  });

  it('says of a batch in doubt what is known and where to go on', async () => {
    await force('unknown');
    const { text } = await viewer.get(path());
    expect(wordsOf(sectionOf(text, 'What is known'))).toContain('It may or may not have been accepted');
    expect(linksOf(text)).toContain(`${path()}/resolve`);
  });

  it.each<[BatchState, string[]]>([
    ['unknown', []],
    ['exception', ['disown', 'repoll']],
    ['ready', ['cancel-batch']],
  ])('offers an administrator what can be done in %s, and a viewer nothing', async (state, actions) => {
    await force(state);
    const links = async (browser: TestBrowser) => {
      const all = linksOf((await browser.get(path())).text).filter((link) => link.includes('/do/'));
      return [...new Set(all)];
    };
    expect(await links(await world.as('admin'))).toEqual(actions.map((action) => `${path()}/do/${action}`));
    expect(await links(viewer)).toEqual([]);
  });

  it('does not offer to cancel a batch of a file that is held, and says when a second person is waited for', async () => {
    await force('ready');
    await forceSql(world.app, `UPDATE file SET state = 'held' WHERE file_id = $1`, [fileId]);
    await proposeApproval(world.app.ledger, fileId, { actor: 'operator:operator', reason: 'it is right' });
    const { text } = await (await world.as('admin')).get(path());
    expect(linksOf(text).filter((link) => link.includes('/do/'))).toEqual([]);
    expect(linksOf(text)).toContain('/approvals');
    expect(wordsOf(text)).toContain('operator proposed to approve the held file; its valid rows are sent');
  });

  it.each(['2', '0', 'x', '1%00'])('knows no batch "%s"', async (batchNo) => {
    expect([400, 404]).toContain((await viewer.get(`/files/${fileId}/batches/${batchNo}`)).status);
  });
});

const [CALL] = foundDoubt().attempts;
const drawCalls = (...attempts: Partial<AttemptInDoubt>[]) =>
  draw(BatchAttempts, { attempts: attempts.map((attempt) => ({ ...CALL!, ...attempt })), timeZone: 'America/Toronto' });

describe('BatchAttempts', () => {
  it.each([
    [{ verdict: null, ended_at: null }, 'none yet'],
    [{ verdict: 'submitted', evidence: { text: '<b>BATCHID 7</b>' } }, '&lt;b>BATCHID 7&lt;/b>'],
    [{ verdict: 'refused' }, 'refused by the service'],
    [{ verdict: 'not_sent' }, 'nothing was sent'],
    [{ verdict: 'unknown' }, 'in doubt'],
    [{ verdict: 'unknown', resolution: 'not_received' }, 'the service never received it'],
    [{ evidence: { bytesWritten: 10 } }, '10 bytes; the request has 900 and its headers'],
    [{}, '2026-06-15 06:00:00 -04:00'],
  ])('tells %j in words', (attempt, words) => {
    expect(drawCalls(attempt)).toContain(words);
  });

  it('says what would stand here', () => {
    expect(drawCalls()).toContain('It was not sent yet.');
  });
});

const SENT = [1, 2, 3].map((n) => sentRow('card', { line: n + 1, invoice: `C-${n}` }));
const [ONE, , THREE] = resultsOf('card', SENT);
const FOREIGN = { ...ONE!, cells: changeCells('card', ONE!.cells, { invoice: 'C-9' }), message: '<b>what</b>' };
const STRANGE = { position: 4, cells: ['a', 'b'], message: 'what' };

const COMPARISON: Comparison = {
  batch: 'abc/2',
  name: 'monday.csv',
  state: 'exception',
  batchId: '1000003',
  reason: null,
  sentRows: 3,
  resultRows: 4,
  differing: 3,
  rows: compareRows('card', SENT, [FOREIGN, THREE!, STRANGE]),
};
const drawBoth = (change: Partial<Comparison> = {}) =>
  draw(BatchComparison, { fileId: 'abc', comparison: { ...COMPARISON, ...change } });

describe('BatchComparison', () => {
  it('lays both sides beside each other and says in words how they differ', () => {
    const html = drawBoth();
    const rows = html.split('<tr>').slice(2);
    const texts = rows.map((row) =>
      row
        .replaceAll(/<[^>]+>/g, ' ')
        .replaceAll(/\s+/g, ' ')
        .trim(),
    );
    expect(texts).toEqual([
      '1 2 C-1 25.00 number ending 2220 differs C-9 25.00 number ending 2220 &lt;b>what&lt;/b>',
      '2 3 C-2 25.00 number ending 2220 not in the result',
      '2 4 C-3 25.00 number ending 2220 the same C-3 25.00 number ending 2220 Received',
      '3 was not sent 2 cells of another layout what',
    ]);
  });

  it('says when the result cannot be read at all, and when nothing differs', () => {
    expect(drawBoth({ unreadable: 'it is no text', rows: [] })).toContain('The result cannot be read: it is no text');
    expect(drawBoth({ rows: [] })).toContain('No row differs.');
  });
});

function drawDoubt(change: Partial<InDoubt> = {}, resolveWaitMs: number | undefined = ACCOUNT.resolveWaitMs): string {
  const now = new Date(CALLED_AT.getTime() + 7_500_000);
  const customs = { timeZone: 'America/Toronto', currency: 'USD' };
  return draw(BatchDoubt, { doubt: foundDoubt(change), now, resolveWaitMs, customs });
}

describe('BatchDoubt', () => {
  it('says what is at stake, how long, from when it may be declared, and where to go on', () => {
    const html = drawDoubt();
    for (const text of [
      '75.00',
      '2 hours 5 minutes',
      '2026-06-16 06:00:00 -04:00',
      'the connection was reset',
      'href="/files/g7fhpaqs00000000/batches/2/resolve"',
    ])
      expect(html).toContain(text);
  });

  it('shows ids that were seen, the neighbours, and what reports said', () => {
    const html = drawDoubt({
      lateAnswers: [{ at: CALLED_AT, reason: '<i>late</i>', evidence: { batchId: '1002' } }],
      reports: [{ name: '<b>r.csv</b>', at: CALLED_AT, covers: false, newestAt: null, found: 2, absent: 1 }],
      before: { fileId: 'f', batchNo: 1, batchId: '1001', submittedAt: CALLED_AT },
    });
    for (const text of ['1001', '1002', '&lt;i>late', '&lt;b>r.csv', 'prove nothing']) expect(html).toContain(text);
  });

  it('leads nowhere while a proposal waits', () => {
    expect(drawDoubt({ proposal: { proposalNo: 7, action: 'not-received', madeBy: 'operator:ada' } })).not.toContain(
      '/resolve',
    );
  });
});

const WHY = {
  about: 'monday.csv',
  timeZone: 'America/Toronto',
  story: [
    { at: null, text: 'It was made of rows of file x.' },
    { at: new Date('2026-06-15T10:00:00Z'), text: '<b>held</b>' },
  ],
  now: ['The file is held.'],
  next: ['Then "paydrop approve x --reason …".'],
  steps: [['Then ', { action: 'approve', fileId: 'x' } as const, '.']],
};

describe('ToldWhy', () => {
  const tell = (role: 'viewer' | 'approver') =>
    draw(ToldWhy, { why: WHY, viewer: { person: 'ada', role, csrf: '', actions: undefined } });
  const html = tell('approver');

  it('tells how it stands, what is next and what happened, each moment in the zone of the account', () => {
    expect([...html.matchAll(/<h2 [^>]*>([^<]+)/g)].map(([, title]) => title)).toEqual([
      'How it stands',
      'What to do next',
      'What happened',
    ]);
    expect(html).toContain('2026-06-15 06:00:00 -04:00');
    expect(html).toContain('&lt;b>held&lt;/b>');
  });

  it('leads a person to what they may do next, and only names it to another', () => {
    expect(linksOf(sectionOf(html, 'What to do next'))).toEqual(['/files/x/do/approve']);
    expect(linksOf(tell('viewer'))).toEqual([]);
    expect(wordsOf(sectionOf(tell('viewer'), 'What to do next'))).toContain('Then “Approve”.');
    expect(html).not.toContain('paydrop ');
  });
});

it('WaitingProposals says who proposed what, with a link; nothing when nobody did', () => {
  const proposals = [{ proposal_no: 7, batch_no: 2, action: 'not-received', made_by: 'operator:ada' }];
  const html = draw(WaitingProposals, { proposals });
  expect(html).toContain('ada proposed to mark the batch as not received; it is sent again (batch 2).');
  expect(html).toContain('<a href="/approvals">See proposal 7</a>');
  expect(draw(WaitingProposals, { proposals: [] })).toBe('');
});
