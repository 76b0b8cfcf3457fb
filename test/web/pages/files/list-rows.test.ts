import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findFile } from '../../../../src/ledger/file/search.ts';
import { CARD, cardRow, lines, MAGIC_CARD, upTo } from '../../../support/payment-rows.ts';
import { type DashboardWorld, openDashboardWorld, type TestBrowser } from '../../support/dashboard-world.ts';
import { linksOf, sectionOf, tableOf, wordsOf } from '../../support/read-page.ts';

let world: DashboardWorld;
let viewer: TestBrowser;
let path: string;
beforeAll(async () => {
  world = await openDashboardWorld({ settings: { batch: { maxRows: 60 } } });
  const rows = upTo(120).map((n) => cardRow(n));
  rows[1] = cardRow(2, { card: MAGIC_CARD, amount: '2.00' });
  rows[2] = cardRow(3, { expiry: '12/20' });
  await world.drop('card', 'monday.csv', lines(rows));
  await world.finish();
  path = `/files/${(await findFile(world.app.ledger, 'monday.csv')).file_id}/rows`;
  viewer = await world.as('viewer');
});
afterAll(() => world.close());

const rowsOf = async (query: string) => tableOf(sectionOf((await viewer.get(path + query)).text, 'Rows of monday.csv'));
const linesOf = async (query: string) => (await rowsOf(query)).map(([line]) => Number(line));

describe('/files/:fileId/rows', () => {
  it('shows each row with its outcome, what a code means, and the last four only', async () => {
    const [approved, declined, invalid] = await rowsOf('');
    expect(approved!.slice(0, 7)).toEqual(['1', 'C-1', '', '25.00 USD', '…2220', '1', 'APPROVED']);
    expect(declined!.slice(3, 8)).toEqual(['2.00 USD', '…1111', '1', 'DECLINED', '15: General decline']);
    expect([invalid![5], invalid![6]]).toEqual(['', 'INVALID']);
    expect((await viewer.get(path)).text).not.toContain(CARD);
  });

  it('pages by 100 lines and keeps the filter', async () => {
    expect(await linesOf('')).toHaveLength(100);
    const { text } = await viewer.get(`${path}?outcome=approved`);
    const next = linksOf(text).find((link) => link.includes('from='))!;
    expect(next).toBe(`${path}?outcome=approved&from=103`);
    expect(await linesOf(next.slice(path.length))).toEqual(upTo(18).map((n) => 102 + n));
    expect(linksOf((await viewer.get(next)).text)).toContain(`${path}?outcome=approved`);
  });

  it.each([
    ['?outcome=declined', [2]],
    ['?outcome=invalid', [3]],
    ['?outcome=unknown', []],
    ['?invoice=C-7', [7]],
    ['?invoice=C-7&outcome=declined', []],
    ['?batch=2&from=119', [119, 120]],
    ['?from=120', [120]],
    ['?outcome=nonsense&from=119', [119, 120]],
  ])('filters: %s', async (query, expected) => {
    expect(await linesOf(query)).toEqual(expected);
  });

  it('answers no card number and repeats none', async () => {
    for (const invoice of [CARD, '4222 2222 2222 2220', `x ${CARD}`]) {
      const { status, text } = await viewer.get(`${path}?invoice=${encodeURIComponent(invoice)}`);
      expect(status).toBe(200);
      expect(wordsOf(text)).toContain('Card numbers cannot be searched; use the invoice');
      expect(text.replaceAll(/\D/g, '')).not.toContain(CARD);
    }
  });
});
