import { h } from 'preact';
import { renderToString } from 'preact-render-to-string';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findFile } from '../../../../src/ledger/file/search.ts';
import { FaultTable } from '../../../../src/web/pages/files/file-lists.tsx';
import { CARD, cardRow, lines, upTo } from '../../../support/payment-rows.ts';
import { type DashboardWorld, openDashboardWorld } from '../../support/dashboard-world.ts';
import { linksOf, tableOf, wordsOf } from '../../support/read-page.ts';

let world: DashboardWorld;
let path: string;
beforeAll(async () => {
  world = await openDashboardWorld();
  const bad = upTo(120).map((n) => cardRow(n, { amount: '25.x0', card: CARD.replace(/0$/, '1') }));
  await world.drop('card', 'bad.csv', lines(bad));
  await world.finish();
  path = `/files/${(await findFile(world.app.ledger, 'bad.csv')).file_id}/faults`;
});
afterAll(() => world.close());

describe('/files/:fileId/faults', () => {
  it('shows line, column, code, what it means, what to do and the masked value, 100 a page', async () => {
    const viewer = await world.as('viewer');
    const { text } = await viewer.get(path);
    const rows = tableOf(text);
    expect(rows).toHaveLength(100);
    const card = rows.find((row) => row[2] === 'CARD_CHECK_DIGIT')!;
    expect(card).toEqual([
      '1',
      'Credit Card #',
      'CARD_CHECK_DIGIT',
      'the card number fails its check digit',
      'Compare the number with the card; a digit is wrong.',
      '************2221',
    ]);
    const next = linksOf(text).find((link) => link.includes('from='))!;
    expect(next).toBe(`${path}?from=101`);
    expect(tableOf((await viewer.get(next)).text).map(([line]) => line)).toContain('100');
    expect(linksOf((await viewer.get(next)).text)).toContain(path);
  });
});

describe('FaultTable', () => {
  it('escapes values, and says when a fault is of the whole file or there is none', () => {
    const fault = { seq: 1, line: 0, column: null, code: 'SAME_ROWS', detail: '<b>d</b>', value: '<i>v</i>' } as const;
    const html = renderToString(h(FaultTable, { faults: [fault] }));
    expect(tableOf(html)[0]![0]).toBe('file');
    expect(html).not.toMatch(/<b>|<i>/);
    expect(wordsOf(renderToString(h(FaultTable, { faults: [] })))).toContain('No faults.');
  });
});
