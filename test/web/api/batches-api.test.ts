import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { achRow, lines, upTo } from '../../support/payment-rows.ts';
import { type DashboardWorld, openDashboardWorld, type TestProgram } from '../support/dashboard-world.ts';

let world: DashboardWorld;
let program: TestProgram;
let fileId: string;
beforeAll(async () => {
  world = await openDashboardWorld();
  await world.drop('ach-charge', 'june.csv', lines(upTo(3).map((n) => achRow(n))));
  await world.finish();
  program = await world.program('viewer', ['look']);
  const { rows } = await world.app.ledger.pool.query<{ file_id: string }>('SELECT file_id FROM file');
  fileId = rows[0]!.file_id;
});
afterAll(() => world.close());

describe('GET /files/:fileId/batches/:batchNo', () => {
  it('tells a batch with its file, without what a worker holds it by', async () => {
    const { status, json } = await program.ask(`/files/${fileId}/batches/1`);
    expect(status).toBe(200);
    expect(json).toMatchObject({
      file: { file_id: fileId, name: 'june.csv' },
      batch: { batch_no: 1, state: 'reconciled', rows: 3, cents: 7_500, batch_id: expect.any(String) },
    });
    expect(JSON.stringify(json)).not.toMatch(/"token"|"worker"|_key"/);
  });

  it.each(['/2', '/0', '/x', '/99999999999'])('does not find or understand %s', async (end) => {
    expect([400, 404]).toContain((await program.ask(`/files/${fileId}/batches${end}`)).status);
  });
});

describe('GET /files/:fileId/batches/:batchNo/why', () => {
  it('tells the story of the batch', async () => {
    const { status, json } = await program.ask(`/files/${fileId}/batches/1/why`);
    expect(status).toBe(200);
    expect(json).toMatchObject({
      about: expect.stringContaining('batch 1 of june.csv'),
      now: [expect.stringContaining('The file is completed'), expect.any(String)],
      next: ['Nothing is to be done.'],
    });
  });
});
