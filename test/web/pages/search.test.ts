import { dashboardForTests } from '../support/dashboard-for-tests.ts';
import { beforeAll, describe, expect, it } from 'vitest';
import { readBatches } from '../../../src/ledger/file/read-file.ts';
import { findFile } from '../../../src/ledger/file/search.ts';
import type { FileRow } from '../../../src/ledger/engine/records.ts';
import { CARD, cardRow, lines } from '../../support/payment-rows.ts';
import type { TestBrowser } from '../support/dashboard-world.ts';
import { linksOf, sectionOf, tableOf, wordsOf } from '../support/read-page.ts';

const world = dashboardForTests();
let viewer: TestBrowser;
let file: FileRow;
let batchId: string;
beforeAll(async () => {
  await world.drop('card', 'monday.csv', lines([cardRow(1), cardRow(2, { invoice: '20260615001' })]));
  await world.drop('card', 'refused.csv', 'a,b\n');
  await world.finish();
  file = await findFile(world.app.ledger, 'monday.csv');
  batchId = (await readBatches(world.app.ledger, file.file_id))[0]!.batch_id!;
  viewer = await world.as('viewer');
});

const search = (q: string) => viewer.get(`/search?q=${encodeURIComponent(q)}`);

describe('/search', () => {
  it('tells what became of an invoice, and leads to its line, file and batch', async () => {
    const { status, text } = await search('C-1');
    expect(status).toBe(200);
    const found = sectionOf(text, 'Rows with this invoice');
    expect(tableOf(found)[0]!.slice(0, 6)).toEqual([
      'monday.csv',
      '1',
      '25.00 USD',
      '…2220',
      '1 reconciled',
      'APPROVED',
    ]);
    const path = `/files/${file.file_id}`;
    expect(linksOf(found)).toEqual([path, `${path}/rows?from=1`, `${path}/batches/1`]);
  });

  it.each([
    ['its id', () => file.file_id],
    ['the first letters of it', () => file.file_id.slice(0, 6)],
    ['a part of its name', () => 'MONDAY'],
  ])('finds a file by %s, and shows it as one result', async (_, words) => {
    const { status, text } = await search(words());
    expect(status).toBe(200);
    expect(tableOf(sectionOf(text, 'Files')).map((row) => row[1])).toEqual(['monday.csv']);
  });

  it('finds a batch by the id of the service', async () => {
    const found = sectionOf((await search(batchId)).text, 'Batches with this id');
    expect(tableOf(found)[0]!.slice(0, 3)).toEqual(['reconciled', 'Batch 1 of monday.csv', 'main']);
    expect(linksOf(found)).toEqual([`/files/${file.file_id}/batches/1`]);
  });

  it('says what can be looked for, and when there is nothing', async () => {
    expect(wordsOf((await viewer.get('/search')).text)).toContain('Enter an invoice exactly as in the file');
    expect(wordsOf((await search('nobody')).text)).toContain('Nothing has this invoice, name or id.');
  });

  it('repeats long numbers masked, in the title too', async () => {
    const { text } = await search('20260615001');
    expect(wordsOf(text)).toContain('Search for *******5001');
    expect(tableOf(sectionOf(text, 'Rows with this invoice'))).toHaveLength(1);
    expect(text).not.toContain('20260615001');
  });

  it.each([CARD, '4222 2222 2222 2220', '4222-2222-2222-2220', `card ${CARD} of June`, '900000000001'])(
    'does not look for the card number "%s" and repeats it nowhere',
    async (words) => {
      const { status, text } = await search(words);
      expect(status).toBe(200);
      expect(wordsOf(text)).toContain('Card numbers cannot be searched; use the invoice');
      expect(text.replaceAll(/\D/g, '')).not.toContain(words.replaceAll(/\D/g, ''));
      expect(text).not.toContain('Search for');
    },
  );

  it.each(['%', '_', "'; --", '\\', '%00', 'x'.repeat(5_000), '__proto__'])('answers "%s"', async (words) => {
    expect((await search(words)).status).toBe(200);
  });
});
