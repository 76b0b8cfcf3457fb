import { beforeAll, describe, expect, it } from 'vitest';
import { claimFile } from '../../../../src/ledger/file/claim-file.ts';
import { claimOf } from '../../../support/ledger-world.ts';
import { CARD, cardRow, lines, MAGIC_CARD, upTo } from '../../../support/payment-rows.ts';
import { doIt, fileNamed } from '../../support/action-page.ts';
import {
  dashboardForTests,
  openDashboardWorld,
  TEST_PEOPLE,
  type TestBrowser,
  type TestPerson,
} from '../../support/dashboard-world.ts';
import { linksOf, sectionOf, tableOf, wordsOf } from '../../support/read-page.ts';
import { copyFaults } from '../../../../src/ledger/row/copy-rows.ts';
import { findFile } from '../../../../src/ledger/file/search.ts';
import { transact } from '../../../../src/ledger/engine/transaction.ts';
import { forceSql } from '../../../support/force-sql.ts';
import { openedForTests } from '../../../support/opened-for-tests.ts';

const world = dashboardForTests({ account: { timeZone: 'America/Toronto' } });
let viewer: TestBrowser;
beforeAll(async () => {
  viewer = await world.as('viewer');
});

async function claim(name: string, claimedAt = '2026-06-15T12:00:00Z'): Promise<void> {
  await claimFile(world.app.ledger, claimOf({ account: 'main', name, claimedAt: new Date(claimedAt) }));
}

const names = async (path: string) =>
  tableOf(sectionOf((await viewer.get(path)).text, 'Payment files')).map((row) => row[1]);

describe('/files', () => {
  it('teaches how files come while there is none', async () => {
    const { status, text } = await viewer.get('/files');
    expect(status).toBe(200);
    expect(wordsOf(text)).toContain('No file has arrived yet. Each CSV file that is put into a drop folder');
    expect(wordsOf((await viewer.get('/files?state=held')).text)).toContain('No file matches.');
  });

  it('shows each file with rows, money, batches and when it was taken', async () => {
    await world.drop('card', 'monday.csv', lines([cardRow(1, { amount: '1250.00' }), cardRow(2)]));
    await world.finish();
    const [row] = tableOf(sectionOf((await viewer.get('/files')).text, 'Payment files'));
    expect(row!.slice(0, 7)).toEqual(['Completed', 'monday.csv', 'main', 'card', '2', '1,275.00 USD', '1 of 1']);
    expect(row![7]).toMatch(/^\d\d:\d\d · just now$/);
  });

  it('pages by 50, on and back, and keeps the filter', async () => {
    for (let n = 1; n <= 101; n += 1) await claim(`page-${String(n).padStart(3, '0')}.csv`);
    const first = await viewer.get('/files?name=page-');
    expect(wordsOf(first.text)).toContain('1 to 50 of 101');
    const next = linksOf(first.text).find((link) => link.includes('after='))!;
    expect(next).toContain('name=page-');
    expect(await names('/files?name=page-')).toEqual(pageNames(101, 52));
    expect(await names(next)).toEqual(pageNames(51, 2));
    const second = await viewer.get(next);
    expect(wordsOf(second.text)).toContain('51 to 100 of 101');
    const back = linksOf(second.text).find((link) => link.includes('before='))!;
    expect(await names(back)).toEqual(pageNames(101, 52));
    const last = linksOf(second.text).find((link) => link.includes('after='))!;
    expect(await names(last)).toEqual(['page-001.csv']);
    expect(linksOf((await viewer.get(last)).text).filter((link) => link.includes('after='))).toEqual([]);
  });

  it('sorts by a heading over the border of pages, and keeps the filter', async () => {
    const first = await viewer.get('/files?name=page-&sort=name');
    expect(first.text).toContain('aria-sort="ascending"');
    expect(await names('/files?name=page-&sort=name')).toEqual(pageNames(50, 1).toReversed());
    const next = linksOf(first.text).find((link) => link.includes('after='))!;
    expect(await names(next)).toEqual(pageNames(100, 51).toReversed());
    const other = linksOf(first.text).find((link) => link.includes('dir=desc'))!;
    expect(other).toContain('name=page-');
    expect(await names(other)).toEqual(pageNames(101, 52));
    expect(await names('/files?name=page-&sort=nonsense&dir=up')).toEqual(pageNames(101, 52));
  });

  it('has tabs with counts, and shows what selects, each with a way to take it off', async () => {
    const { text } = await viewer.get('/files?state=processing&name=page-');
    const tabs = wordsOf(text.split('aria-label="Views"')[1]!.split('</nav>')[0]!);
    expect(tabs).toContain('All Needs attention 0 Processing 101 Completed 1 Rejected 0');
    expect(await names('/files?state=completed')).toEqual(['monday.csv']);
    expect(await names('/files?state=attention')).toEqual([]);
    const chips = text.split('class="chips"')[1]!.split('</ul>')[0]!;
    expect(linksOf(chips)).toEqual(['/files?name=page-&account=', '/files?state=processing&account=']);
  });

  it('filters by days of the zone of the account', async () => {
    await claim('late.csv', '2026-07-02T03:00:00Z');
    expect(await names('/files?account=main&from=2026-07-01&to=2026-07-01')).toEqual(['late.csv']);
    expect(await names('/files?account=main&from=2026-07-02&to=2026-07-02')).toEqual([]);
    expect(await names('/files?from=2026-07-02&to=2026-07-02')).toEqual(['late.csv']);
  });

  it.each([
    'state=nonsense',
    'before=x',
    'after=-1',
    'after=999999999999999&at=7',
    'before=1&at=0',
    'sort=__proto__',
    'from=2026-99-99',
    "name=';--",
    'name[]=a',
    'state=__proto__',
  ])('answers a strange filter: %s', async (query) => {
    expect((await viewer.get(`/files?${query}`)).status).toBe(200);
  });

  it('repeats no number, and escapes what it repeats', async () => {
    const { text } = await viewer.get('/files?name=4222222222222220"><script>alert(1)</script>');
    expect(text).not.toContain('4222222222222220');
    expect(text).not.toContain('<script>alert');
  });
});

function pageNames(from: number, to: number): string[] {
  return Array.from({ length: from - to + 1 }, (_, index) => `page-${String(from - index).padStart(3, '0')}.csv`);
}

const EVIL = '<script>alert(1)</script><img src=x onerror=alert(2)>"';

describe('the pages of files', () => {
  const world = openedForTests(openDashboardWorld);
  let paths: string[];
  beforeAll(async () => {
    const name = 'evil.csv';
    await world.drop('card', name, lines([cardRow(1)]));
    await world.finish();
    const { file_id: id, file_no: no } = await findFile(world.app.ledger, name);
    await transact(world.app.ledger, (tx) =>
      copyFaults(tx, no, 100, [{ code: 'FIELD_COMMA', line: 1, detail: EVIL, value: EVIL }]),
    );
    // Everything from a sender, the service or a user, at its worst.
    await forceSql(world.app, `UPDATE file SET name = $2, reason = $2 WHERE file_id = $1`, [id, EVIL]);
    await forceSql(world.app, `UPDATE batch SET reason = $2, batch_id = $2 WHERE file_id = $1`, [id, EVIL]);
    await forceSql(world.app, `UPDATE payment_row SET invoice = $2, customer_code = $2 WHERE file_no = $1`, [no, EVIL]);
    await forceSql(world.app, `UPDATE row_outcome SET message = $2 WHERE file_no = $1`, [no, EVIL]);
    await forceSql(world.app, `UPDATE audit SET reason = $2, actor = 'operator:' || $2 WHERE file_id = $1`, [id, EVIL]);
    await forceSql(
      world.app,
      `UPDATE attempt SET host = $2::text, evidence = jsonb_build_object('text', $2::text) WHERE file_id = $1`,
      [id, EVIL],
    );
    await forceSql(world.app, `UPDATE output SET name = $2 WHERE file_id = $1`, [id, EVIL]);
    const file = `/files/${id}`;
    const below = ['', '/rows', '/faults', '/batches', '/batches/1', '/outputs/ack'].map((path) => file + path);
    const query = encodeURIComponent(EVIL);
    paths = ['/files', `/files?name=${query}`, ...below, `${file}/rows?invoice=${query}`, `/search?q=${query}`];
  });

  it('show whatever a sender, the service or a person wrote as text', async () => {
    const viewer = await world.as('viewer');
    for (const path of paths) {
      const { status, text } = await viewer.get(path);
      expect([200, 409], path).toContain(status);
      expect(text, path).toContain('&lt;script>alert(1)');
      expect(text, path).not.toMatch(/<script>|<img/);
      expect(text, path).not.toMatch(/"[^">]*<(?:script|img)/);
    }
  });

  it.each(Object.keys(TEST_PEOPLE) as TestPerson[])('answer the %s', async (person) => {
    const browser = await world.as(person);
    for (const path of paths) expect([200, 409], path).toContain((await browser.get(path)).status);
  });

  it('send a stranger to the log-in, and tell a program nothing', async () => {
    for (const path of paths) {
      const { status, location } = await world.stranger().get(path);
      expect([status, location], path).toEqual([302, `/login?next=${encodeURIComponent(path)}`]);
      expect((await world.stranger().get(path, { accept: 'application/json' })).status, path).toBe(401);
    }
  });
});

describe('the pages of payments', () => {
  const world = openedForTests(openDashboardWorld);
  let viewer: TestBrowser;
  let operator: TestBrowser;
  let june: string;
  let again: string;
  const at = (fileId: string, line: number) => `/payments/${fileId}/${line}`;
  const page = async (path: string, as = viewer) => (await as.get(path)).text;
  const factsOf = (html: string) => wordsOf(sectionOf(html, 'Status'));

  beforeAll(async () => {
    const cells = { 2: { card: MAGIC_CARD, amount: '2.00' }, 3: { expiry: '1' } };
    await world.drop('card', 'june.csv', lines(upTo(40).map((n) => cardRow(n, cells[n as 2]))));
    await world.finish();
    [viewer, operator] = [await world.as('viewer'), await world.as('operator')];
    june = (await fileNamed(world, 'june.csv')).file_id;
    await doIt(operator, `/files/${june}/do/resubmit?only=declined`, { reason: 'the card is good now' });
    await world.finish();
    const name = Object.keys(await world.states()).find((one) => one !== 'june.csv')!;
    again = (await fileNamed(world, name)).file_id;
  });

  it('tell both tries of a payment in one timeline, and lead from each to the other', async () => {
    const [first, second] = [await page(at(june, 2)), await page(at(again, 2))];
    const story = wordsOf(sectionOf(first, 'What happened'));
    expect(story).toMatch(
      /Received : june\.csv, line 2 .*Checked : queued in batch 1 .*Sent : attempt 1 .*Declined : 15: General decline.*Sent again by operator: in .*; the card is good now .*Received .*, line 2 .*Declined : 15/,
    );
    expect(wordsOf(sectionOf(second, 'What happened')).match(/Received/g)).toHaveLength(2);
    expect(linksOf(sectionOf(first, 'Status'))).toContain(at(again, 2));
    expect(linksOf(sectionOf(second, 'Status'))).toContain(at(june, 2));
    expect(linksOf(sectionOf(first, 'What happened'))).toEqual(
      expect.arrayContaining([at(again, 2), `/files/${june}?tab=payments&from=2`, `/files/${june}/batches/1`]),
    );
    expect(first).not.toContain(MAGIC_CARD);
  });

  it('say what it means, what to do, and what to write to the customer', async () => {
    const html = await page(at(again, 2), operator);
    expect(factsOf(html)).toMatch(
      /2\.00 USD .*Declined .*••1111 .*General decline\. The payer has to call their bank\./,
    );
    expect(wordsOf(sectionOf(html, 'Answer for the customer'))).toMatch(
      /Your payment of 2\.00 USD for invoice C-2 was declined on .* \(general decline\)\. Please call your bank/,
    );
    expect(linksOf(sectionOf(html, 'Status'))).toContain(`/files/${again}/do/resubmit`);
    expect(await page(at(again, 2))).not.toContain('/do/resubmit');
    expect(linksOf(await page(at(june, 3)))).toContain(`/files/${june}?tab=problems`);
    expect(linksOf(sectionOf(await page(at(june, 1)), 'Status'))).not.toContain(`/files/${june}/do/resubmit`);
  });

  it('list the newest with an issue, each with its page; an issue or account limits them', async () => {
    const rowsOf = async (query = '') =>
      tableOf(sectionOf(await page(`/payments${query}`), 'Payments with an issue')).map((cells) => [
        cells[0],
        cells[4],
      ]);
    const all = [
      ['C-2', 'Declined'],
      ['C-3', 'Invalid'],
    ];
    expect(await rowsOf()).toEqual(all);
    expect(linksOf(await page('/payments'))).toEqual(expect.arrayContaining([at(again, 2), at(june, 3)]));
    expect(await rowsOf('?issue=invalid')).toEqual([all[1]]);
    expect(wordsOf(await page('/payments?issue=invalid'))).toContain('Invalid The expiry');
    expect(await rowsOf('?issue=nonsense&account=main')).toEqual(all);
    expect(await rowsOf('?account=moon')).toEqual([]);
    const csv = await page('/export/issues.csv?issue=declined');
    expect(csv.split('\r\n')[1]).toMatch(/^C-2,,…1111,2\.00,USD,Declined,General decline,/);
  });

  it('are reached from every list that shows a row', async () => {
    const paths = [`/files/${june}?tab=payments`, '/search?q=C-2', '/queue?list=again&advice=all'];
    const lists = await Promise.all(paths.map((path) => page(path)));
    expect(lists.map((html) => linksOf(html).some((link) => link.startsWith('/payments/')))).toEqual([
      true,
      true,
      true,
    ]);
    expect(linksOf(await page(`/files/${june}?tab=problems`))).toContain(at(june, 3));
  });

  it.each(['/0000000000000000/1', `/${CARD}/1`, '/x/1', '/%2e%2e/1', '/0000000000000000/x', '/0000000000000000/0'])(
    'do not know /payments%s',
    async (path) => {
      const { status, text } = await viewer.get(`/payments${path}`);
      expect(status).toBe(404);
      expect(text).not.toContain(CARD);
    },
  );

  it('refuse a NUL', async () => {
    for (const path of [`/payments/${june}/1%00`, '/payments?issue=%00', '/payments?account=a%00'])
      expect((await viewer.get(path)).status, path).toBe(400);
  });
});
