import { beforeAll, describe, expect, it } from 'vitest';
import { findFile } from '../../../../src/ledger/file/search.ts';
import { CARD, cardRow, lines, MAGIC_CARD, upTo } from '../../../support/payment-rows.ts';
import { dashboardForTests, type TestBrowser } from '../../support/dashboard-world.ts';
import { linksOf, sectionOf, tableOf, wordsOf } from '../../support/read-page.ts';
import { FaultTable, GroupTable } from '../../../../src/web/pages/files/file-problems.tsx';
import { forceSql } from '../../../support/force-sql.ts';
import { draw } from '../../support/page-words.ts';

const world = dashboardForTests({ settings: { batch: { maxRows: 60 } } });
let viewer: TestBrowser;
let fileId: string;
let path: string;
let faultsPath: string;
beforeAll(async () => {
  const rows = upTo(120).map((n) => cardRow(n));
  rows[1] = cardRow(2, { card: MAGIC_CARD, amount: '2.00' });
  rows[2] = cardRow(3, { expiry: '12/20' });
  await world.drop('card', 'monday.csv', lines(rows));
  await world.finish();
  const bad = upTo(120).map((n) => cardRow(1_000 + n, { amount: '25.x0', card: CARD.replace(/0$/, '1') }));
  await world.drop('card', 'bad.csv', lines(bad));
  await world.finish();
  ({ file_id: fileId } = await findFile(world.app.ledger, 'monday.csv'));
  path = `/files/${fileId}?tab=payments`;
  faultsPath = `/files/${(await findFile(world.app.ledger, 'bad.csv')).file_id}?tab=problems`;
  viewer = await world.as('viewer');
});

const rowsOf = async (query: string) => tableOf(sectionOf((await viewer.get(path + query)).text, 'Payments'));
const linesOf = async (query: string) => (await rowsOf(query)).map(([line]) => Number(line));

describe('the tab Payments', () => {
  it('shows each row with its outcome, what a code means, and the last four only', async () => {
    const [approved, declined, invalid] = await rowsOf('');
    expect(approved!.slice(0, 7)).toEqual(['1', 'C-1', '', '25.00 USD', '…2220', '1', 'Approved']);
    expect(declined!.slice(3, 8)).toEqual(['2.00 USD', '…1111', '1', 'Declined', '15: General decline']);
    expect([invalid![5], invalid![6]]).toEqual(['', 'Invalid']);
    expect((await viewer.get(path)).text).not.toContain(CARD);
  });

  it('pages by 100 lines and keeps the filter', async () => {
    expect(await linesOf('')).toHaveLength(100);
    const { text } = await viewer.get(`${path}&outcome=approved`);
    expect(wordsOf(text)).toContain('1 to 100 of 118');
    const next = linksOf(text).find((link) => link.includes('after='))!;
    expect(next).toBe(`${path}&outcome=approved&after=102&at=101`);
    expect(await linesOf(next.slice(path.length))).toEqual(upTo(18).map((n) => 102 + n));
    const second = await viewer.get(next);
    expect(wordsOf(second.text)).toContain('101 to 118 of 118');
    const back = linksOf(second.text).find((link) => link.includes('before='))!;
    expect(wordsOf((await viewer.get(back)).text)).toContain('1 to 100 of 118');
  });

  it.each([
    ['&outcome=declined', [2]],
    ['&outcome=invalid', [3]],
    ['&outcome=unknown', []],
    ['&invoice=C-7', [7]],
    ['&invoice=C-7&outcome=declined', []],
    ['&batch=2&from=119', [119, 120]],
    ['&from=120', [120]],
    ['&outcome=nonsense&from=119', [119, 120]],
    ['&after=999999999999999', []],
  ])('filters: %s', async (query, expected) => {
    expect(await linesOf(query)).toEqual(expected);
  });

  it('sorts by amount, and the other way by the same heading', async () => {
    const amountsOf = async (link: string) => (await rowsOf(link.slice(path.length))).map((cells) => cells[3]);
    const sorts = linksOf((await viewer.get(path)).text).filter((link) => link.includes('sort=amount'));
    expect(sorts[0]).toBe(`${path}&sort=amount`);
    expect((await amountsOf(sorts[0]!))[0]).toBe('25.00 USD');
    const { text } = await viewer.get(sorts[0]!);
    expect(text).toContain('aria-sort="descending"');
    const other = linksOf(text).find((link) => link.includes('dir=asc'))!;
    expect((await amountsOf(other)).slice(0, 2)).toEqual(['2.00 USD', '25.00 USD']);
  });

  it('leaves a file of very many rows in its order, and leads back to its start', async () => {
    await forceSql(world.app, 'UPDATE file SET records = 60000 WHERE file_id = $1', [fileId]);
    const { text } = await viewer.get(`${path}&sort=amount`);
    expect(text).not.toContain('aria-sort');
    const next = linksOf(text).find((link) => link.includes('after='))!;
    const second = await viewer.get(next);
    expect(await linesOf(next.slice(path.length))).toEqual(upTo(20).map((n) => 100 + n));
    const back = /href="([^"]+)">← From the start/.exec(second.text)![1]!.replaceAll('&amp;', '&');
    expect(await linesOf(back.slice(path.length))).toEqual(upTo(100));
    expect(await linesOf('&before=50')).toEqual(upTo(100));
    await forceSql(world.app, 'UPDATE file SET records = 120 WHERE file_id = $1', [fileId]);
  });

  it('answers no card number and repeats none', async () => {
    for (const invoice of [CARD, '4222 2222 2222 2220', `x ${CARD}`]) {
      const { status, text } = await viewer.get(`${path}&invoice=${encodeURIComponent(invoice)}`);
      expect(status).toBe(200);
      expect(wordsOf(text)).toContain('Card numbers cannot be searched; use the invoice');
      expect(text.replaceAll(/\D/g, '')).not.toContain(CARD);
    }
  });
});

describe('the tab Batches', () => {
  it('shows state, rows, money and the id of the service, each with its page', async () => {
    const { text } = await viewer.get(`/files/${fileId}?tab=batches`);
    const rows = tableOf(sectionOf(text, 'Batches')).map((row) => row.slice(0, 4));
    expect(rows).toEqual([
      ['Batch 1', 'Reconciled', '60', '1,477.00 USD'],
      ['Batch 2', 'Reconciled', '59', '1,475.00 USD'],
    ]);
    expect(linksOf(text)).toContain(`/files/${fileId}/batches/2`);
  });

  it('pages by 100', async () => {
    await forceSql(
      world.app,
      `INSERT INTO batch (file_id, batch_no, account, merchant_no, operation, state, state_at, rows, cents, body_sha256, first_line, last_line)
       SELECT $1, n, 'main', merchant_of('main'), 'card', 'cancelled', now(), 1, 1, '', n, n FROM generate_series(3, 150) n`,
      [fileId],
    );
    const { text } = await viewer.get(`/files/${fileId}?tab=batches`);
    expect(tableOf(sectionOf(text, 'Batches'))).toHaveLength(100);
    expect(wordsOf(text)).toContain('1 to 100 of 150');
    const next = linksOf(text).find((link) => link.includes('after='))!;
    const rest = await viewer.get(next);
    expect(tableOf(sectionOf(rest.text, 'Batches')).map(([name]) => name)).toEqual(
      upTo(50).map((n) => `Batch ${100 + n}`),
    );
  });
});

describe('the tab Problems', () => {
  it('groups the problems by cause, with the first lines of each', async () => {
    const groups = tableOf(sectionOf((await viewer.get(faultsPath)).text, 'Problems by cause'));
    expect(groups.map((cells) => cells.slice(0, 4))).toContainEqual([
      'The card number fails its check digit',
      'Credit Card #',
      '120',
      '1, 2, 3, 4, 5, 6, 7, 8, 9, 10, …',
    ]);
  });

  it('hands out only the faulty rows, masked, with the reasons, and notes who took them', async () => {
    const { text, headers } = await viewer.get(`/files/${fileId}/problems.csv`);
    const [head, row, ...rest] = text.trimEnd().split('\r\n');
    expect(head).toMatch(/^Line,.*,Reason$/);
    expect(row).toMatch(/^3,.*C-3.*2220.*12\/20.*,the card .*expire/i);
    expect(rest).toEqual([]);
    expect(text).not.toContain(CARD);
    expect(headers.get('content-disposition')).toMatch(/^attachment; filename="\w{8}\.problems\.csv"/);
    const { rows } = await world.app.ledger.pool.query(
      `SELECT actor, evidence->>'kind' AS kind FROM audit WHERE move = 'download' AND file_id = $1`,
      [fileId],
    );
    expect(rows).toEqual([{ actor: 'operator:viewer', kind: 'problems' }]);
    expect(linksOf((await viewer.get(`/files/${fileId}?tab=problems`)).text)).toContain(
      `/files/${fileId}/problems.csv`,
    );
  });

  it('masks a number wherever it stands in a row that is not sent', async () => {
    const { text } = await viewer.get(`${faultsPath.split('?')[0]}/problems.csv`);
    expect(text.split('\r\n')).toHaveLength(122);
    expect(text.replaceAll(/\D/g, '')).not.toContain(CARD.slice(0, 12));
  });

  it('leads to the place for the corrected file, only for one that is stopped and a person who may drop', async () => {
    const bad = faultsPath.slice('/files/'.length).split('?')[0]!;
    const corrected = `/drop?replaces=${bad}`;
    const operator = await world.as('operator');
    expect(linksOf((await operator.get(faultsPath)).text)).toContain(corrected);
    expect(linksOf((await viewer.get(faultsPath)).text)).not.toContain(corrected);
    expect((await operator.get(`/files/${fileId}?tab=problems`)).text).not.toContain('/drop?replaces=');
    const page = await operator.get(corrected);
    expect(wordsOf(page.text)).toContain('This corrects bad.csv Nothing in the old file was sent.');
    expect(page.text).toContain('<option value="drop/card" selected>');
    expect((await operator.get(`/drop?replaces=${fileId}`)).text).not.toContain('This corrects');
    expect((await operator.get('/drop?replaces=4222222222222220')).status).toBe(404);
  });

  it('shows line, column, what is wrong, what to do and the masked value, 100 a page', async () => {
    const { text } = await viewer.get(faultsPath);
    const rows = tableOf(sectionOf(text, 'Line by line'));
    expect(rows).toHaveLength(100);
    const card = rows.find((row) => row[4] === '************2221')!;
    expect(card).toEqual([
      '1',
      'Credit Card #',
      'The card number fails its check digit',
      'Compare the number with the card; a digit is wrong.',
      '************2221',
    ]);
    const next = linksOf(text).find((link) => link.includes('from='))!;
    expect(next).toBe(`${faultsPath}&from=101`);
    expect(tableOf(sectionOf((await viewer.get(next)).text, 'Line by line')).map(([line]) => line)).toContain('100');
    expect(linksOf((await viewer.get(next)).text)).toContain(faultsPath);
  });
});

describe('GroupTable', () => {
  it('escapes details, and names the file where a problem is of no line', () => {
    const group = { code: 'SAME_ROWS', column: null, detail: '<b>d</b>', faults: 1, lines: [0] } as const;
    const html = draw(GroupTable, { groups: [{ ...group, lines: [...group.lines] }] });
    expect(tableOf(html)[0]![3]).toBe('file');
    expect(html).not.toContain('<b>');
  });
});

describe('FaultTable', () => {
  it('escapes values, and says when a fault is of the whole file or there is none', () => {
    const texts = { detail: '<b>d</b>', value: '<i>v</i>' };
    const fault = { seq: 1, line: 0, column: null, code: 'SAME_ROWS', isRow: false, ...texts } as const;
    const html = draw(FaultTable, { fileId, faults: [fault] });
    expect(tableOf(html)[0]![0]).toBe('file');
    expect(html).not.toMatch(/<b>|<i>/);
    expect(wordsOf(draw(FaultTable, { fileId, faults: [] }))).toContain('No problems.');
  });
});
