import { beforeAll, describe, expect, it } from 'vitest';
import { CARD, cardRow, lines, MAGIC_CARD, upTo } from '../../support/payment-rows.ts';
import { doIt, fileNamed } from '../support/action-page.ts';
import { openDashboardWorld, type TestBrowser } from '../support/dashboard-world.ts';
import { linksOf, sectionOf, tableOf, wordsOf } from '../support/read-page.ts';
import { openedForTests } from '../../support/opened-for-tests.ts';

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
