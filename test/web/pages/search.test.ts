import { beforeAll, describe, expect, it } from 'vitest';
import { readBatches } from '../../../src/ledger/file/read-file.ts';
import { findFile } from '../../../src/ledger/file/search.ts';
import type { FileRow } from '../../../src/ledger/engine/records.ts';
import { CARD, cardRow, lines, MAGIC_CARD } from '../../support/payment-rows.ts';
import { dashboardForTests, type TestBrowser } from '../support/dashboard-world.ts';
import { linksOf, sectionOf, tableOf, wordsOf } from '../support/read-page.ts';

describe('/search', () => {
  const world = dashboardForTests();
  let viewer: TestBrowser;
  let file: FileRow;
  let batchId: string;
  beforeAll(async () => {
    await world.drop('card', 'monday.csv', lines([cardRow(1), cardRow(2, { invoice: '20260615001' })]));
    await world.drop(
      'card',
      'declined.csv',
      lines([cardRow(9, { invoice: 'c-02', amount: '16.00', card: MAGIC_CARD })]),
    );
    await world.finish();
    file = await findFile(world.app.ledger, 'monday.csv');
    batchId = (await readBatches(world.app.ledger, file.file_id))[0]!.batch_id!;
    viewer = await world.as('viewer');
  });
  const search = (q: string) => viewer.get(`/search?q=${encodeURIComponent(q)}`);

  it('tells what became of payments and what to do, and leads to the page of each', async () => {
    const found = sectionOf((await search('c-')).text, 'Payments');
    expect(
      tableOf(found)
        .map((row) => row.slice(0, 6).join(' | '))
        .toSorted(),
    ).toEqual([
      'C-1 | 25.00 USD | Approved | Charged or refunded |  | ••2220',
      'c-02 | 16.00 USD | Declined | The card could not be processed; check the card data | Correct the row before it is sent again | ••1111',
    ]);
    expect(linksOf(found)).toContain(`/payments/${file.file_id}/1`);
  });

  it('finds a file by its id, the first letters of it and a part of its name, as one result', async () => {
    for (const words of [file.file_id, file.file_id.slice(0, 6), 'MONDAY'])
      expect(tableOf(sectionOf((await search(words)).text, 'Files')).map((row) => row[1])).toEqual(['monday.csv']);
  });

  it('finds a batch by the id of the service', async () => {
    const found = sectionOf((await search(batchId)).text, 'Batches');
    expect(tableOf(found)[0]!.slice(0, 3)).toEqual(['Reconciled', 'Batch 1 of monday.csv', 'main']);
    expect(linksOf(found)).toEqual([`/files/${file.file_id}/batches/1`]);
  });

  it('says what can be searched for, when there is nothing, and when a fact is missing', async () => {
    expect(wordsOf((await viewer.get('/search')).text)).toContain('What you can search for');
    expect(wordsOf((await search('nobody')).text)).toContain('Nothing fits.');
    const { text } = await search('last:2220');
    expect(wordsOf(text)).toContain('add the amount, a day or an account');
    expect(text).not.toContain('Nothing fits.');
  });

  it('repeats long numbers masked in the title and in the field', async () => {
    const { text } = await search('20260615001');
    expect(wordsOf(text)).toContain('Search for *******5001');
    expect(tableOf(sectionOf(text, 'Payments'))).toHaveLength(1);
    expect(text).not.toContain('value="20260615001"');
  });

  it('refuses a long number before anything else, and repeats it nowhere', async () => {
    for (const browser of [viewer, world.stranger()]) {
      const { status, text, location } = await browser.get(`/search?q=4222-2222-2222-2220`);
      expect([status, location]).toEqual([400, undefined]);
      expect(wordsOf(text)).toContain('Numbers of 12 digits or more are not searched.');
      expect(text.replaceAll(/\D/g, '')).not.toContain(CARD);
    }
  });

  it.each(['%', '_', "'; --", '\\', 'x'.repeat(5_000), '__proto__'])('answers "%s"', async (words) => {
    expect((await search(words)).status).toBe(200);
  });
});
