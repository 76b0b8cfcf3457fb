import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { findFile } from '../../../../src/ledger/file/search.ts';
import { recordOutput } from '../../../../src/ledger/file/complete-file.ts';
import { OutputTable, attachmentOf } from '../../../../src/web/pages/files/file-outputs.tsx';
import { CARD, cardRow, lines } from '../../../support/payment-rows.ts';
import { dashboardForTests, type TestBrowser } from '../../support/dashboard-world.ts';
import { forceSql } from '../../../support/force-sql.ts';
import { wordsOf } from '../../support/read-page.ts';
import type { FastifyRequest } from 'fastify';
import type { App } from '../../../../src/app.ts';
import { batchOf, customsOf, fileOf, startOf } from '../../../../src/web/pages/files/read-address.ts';
import { draw } from '../../support/page-words.ts';
import { readFileFacts } from '../../../../src/ledger/file/read-why.ts';
import { readFileRow } from '../../../../src/ledger/file/read-file.ts';

const world = dashboardForTests({ account: { outputs: { workbook: true } } });
let viewer: TestBrowser;
let fileId: string;
beforeAll(async () => {
  await world.drop('card', 'Löhne "Juni".csv', lines([cardRow(1)]));
  await world.finish();
  ({ file_id: fileId } = await findFile(world.app.ledger, 'Löhne "Juni".csv'));
  viewer = await world.as('viewer');
});

const outputPath = async (ending: string) => {
  const { out } = world.settings.paths;
  return join(out, (await readdir(out)).find((name) => name.endsWith(ending))!);
};

describe('/files/:fileId/outputs/:kind', () => {
  it.each([
    ['result', '.result.csv', 'text/csv; charset=utf-8'],
    ['result-xlsx', '.result.xlsx', 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'],
    ['summary-json', '.summary.json', 'application/json; charset=utf-8'],
    ['summary-txt', '.summary.txt', 'text/plain; charset=utf-8'],
  ])('hands out the %s as it lies in the out folder', async (kind, ending, type) => {
    const { status, headers, text } = await viewer.get(`/files/${fileId}/outputs/${kind}`);
    expect(status).toBe(200);
    expect(text).toBe(await readFile(await outputPath(ending), 'utf8'));
    expect(text).not.toContain(CARD);
    expect(headers.get('content-type')).toBe(type);
    expect(headers.get('cache-control')).toBe('no-store');
    expect(headers.get('content-disposition')).toMatch(
      /^attachment; filename="L_hne _Juni___[0-9a-z]{8}\.\w+\.\w+"; filename\*=UTF-8''L%C3%B6hne%20_Juni___/,
    );
  });

  it('records who downloaded what, and not that a page asked for the head alone or for what is not handed out', async () => {
    const { pool } = world.app.ledger;
    const before = (await pool.query('SELECT audit_settled() AS seq')).rows[0].seq;
    const path = `/files/${fileId}/outputs/result`;
    await viewer.send(path, { method: 'HEAD' });
    await viewer.get(`${path}?number=7`);
    await viewer.get(path);
    const { rows } = await pool.query('SELECT actor, file_id, move, evidence FROM audit WHERE seq > $1', [before]);
    const evidence = { kind: 'result', number: 0, name: expect.stringMatching(/\.result\.csv$/) };
    expect(rows).toEqual([{ actor: 'operator:viewer', file_id: fileId, move: 'download', evidence }]);
    const { links } = await readFileFacts(world.app.ledger, await readFileRow(world.app.ledger, fileId));
    expect(links.map(({ move }) => move)).not.toContain('download');
  });

  it('tells its size to a request for the head alone', async () => {
    const { status, headers, text } = await viewer.send(`/files/${fileId}/outputs/result`, { method: 'HEAD' });
    const { length } = await readFile(await outputPath('.result.csv'));
    expect([status, headers.get('content-length'), text]).toEqual([200, String(length), '']);
  });

  it.each([
    '../../../etc/passwd',
    '..%2f..%2fetc%2fpasswd',
    '..%252f..%252fetc%252fpasswd',
    '%2Fetc%2Fpasswd',
    'result%00.csv',
    'result/../ack',
    '..\\ack',
    'nak',
    'toString',
    '__proto__',
    'result?number=1',
    'result?number=../1',
  ])('knows no output "%s" but by its kind', async (kind) => {
    const { status, text, headers } = await viewer.get(`/files/${fileId}/outputs/${kind}`);
    // An unreadable number counts as none, and `fetch` resolves the dots of a path. The others lead nowhere.
    if (kind.endsWith('../1')) expect(headers.get('content-disposition')).toContain('.result.csv');
    else if (kind === 'result/../ack') expect(headers.get('content-disposition')).toContain('.ack.csv');
    else expect([400, 404]).toContain(status);
    expect(text).not.toContain('root:');
  });

  it('hands out nothing that lies outside the folder, whatever the ledger was made to say', async () => {
    const output = { kind: 'retry', name: '../data/master.key', sha256: 'x', bytes: 1, rows: 0 } as const;
    await recordOutput(world.app.ledger, { file: await readFileRow(world.app.ledger, fileId) }, output);
    expect((await viewer.get(`/files/${fileId}/outputs/retry`)).status).toBe(409);
    await forceSql(world.app, `DELETE FROM output WHERE file_id = $1 AND kind = 'retry'`, [fileId]);
  });

  it('hands out nothing that was changed or is gone, and says what to do', async () => {
    const path = await outputPath('.ack.csv');
    const whole = await readFile(path);
    const ask = async () => {
      const { status, text, headers } = await viewer.get(`/files/${fileId}/outputs/ack`);
      expect([status, headers.get('content-disposition')]).toEqual([409, null]);
      return wordsOf(text);
    };
    await rm(path);
    expect(await ask()).toContain('paydrop can generate the same bytes again from the ledger');
    await writeFile(path, Buffer.from(whole.map((byte) => byte ^ 1)));
    expect(await ask()).toContain('it differs from the file that paydrop wrote');
    await writeFile(path, whole);
    expect((await viewer.get(`/files/${fileId}/outputs/ack`)).status).toBe(200);
  });

  it('says at which site it lies', async () => {
    await forceSql(world.app, `UPDATE file SET site = 'north' WHERE file_id = $1`, [fileId]);
    const { status, text } = await viewer.get(`/files/${fileId}/outputs/ack`);
    expect([status, wordsOf(text).includes('it is at site "north"')]).toEqual([409, true]);
    await forceSql(world.app, `UPDATE file SET site = 'main' WHERE file_id = $1`, [fileId]);
  });

  it('asks a stranger to log in first', async () => {
    const { status, location } = await world.stranger().get(`/files/${fileId}/outputs/result`);
    expect([status, location]).toEqual([302, `/login?next=${encodeURIComponent(`/files/${fileId}/outputs/result`)}`]);
  });
});

describe('OutputTable', () => {
  it('leads to each output, to corrections by their number', () => {
    const output = { file_id: 'abc', name: 'x.csv', sha256: '', bytes: 1_200, rows: 3, written_at: new Date(0) };
    const outputs = [
      { ...output, kind: 'result' as const, number: 0 },
      { ...output, kind: 'correction' as const, number: 2 },
    ];
    const html = draw(OutputTable, { outputs, timeZone: 'UTC' });
    expect(html).toContain('href="/files/abc/outputs/result"');
    expect(html).toContain('href="/files/abc/outputs/correction?number=2"');
    expect(draw(OutputTable, { outputs: [], timeZone: 'UTC' })).toContain('No output files yet.');
  });
});

const asked = (params: Record<string, string>, query: Record<string, string> = {}) =>
  ({ params, query }) as unknown as FastifyRequest;

describe('fileOf and batchOf', () => {
  it('read what the address names', async () => {
    expect(await fileOf(world.app, asked({ fileId }))).toMatchObject({ file_id: fileId });
    const found = await batchOf(world.app, asked({ fileId, batchNo: '1' }));
    expect(found).toMatchObject({ file: { file_id: fileId }, batch: { batch_no: 1 } });
  });

  it.each(['4222222222222220', '../../etc/passwd', '', 'ABCDEFGHJKMNPQRS', 'zzzzzzzzzzzzzzzz'])(
    'know no file "%s", and do not repeat it',
    async (strange) => {
      const thrown: unknown = await fileOf(world.app, asked({ fileId: strange })).catch((error: unknown) => error);
      expect(thrown).toMatchObject({ code: 'NOT_FOUND', message: 'This page does not exist (any more).' });
    },
  );

  it.each(['0', '-1', '1.5', '2', 'x', '9999999', '1;DROP'])('know no batch "%s"', async (batchNo) => {
    await expect(batchOf(world.app, asked({ fileId, batchNo }))).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });
});

describe('startOf', () => {
  it.each([
    ['17', 17],
    ['0', 0],
    ['-3', 0],
    ['1e9', 0],
    ['99999999999999999999', 0],
    ['', 0],
  ])('of "%s" is %i', (from, start) => {
    expect(startOf(asked({}, { from }), 'from')).toBe(start);
  });
});

describe('customsOf', () => {
  it('has zone and currency of the account, and UTC of one that is not configured any more', () => {
    const accounts = new Map([['main', { timeZone: 'America/Toronto', currency: 'USD' }]]);
    const settings = { accounts } as unknown as App['settings'];
    expect(customsOf({ settings }, 'main')).toEqual({ timeZone: 'America/Toronto', currency: 'USD' });
    expect(customsOf({ settings }, 'gone')).toEqual({ timeZone: 'UTC', currency: undefined });
  });
});

it.each([
  ['monday.csv', `attachment; filename="monday.csv"; filename*=UTF-8''monday.csv`],
  ['a "b" \\c%.csv', `attachment; filename="a _b_ _c_.csv"; filename*=UTF-8''a%20%22b%22%20%5Cc%25.csv`],
  ['Löhne.csv', `attachment; filename="L_hne.csv"; filename*=UTF-8''L%C3%B6hne.csv`],
  [`it's (1)*.csv`, `attachment; filename="it's (1)*.csv"; filename*=UTF-8''it%27s%20%281%29%2A.csv`],
  ['a\r\nset-cookie: x', `attachment; filename="a__set-cookie: x"; filename*=UTF-8''a%0D%0Aset-cookie%3A%20x`],
  ['half \ud800.csv', `attachment; filename="half _.csv"; filename*=UTF-8''half%20_.csv`],
])('attachmentOf writes the name %j so that no header breaks', (name, header) => {
  expect(attachmentOf(name)).toBe(header);
  expect(() => new Headers({ 'content-disposition': header })).not.toThrow();
});
