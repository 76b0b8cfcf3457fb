import { connect } from 'node:net';
import { once } from 'node:events';
import Papa from 'papaparse';
import readWorkbook from 'read-excel-file/node';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { formatInZone } from '../../../src/calendar/zone-time.ts';
import { findFile } from '../../../src/ledger/file/search.ts';
import { CARD, cardRow, lines, MAGIC_CARD, upTo } from '../../support/payment-rows.ts';
import { forceSql } from '../../support/force-sql.ts';
import { dashboardForTests, type TestBrowser } from '../support/dashboard-world.ts';
import { linksOf, tableOf } from '../support/read-page.ts';

const ZONE = 'America/Toronto';
const world = dashboardForTests({ account: { timeZone: ZONE } });
let viewer: TestBrowser;
let fileId: string;
beforeAll(async () => {
  const rows = upTo(5).map((n) => cardRow(n));
  rows[1] = cardRow(2, { card: MAGIC_CARD, amount: '2.00' });
  await world.drop('card', 'monday.csv', lines(rows));
  await world.finish();
  await world.drop('card', 'tuesday.csv', lines([cardRow(77, { amount: '99.00' })]));
  await world.finish();
  ({ file_id: fileId } = await findFile(world.app.ledger, 'monday.csv'));
  viewer = await world.as('viewer');
});

const FOLLOWED = { 'sec-fetch-site': 'same-origin' };

async function csvOf(path: string): Promise<string[][]> {
  const { status, text, headers } = await viewer.get(path, FOLLOWED);
  expect([status, headers.get('content-type')]).toEqual([200, 'text/csv; charset=utf-8']);
  return Papa.parse<string[]>(text.replace(/^\ufeff/, ''), { newline: '\r\n', skipEmptyLines: true }).data;
}

async function bytesOf(path: string): Promise<Buffer> {
  const answer = await fetch(world.url + path, { headers: { cookie: viewer.cookie } });
  expect(answer.status).toBe(200);
  return Buffer.from(await answer.arrayBuffer());
}

async function readExports(): Promise<{ actor: string; evidence: Record<string, unknown> }[]> {
  const { rows } = await world.app.ledger.pool.query<{ actor: string; evidence: Record<string, unknown> }>(
    `SELECT actor, evidence FROM audit WHERE move = 'export' ORDER BY seq`,
  );
  return rows;
}

/** The end of an export is recorded when its last bytes have left. */
async function lastExport(before: number) {
  await vi.waitFor(async () => expect((await readExports()).length).toBeGreaterThan(before), { timeout: 10_000 });
  return (await readExports()).at(-1)!;
}

describe('an export as CSV', () => {
  it('has the rows of the page in its order, and is found there', async () => {
    const path = `/files/${fileId}?tab=payments&outcome=approved&sort=amount`;
    const page = await viewer.get(path);
    const link = linksOf(page.text).find((href) => href.startsWith('/export/') && href.includes('.csv'))!;
    const [titles, ...rows] = await csvOf(link);
    expect(titles!.slice(0, 5)).toEqual(['Line', 'Invoice', 'Customer code', 'Amount', 'Currency']);
    const shown = tableOf(page.text).map(([line, invoice]) => [line, invoice]);
    expect(shown.length).toBe(4);
    expect(rows.map(([line, invoice]) => [line, invoice])).toEqual(shown);
    expect(rows[0]!.slice(3, 8)).toEqual(['25.00', 'USD', '…2220', '1', 'Approved']);
  });

  it('begins with the mark of UTF-8, ends lines as spreadsheets do, and has a name that tells what it is', async () => {
    const bytes = await bytesOf('/export/files.csv');
    expect(bytes.subarray(0, 3)).toEqual(Buffer.from([0xef, 0xbb, 0xbf]));
    expect(bytes.toString().match(/\r\n/g)).toHaveLength(3);
    const { headers } = await viewer.get('/export/files.csv');
    expect(headers.get('content-disposition')).toMatch(/^attachment; filename="paydrop-files-\d{4}-\d\d-\d\d\.csv"/);
    expect(headers.get('content-encoding')).toBeNull();
  });

  it('lets no cell run as a formula, and keeps negative amounts numbers', async () => {
    await forceSql(world.app, `UPDATE payment_row SET customer_code = '=cmd|x', amount_cents = -10000 WHERE line = 4`);
    await forceSql(world.app, `UPDATE payment_row SET customer_code = '@x' WHERE line = 5`);
    const rows = await csvOf(`/export/payments.csv?file=${fileId}&from=4`);
    expect(rows[1]!.slice(2, 4)).toEqual(["'=cmd|x", '-100.00']);
    expect(rows[2]![2]).toBe("'@x");
  });

  it('writes moments with their offset, in the zone of the viewer', async () => {
    const [titles, ...rows] = await csvOf('/export/files.csv?sort=time&dir=asc');
    const { claimed_at: at } = await findFile(world.app.ledger, fileId);
    const [day, time, offset] = formatInZone(at, ZONE).split(' ');
    expect(rows[0]![titles!.indexOf('Received')]).toBe(`${day}T${time}${offset}`);
  });

  it('reads more rows than are read at once', async () => {
    await forceSql(
      world.app,
      `INSERT INTO payment_row (file_no, line, batch_no, invoice, customer_code, amount_cents, last_four)
       SELECT file_no, n, NULL, 'many-' || n, '', n, '' FROM file, generate_series(11, 4510) n WHERE file_id = $1`,
      [fileId],
    );
    const rows = await csvOf(`/export/payments.csv?file=${fileId}&outcome=invalid`);
    expect(rows.slice(1).map(([line]) => Number(line))).toEqual(upTo(4_500).map((n) => n + 10));
    const sorted = await csvOf(`/export/payments.csv?file=${fileId}&outcome=invalid&sort=amount`);
    expect(sorted.slice(1).map(([line]) => Number(line))).toEqual(upTo(4_500).map((n) => 4_511 - n));
  });

  it.each(['files', 'audit', 'report', 'batches', 'payments'])('has lines of the list %s', async (name) => {
    expect((await csvOf(`/export/${name}.csv?file=${fileId}`)).length).toBeGreaterThan(1);
  });

  it('holds no number of a card', async () => {
    expect((await bytesOf(`/export/payments.csv?file=${fileId}`)).toString()).not.toContain(CARD);
  });
});

describe('an export as workbook', () => {
  it('has numbers, money and moments that another program takes for such, and no formulas', async () => {
    const [sheet] = await readWorkbook(await bytesOf('/export/files.xlsx?sort=name'));
    const [titles, ...rows] = sheet!.data as unknown[][];
    expect(titles).toContain('Received (Toronto)');
    const cell = (title: string) => rows[0]![titles!.indexOf(title)];
    expect([cell('Name'), cell('Rows'), cell('Total'), cell('State')]).toEqual([
      'monday.csv',
      5,
      102,
      'Completed with declines',
    ]);
    expect(cell('Received (Toronto)')).toBeInstanceOf(Date);
    const { claimed_at: at } = await findFile(world.app.ledger, fileId);
    const shown = Date.parse(`${formatInZone(at, ZONE).slice(0, 19).replace(' ', 'T')}Z`);
    expect(Math.abs((cell('Received (Toronto)') as Date).getTime() - shown)).toBeLessThan(1_000);
  });

  it('holds a formula as the text that it was', async () => {
    const [sheet] = await readWorkbook(await bytesOf(`/export/payments.xlsx?file=${fileId}&from=4&batch=1`));
    expect((sheet!.data as unknown[][])[1]!.slice(2, 4)).toEqual(['=cmd|x', -100]);
  });

  it('is refused for more rows than a sheet should have', async () => {
    await forceSql(
      world.app,
      `INSERT INTO payment_row (file_no, line, batch_no, invoice, customer_code, amount_cents, last_four)
       SELECT file_no, n, NULL, 'x', '', n, '' FROM file, generate_series(1001, 51001) n WHERE name = 'tuesday.csv'`,
    );
    const { file_id: large } = await findFile(world.app.ledger, 'tuesday.csv');
    const { status, text } = await viewer.get(`/export/payments.xlsx?file=${large}`);
    expect(status).toBe(400);
    expect(text).toContain('A workbook has at most 50,000 rows.');
  });
});

describe('exports', () => {
  it('are recorded with who, what and how many', async () => {
    const before = (await readExports()).length;
    await csvOf(`/export/payments.csv?file=${fileId}&outcome=declined`);
    expect(await lastExport(before)).toEqual({
      actor: 'operator:viewer',
      evidence: {
        list: 'payments',
        form: 'csv',
        filter: { file: fileId, outcome: 'declined' },
        rows: 1,
        isWhole: true,
      },
    });
  });

  it('run once at a time for a person, and one that is broken off is recorded and makes room', async () => {
    await forceSql(
      world.app,
      `INSERT INTO payment_row (file_no, line, batch_no, invoice, customer_code, amount_cents, last_four)
       SELECT file_no, n, NULL, repeat('x', 500), '', n, '' FROM file, generate_series(60001, 90000) n
       WHERE name = 'tuesday.csv'`,
    );
    const { file_id: large } = await findFile(world.app.ledger, 'tuesday.csv');
    const before = (await readExports()).length;
    const { hostname, port } = new URL(world.url);
    const socket = connect({ host: hostname, port: Number(port) });
    socket.write(
      `GET /export/payments.csv?file=${large} HTTP/1.1\r\nhost: ${hostname}:${port}\r\ncookie: ${viewer.cookie}\r\n\r\n`,
    );
    await once(socket, 'readable');
    const { status, text } = await viewer.get('/export/files.csv');
    expect(status).toBe(429);
    expect(text).toContain('You have an export running');
    socket.destroy();
    const { evidence } = await lastExport(before);
    expect(evidence).toMatchObject({ list: 'payments', isWhole: false });
    expect(evidence['rows']).toBeLessThan(80_000);
    await vi.waitFor(async () => expect((await viewer.get('/export/files.csv')).status).toBe(200), { timeout: 10_000 });
  });

  it.each(['/export/files.pdf', '/export/people.csv', '/export/__proto__.csv', '/export/payments.csv?file=nothing'])(
    'there is none at %s',
    async (path) => {
      expect((await viewer.get(path)).status).toBe(404);
    },
  );

  it('are not begun by a page of another site', async () => {
    const { status } = await viewer.get('/export/files.csv', { 'sec-fetch-site': 'cross-site' });
    expect(status).toBe(403);
    expect((await world.stranger().get('/export/files.csv', { accept: '*/*' })).status).toBe(401);
  });
});
