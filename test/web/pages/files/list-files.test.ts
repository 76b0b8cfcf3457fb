import { beforeAll, describe, expect, it } from 'vitest';
import { claimForTest } from '../../../support/claim-for-test.ts';
import { claimOf } from '../../../support/ledger-world.ts';
import { cardRow, lines } from '../../../support/payment-rows.ts';
import { dashboardForTests, type TestBrowser } from '../../support/dashboard-world.ts';
import { linksOf, sectionOf, tableOf, wordsOf } from '../../support/read-page.ts';
import { copyFaults } from '../../../../src/ledger/row/copy-rows.ts';
import { findFile } from '../../../../src/ledger/file/search.ts';
import { transact } from '../../../../src/ledger/engine/transaction.ts';
import { forceSql } from '../../../support/force-sql.ts';

const world = dashboardForTests({ account: { timeZone: 'America/Toronto' } });
let viewer: TestBrowser;
beforeAll(async () => {
  viewer = await world.as('viewer');
});

async function claim(name: string, claimedAt = '2026-06-15T12:00:00Z'): Promise<void> {
  await claimForTest(world.app.ledger, claimOf({ account: 'main', name, claimedAt: new Date(claimedAt) }));
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
  let paths: string[];
  beforeAll(async () => {
    const { file_id: id, file_no: no } = await findFile(world.app.ledger, 'monday.csv');
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
    const below = ['', '?tab=payments', '?tab=problems', '?tab=batches', '/batches/1', '/outputs/ack'].map(
      (path) => file + path,
    );
    const query = encodeURIComponent(EVIL);
    paths = [
      '/files?state=completed',
      `/files?name=${query}`,
      ...below,
      `${file}?tab=payments&invoice=${query}`,
      `/search?q=${query}`,
    ];
  });

  it('show whatever a sender, the service or a person wrote as text', async () => {
    const admin = await world.as('admin');
    for (const path of paths) {
      const { status, text } = await admin.get(path);
      expect([200, 409], path).toContain(status);
      expect(text, path).toContain('&lt;script>alert(1)');
      expect(text, path).not.toMatch(/<script>|<img/);
      expect(text, path).not.toMatch(/"[^">]*<(?:script|img)/);
    }
  });
});
