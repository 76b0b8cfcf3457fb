import { beforeAll, describe, expect, it } from 'vitest';
import { propose } from '../../../src/ledger/proposal/propose.ts';
import { transact } from '../../../src/ledger/engine/transaction.ts';
import { achRow, cardRow, lines, MAGIC_CARD } from '../../support/payment-rows.ts';
import { forceSql } from '../../support/force-sql.ts';
import { dashboardForTests, type Json, type TestProgram } from '../support/dashboard-world.ts';
import { pauseAccount } from '../../../src/ledger/account/pause-account.ts';

const world = dashboardForTests({
  account: { timeZone: 'America/New_York' },
  settings: { schedules: { nightly: { does: 'take', at: '23:59' } } },
});
let program: TestProgram;
beforeAll(async () => {
  program = await world.program('viewer', ['look']);
});

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
      paid: [],
      twice: [],
      undecided: [],
      late: [],
      stopped: [],
      proposals: [],
      today: [],
      lateRuns: [],
      missingFiles: [],
      obstacles: [],
    });
  });

  it('tells what is on its way and what needs attention', async () => {
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

  it('lists runs that were missed or failed, and what a user recorded about them', async () => {
    expect((await ask('/schedules'))['runs']).toEqual([]);
    await forceSql(
      world.app,
      `INSERT INTO schedule VALUES ('nightly', '{}', '2026-06-01Z') ON CONFLICT DO NOTHING;
       INSERT INTO schedule_run (schedule, business_date, state, due_at, finished_at, summary, acknowledged_at, acknowledged_by, acknowledge_reason)
       VALUES ('nightly', '2026-06-14', 'missed', '2026-06-14T23:59Z', '2026-06-15Z', '{"says": "nothing ran"}', NULL, NULL, NULL),
         ('nightly', '2026-06-13', 'failed', '2026-06-13T23:59Z', '2026-06-14Z', '{}', '2026-06-14T08:00Z', 'operator:ada', 'known')`,
    );
    const run = { schedule: 'nightly', acknowledgedAt: null, acknowledgedBy: null, acknowledgeReason: null };
    const noted = {
      acknowledgedAt: '2026-06-14T08:00:00.000Z',
      acknowledgedBy: 'operator:ada',
      acknowledgeReason: 'known',
    };
    expect((await ask('/schedules'))['runs']).toEqual([
      { ...run, day: '2026-06-14', state: 'missed', dueAt: '2026-06-14T23:59:00.000Z', says: 'nothing ran' },
      { ...run, ...noted, day: '2026-06-13', state: 'failed', dueAt: '2026-06-13T23:59:00.000Z', says: '' },
    ]);
  });
});

describe('GET /accounts', () => {
  it('tells of an account that nothing holds', async () => {
    expect(await ask('/accounts')).toEqual({
      accounts: [
        {
          account: 'main',
          isConfigured: true,
          timeZone: 'America/New_York',
          currency: 'USD',
          shown: 'sends',
          sends: true,
          isLedgerOpen: true,
          says: [],
          steps: [],
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
    expect(accounts[0].says).toEqual([
      expect.stringMatching(/the bank is closed\. To go on: "paydrop account resume main --reason …"\.$/),
    ]);
    expect(accounts[0].steps).toEqual([
      [expect.stringContaining('the bank is closed'), 'To go on: ', { action: 'resume', account: 'main' }, '.'],
    ]);
  });
});

describe('GET /accounts/:name', () => {
  it('tells of one, with the calls that only the send journal knows', async () => {
    await world.app.ledger.pool.query(
      `INSERT INTO forgotten_send (file_id, batch_no, attempt, account, merchant_no, sha256, at, since)
       VALUES ('f1', 1, 1, 'main', merchant_of('main'), 'abc', '2026-06-15T10:00:00Z', '2026-06-16T10:00:00Z')`,
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

describe('GET /queue', () => {
  it('tells what the page tells: stages, what stops them, what needs the caller, and the flow', async () => {
    const queue = await ask('/queue');
    expect(queue.stages).toEqual(
      expect.arrayContaining([expect.objectContaining({ stage: expect.any(String), things: expect.any(Number) })]),
    );
    expect(queue.needs).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ kind: 'stopped', account: 'main', says: 'paused by ada: the bank is closed' }),
      ]),
    );
    expect(Object.keys(queue.flow)).toContain('reconciling');
    expect(queue.flow.reconciling.hours).toHaveLength(24);
    expect((await ask('/queue?account=moon')).stages).toEqual([]);
  });
});

describe('GET /twice', () => {
  it('lists pairs that were perhaps paid twice, and acknowledged ones when asked', async () => {
    expect(await ask('/twice')).toEqual({ pairs: [] });
    expect(await ask('/twice?acknowledged=true&account=main')).toEqual({ pairs: [] });
    expect((await program.ask('/twice?acknowledged=perhaps')).status).toBe(400);
  });
});

describe('GET /queue/again', () => {
  it('pages through payments that may go again, and refuses an unknown advice', async () => {
    const { payments, next } = await ask('/queue/again?limit=1&advice=later');
    expect([payments, next]).toEqual([[], null]);
    expect((await program.ask('/queue/again?advice=soon')).status).toBe(400);
    expect((await program.ask('/queue/again?after=7')).status).toBe(400);
    expect((await program.ask('/queue/again?after=7.2')).status).toBe(200);
  });
});

describe('GET /payments', () => {
  it('pages through payments with an issue, and tells one of them as its page does', async () => {
    const held = lines([achRow(5), achRow(6, { amount: 'ten' }), achRow(7, { amount: 'ten' })]);
    await world.drop('ach-charge', 'faulty.csv', held);
    await world.finish();
    const first = await ask('/payments?limit=1&issue=invalid');
    expect(first.payments).toMatchObject([{ name: 'faulty.csv', line: 2, outcome: 'invalid', fault: 'AMOUNT_FORMAT' }]);
    const second = await ask(`/payments?limit=1&issue=invalid&after=${first.next}`);
    expect([second.payments[0].line, second.next]).toEqual([3, null]);
    expect((await ask('/payments?account=moon')).payments).toEqual([]);
    expect((await program.ask('/payments?issue=odd')).status).toBe(400);
    const { fileId } = first.payments[0];
    const payment = await ask(`/payments/${fileId}/2`);
    expect(payment).toMatchObject({
      at: 0,
      tries: [{ fileId, line: 2, batchNo: null, standing: { word: 'Invalid', advice: 'fix' } }],
      answer: expect.stringMatching(/^Your payment for invoice A-6 was not made on .* Please check the details/),
      others: [],
    });
    expect(payment.events[0]).toMatchObject({ word: 'Received', says: 'faulty.csv, line 2', see: { fileId, line: 2 } });
  });

  it.each([
    ['/payments/0000000000000000/1', 404],
    ['/payments/4222222222222220/1', 404],
    ['/payments/june.csv/99', 404],
    ['/payments/0000000000000000/0', 400],
    ['/payments/0000000000000000/1%00', 400],
  ])('answers %s with %d and repeats no number', async (path, expected) => {
    const { status, json } = await program.ask(path);
    expect(status).toBe(expected);
    expect(JSON.stringify(json)).not.toContain('4222222222222220');
  });
});

describe('selections', () => {
  const world = dashboardForTests();
  let maker: TestProgram;
  let viewer: TestProgram;

  beforeAll(async () => {
    const declined = (n: number) => cardRow(n, { card: MAGIC_CARD, amount: '2.00' });
    await world.drop('card', 'june.csv', lines([declined(1), cardRow(2), declined(3)]));
    await world.finish();
    maker = await world.program('operator', ['look', 'reprocess', 'stop-run']);
    viewer = await world.program('viewer', ['look']);
  });

  it('are frozen, planned, begun and shown', async () => {
    const { status, json } = await maker.ask('/selections', { account: 'main' });
    expect(status).toBe(200);
    const path = `/selections/${json.selection}`;
    const planned = await maker.ask(`${path}/reprocess?plan=1`, {});
    expect(planned.json).toMatchObject({ isProposal: false, bind: expect.any(String) });
    const stale = await maker.ask(`${path}/reprocess`, { reason: 'wanted', bind: 'another' });
    expect(stale.json.error.code).toBe('PLAN_CHANGED');
    const begun = await maker.ask(`${path}/reprocess`, { reason: 'wanted', bind: planned.json.bind });
    expect(begun.json.result).toMatchObject({ state: 'running', rows: 2, cents: 400 });
    expect((await viewer.ask(path)).json).toMatchObject({
      selection: { state: 'running', reason: 'wanted', begun_by: expect.stringMatching(/^operator:/) },
      items: [{ name: 'june.csv', lines: [1, 3], rows: 2, cents: 400, result: null, newName: null }],
    });
    expect((await maker.ask(`${path}/stop-run`, {})).json.result).toMatchObject({ leftOut: 2 });
    expect((await viewer.ask('/selections')).json.selections).toMatchObject([{ rows: 2, done: 0, left: 2 }]);
  });

  it('are frozen by those who may reprocess, and by nobody else', async () => {
    expect((await viewer.ask('/selections', { account: 'main' })).status).toBe(403);
  });

  it.each([
    [{ items: ['june.csv/1'] }, 'USAGE'],
    [{ items: ['aaaaaaaaaaaaaaaa/1'] }, 'NOT_FOUND'],
    [{ account: 'other' }, 'MOVE_REFUSED'],
    [{ advice: 'soon' }, 'BAD_REQUEST'],
  ])('refuse %j', async (body, code) => {
    expect((await maker.ask('/selections', body)).json.error.code).toBe(code);
  });
});
