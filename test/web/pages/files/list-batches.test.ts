import { h } from 'preact';
import { renderToString } from 'preact-render-to-string';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findFile } from '../../../../src/ledger/file/search.ts';
import { BatchTable } from '../../../../src/web/pages/files/file-lists.tsx';
import { cardRow, lines, upTo } from '../../../support/payment-rows.ts';
import { type DashboardWorld, openDashboardWorld } from '../../support/dashboard-world.ts';
import { forceSql } from '../../../support/force-sql.ts';
import { linksOf, tableOf, wordsOf } from '../../support/read-page.ts';

let world: DashboardWorld;
let fileId: string;
beforeAll(async () => {
  world = await openDashboardWorld({ settings: { batch: { maxRows: 2 } } });
  await world.drop('card', 'monday.csv', lines(upTo(3).map((n) => cardRow(n))));
  await world.finish();
  ({ file_id: fileId } = await findFile(world.app.ledger, 'monday.csv'));
});
afterAll(() => world.close());

describe('/files/:fileId/batches', () => {
  it('shows state, rows, money and the id of the service, each with its page', async () => {
    const { text } = await (await world.as('viewer')).get(`/files/${fileId}/batches`);
    const rows = tableOf(text).map((row) => row.slice(0, 4));
    expect(rows).toEqual([
      ['Batch 1', 'reconciled', '2', '50.00 USD'],
      ['Batch 2', 'reconciled', '1', '25.00 USD'],
    ]);
    expect(linksOf(text)).toContain(`/files/${fileId}/batches/2`);
  });

  it('pages by 100', async () => {
    await forceSql(
      world.app,
      `INSERT INTO batch (file_id, batch_no, account, operation, state, state_at, rows, cents, body_sha256, first_line, last_line)
       SELECT $1, n, 'main', 'card', 'cancelled', now(), 1, 1, '', n, n FROM generate_series(3, 150) n`,
      [fileId],
    );
    const viewer = await world.as('viewer');
    const { text } = await viewer.get(`/files/${fileId}/batches`);
    expect(tableOf(text)).toHaveLength(100);
    expect(linksOf(text)).toContain(`/files/${fileId}/batches?from=101`);
    const rest = await viewer.get(`/files/${fileId}/batches?from=101`);
    expect(tableOf(rest.text).map(([name]) => name)).toEqual(upTo(50).map((n) => `Batch ${100 + n}`));
  });
});

describe('BatchTable', () => {
  it('says what would stand here', () => {
    const customs = { timeZone: 'UTC', currency: undefined };
    expect(wordsOf(renderToString(h(BatchTable, { fileId: 'abc', batches: [], customs })))).toMatch(/^No batches\./);
  });
});
