import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { propose } from '../../../src/ledger/proposal/propose.ts';
import { transact } from '../../../src/ledger/engine/transaction.ts';
import { achRow, lines } from '../../support/payment-rows.ts';
import { type DashboardWorld, type Json, openDashboardWorld, type TestProgram } from '../support/dashboard-world.ts';

let world: DashboardWorld;
let program: TestProgram;
beforeAll(async () => {
  world = await openDashboardWorld({ settings: { schedules: { nightly: { does: 'take', at: '23:59' } } } });
  program = await world.program('viewer', ['look']);
});
afterAll(() => world.close());

async function ask(path: string): Promise<Json> {
  const { status, json } = await program.ask(path);
  expect([path, status]).toEqual([path, 200]);
  return json;
}

/** The tests build on each other. */
describe('GET /overview', () => {
  it('is empty when nothing has come', async () => {
    expect(await ask('/overview')).toEqual({
      files: [],
      open: [],
      doubt: [],
      late: [],
      stopped: [],
      proposals: [],
      today: [],
      lateRuns: [],
      missingFiles: [],
      obstacles: [],
    });
  });

  it('tells what is on its way and what waits for a person', async () => {
    await world.drop('ach-charge', 'june.csv', lines([achRow(1), achRow(1)]));
    await world.finish();
    const { files, open } = await ask('/overview');
    expect(files).toMatchObject([{ state: 'held', files: 1, rows: 2 }]);
    expect(open).toMatchObject([{ name: 'june.csv', state: 'held', state_at: expect.stringMatching(/Z$/) }]);
  });
});

describe('GET /proposals', () => {
  it('tells what waits for a second person', async () => {
    const { rows } = await world.app.ledger.pool.query<{ file_id: string }>('SELECT file_id FROM file');
    const about = { fileId: rows[0]!.file_id, action: 'approve', reason: 'it is right', actor: 'operator:other' };
    await transact(world.app.ledger, (tx) => propose(tx, { ...about, binding: { sha256: 'secret mark' } }));
    const { proposals } = await ask('/proposals');
    expect(proposals).toMatchObject([
      { action: 'approve', name: 'june.csv', made_by: 'operator:other', reason: 'it is right' },
    ]);
    expect(proposals[0]).not.toHaveProperty('binding');
    expect((await ask('/overview')).proposals).toEqual(proposals);
  });
});

describe('GET /schedules', () => {
  it('tells of each when it runs next', async () => {
    const { schedules } = await ask('/schedules');
    expect(schedules).toEqual([
      { name: 'nightly', does: 'take', timeZone: 'UTC', nextAt: expect.stringMatching(/T23:59:00\.000Z$/), last: null },
    ]);
  });
});
