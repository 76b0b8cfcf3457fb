import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { pauseAccount } from '../../../src/ledger/account/pause-account.ts';
import { type DashboardWorld, openDashboardWorld, type TestProgram } from '../support/dashboard-world.ts';

let world: DashboardWorld;
let program: TestProgram;
beforeAll(async () => {
  world = await openDashboardWorld({ account: { timeZone: 'America/New_York' } });
  program = await world.program('viewer', ['look']);
});
afterAll(() => world.close());

const ask = async (path: string) => (await program.ask(path)).json;

/** The tests build on each other. */
describe('GET /accounts', () => {
  it('tells of an account that nothing holds', async () => {
    expect(await ask('/accounts')).toEqual({
      accounts: [
        {
          account: 'main',
          isConfigured: true,
          timeZone: 'America/New_York',
          currency: 'USD',
          sends: true,
          says: [],
          ready: 0,
          onTheirWay: 0,
          forgotten: 0,
          stops: [],
          batches: [],
        },
      ],
    });
  });

  it('tells why one does not send and what to do, also of one that has left the configuration', async () => {
    const because = { actor: 'operator:ada', reason: 'the bank is closed' };
    await pauseAccount(world.app.ledger, 'main', because);
    await pauseAccount(world.app.ledger, 'gone', because);
    const { accounts } = await ask('/accounts');
    expect(accounts).toMatchObject([
      {
        account: 'main',
        sends: false,
        stops: [{ kind: 'pause', actor: 'operator:ada', reason: 'the bank is closed' }],
      },
      { account: 'gone', isConfigured: false, currency: null, timeZone: 'UTC' },
    ]);
    expect(accounts[0].says).toEqual([expect.stringContaining('the bank is closed')]);
  });
});

describe('GET /accounts/:name', () => {
  it('tells of one, with the calls that only the send journal knows', async () => {
    await world.app.ledger.pool.query(
      `INSERT INTO forgotten_send (file_id, batch_no, attempt, account, sha256, at, since)
       VALUES ('f1', 1, 1, 'main', 'abc', '2026-06-15T10:00:00Z', '2026-06-16T10:00:00Z')`,
    );
    expect(await ask('/accounts/main')).toMatchObject({
      account: 'main',
      forgotten: 1,
      forgottenSends: [{ fileId: 'f1', batchNo: 1, at: '2026-06-15T10:00:00.000Z', acknowledgedAt: null }],
    });
  });

  it('does not find another', async () => {
    const { status, json } = await program.ask('/accounts/moon');
    expect([status, json]).toMatchObject([404, { error: { code: 'NOT_FOUND' } }]);
  });
});
