import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { achRow, lines } from '../../support/payment-rows.ts';
import { type DashboardWorld, type Json, openDashboardWorld, type TestProgram } from '../support/dashboard-world.ts';

let world: DashboardWorld;
let program: TestProgram;
beforeAll(async () => {
  world = await openDashboardWorld();
  await world.drop('ach-charge', 'june.csv', lines([achRow(1), achRow(2)]));
  await world.finish();
  program = await world.program('viewer', ['look']);
});
afterAll(() => world.close());

async function search(words: string): Promise<Json> {
  const { status, json } = await program.ask(`/search?q=${encodeURIComponent(words)}`);
  expect(status).toBe(200);
  return json;
}

const NOTHING = { file: null, batch: null, rows: [], batchIds: [] };

describe('GET /search', () => {
  it('finds a file by its name and by the first letters of its id', async () => {
    const { file, ...rest } = await search('june.csv');
    expect([file.name, rest]).toEqual(['june.csv', { batch: null, rows: [], batchIds: [] }]);
    expect((await search(file.file_id.slice(0, 6))).file).toEqual(file);
  });

  it('finds a batch by its place, and by the id of the service', async () => {
    const { batch, file } = await search('june.csv/1');
    expect([file.name, batch.batch_no]).toEqual(['june.csv', 1]);
    const found = await search(batch.batch_id);
    expect(found).toMatchObject({ ...NOTHING, batchIds: [{ fileId: file.file_id, batchNo: 1, name: 'june.csv' }] });
  });

  it('finds the rows of an invoice, with what became of them', async () => {
    const { rows } = await search(' A-2 ');
    expect(rows).toMatchObject([{ invoice: 'A-2', line: 2, name: 'june.csv', outcome: 'accepted_pending' }]);
  });

  it('finds nothing for what is nothing', async () => {
    for (const words of ['june.csv/2', 'A-', '%', "' OR 1=1"]) expect(await search(words)).toEqual(NOTHING);
  });

  it.each(['', '?q=', `?q=${'x'.repeat(256)}`])('refuses "%s"', async (query) => {
    expect((await program.ask(`/search${query}`)).status).toBe(400);
  });
});
