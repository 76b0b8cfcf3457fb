import { beforeAll, describe, expect, it } from 'vitest';
import { pauseAccount, resumeAccount } from '../../../src/ledger/account/pause-account.ts';
import { noteUpload } from '../../../src/ledger/transfer/note-upload.ts';
import { sha256Of } from '../../../src/kernel/hash.ts';
import { achRow, cardRow, lines, upTo } from '../../support/payment-rows.ts';
import { actionsOf, doIt, fileNamed, openAction, readAction } from '../support/action-page.ts';
import { openDashboardWorld, type TestBrowser } from '../support/dashboard-world.ts';
import { openedForTests } from '../../support/opened-for-tests.ts';

const because = { actor: 'operator:ada', reason: 'wait' };
const LOGIN = { server: 'NA', country: 'US', currency: 'USD', agentCode: 'TEST88', password: 'TEST88' };

const world = openedForTests(() =>
  openDashboardWorld({
    folder: { badRows: { maxPercent: 50 }, sameTotals: 'off' },
    settings: { batch: { maxRows: 2 } },
  }),
);
let operator: TestBrowser;
let approver: TestBrowser;
let admin: TestBrowser;
beforeAll(async () => {
  [operator, approver, admin] = [await world.as('operator'), await world.as('approver'), await world.as('admin')];
  const mine = lines([cardRow(31), cardRow(32)]);
  // The administrator drops one of the files on the dashboard.
  const upload = { account: 'main', folder: 'drop/card', name: 'own.csv', sha256: sha256Of(Buffer.from(mine)) };
  await noteUpload(world.app.ledger, { ...upload, bytes: mine.length, actor: 'operator:admin' });
  await pauseAccount(world.app.ledger, 'main', because);
  for (const [index, name] of ['wanted.csv', 'unwanted.csv'].entries()) {
    await world.drop('card', `${name}.ctl`, 'rows=99\n');
    const rows = [cardRow(10 * index + 1), cardRow(10 * index + 2), cardRow(10 * index + 3, { amount: 'ten' })];
    await world.drop('card', name, lines(rows));
  }
  await world.drop('card', 'own.csv.ctl', 'rows=99\n');
  await world.drop('card', 'own.csv', mine);
  await world.drop('ach-charge', 'recalled.csv', lines(upTo(4).map((n) => achRow(n))));
  await world.finish();
});

async function path(name: string, action: string): Promise<string> {
  return `/files/${(await fileNamed(world, name)).file_id}/do/${action}`;
}

describe('approve', () => {
  it('says what stays behind, lets the file go, and keeps what was overridden', async () => {
    const { words } = await openAction(approver, await path('wanted.csv', 'approve'));
    expect(words).toContain(
      '2 rows, 50.00 USD will be sent. 1 invalid row stays back and is not paid if the file is approved: 1 amount unreadable.',
    );
    const done = await doIt(approver, await path('wanted.csv', 'approve'), { reason: 'meant so' });
    expect([done.status, done.words]).toEqual([
      200,
      expect.stringContaining('Approved: 2 rows, 50.00 USD will be sent.'),
    ]);
    const { file_id: fileId, state } = await fileNamed(world, 'wanted.csv');
    expect([state, await actionsOf(world, fileId)]).toEqual(['accepted', ['operator:approver approve: meant so']]);
    const { rows } = await world.app.ledger.pool.query(
      `SELECT evidence FROM audit WHERE file_id = $1 AND move = 'approve'`,
      [fileId],
    );
    expect(rows).toEqual([{ evidence: { overrides: ['CONTROL_TOTALS'] } }]);
  });

  it('is refused for a file that is not held', async () => {
    const { status, words } = await openAction(approver, await path('wanted.csv', 'approve'));
    expect([status, words]).toEqual([409, expect.stringContaining('its state is queued; it must be needs approval')]);
  });

  it('is refused to the person who dropped the file on the dashboard, and not to another', async () => {
    const own = await openAction(admin, await path('own.csv', 'approve'));
    expect([own.status, own.words]).toEqual([
      403,
      expect.stringContaining('the same person dropped it on the dashboard'),
    ]);
    // A form with another user's plan does not help either.
    const { hidden, words } = await openAction(approver, await path('own.csv', 'approve'));
    expect(words).toContain('Dropped on the dashboard by admin');
    expect((await admin.post(await path('own.csv', 'approve'), { ...hidden, reason: 'mine' })).status).toBe(403);
    expect((await fileNamed(world, 'own.csv')).state).toBe('held');
    expect((await doIt(approver, await path('own.csv', 'approve'))).status).toBe(200);
    expect((await fileNamed(world, 'own.csv')).state).toBe('accepted');
  });
});

describe('decline', () => {
  it('stops a held file for good', async () => {
    const done = await doIt(approver, await path('unwanted.csv', 'decline'), { reason: 'sent twice' });
    expect(done.words).toContain('Declined: 2 rows, 50.00 USD will never be sent.');
    const { file_id: fileId, state } = await fileNamed(world, 'unwanted.csv');
    expect(state).toBe('cancelled');
    expect((await actionsOf(world, fileId))[0]).toBe('operator:approver decline: sent twice');
    expect((await doIt(approver, await path('unwanted.csv', 'decline'))).status).toBe(409);
  });
});

describe('cancel', () => {
  it('stops what was not sent, and nothing of it goes out when the account goes on', async () => {
    const done = await doIt(operator, await path('recalled.csv', 'cancel'), { reason: 'the sender recalls it' });
    expect(done.words).toContain('Cancelled: 4 rows, 100.00 USD will never be sent.');
    expect(done.words).toContain('recalled.csv is cancelled; its output files follow.');
    await resumeAccount(world.app.ledger, 'main', because);
    await world.finish();
    expect(await world.states()).toMatchObject({ 'recalled.csv': 'cancelled', 'wanted.csv': 'completed' });
    expect(
      world.sandbox
        .books()
        .map((row) => row.invoice)
        .sort(),
    ).toEqual(['C-1', 'C-2', 'C-31', 'C-32']);
  });

  it('is refused when everything was sent', async () => {
    const { status, words } = await openAction(operator, await path('wanted.csv', 'cancel'));
    expect([status, words]).toEqual([409, expect.stringContaining('its state is completed')]);
  });
});

describe('cancel of a file whose batches have left', () => {
  it.each([
    ['submitted', 'every batch was already sent'],
    ['reconciled', 'every batch is final'],
  ])('is refused when they are %s', async (state, why) => {
    const { file_id: fileId } = await fileNamed(world, 'own.csv');
    const client = await world.app.ledger.pool.connect();
    try {
      // Otherwise the database rightly refuses the change.
      await client.query('SET session_replication_role = replica');
      await client.query(`UPDATE file SET state = 'in_progress' WHERE file_id = $1`, [fileId]);
      await client.query('UPDATE batch SET state = $2 WHERE file_id = $1', [fileId, state]);
      await client.query('RESET session_replication_role');
    } finally {
      client.release();
    }
    const { status, words } = await openAction(operator, await path('own.csv', 'cancel'));
    expect([status, words]).toEqual([409, expect.stringContaining(why)]);
  });
});

describe('approve where two persons are asked for', () => {
  it('only proposes it, and one waits at a time', async () => {
    const baseUrl = world.sandbox.url;
    const two = await openDashboardWorld({
      settings: { accounts: { main: { ...LOGIN, baseUrl, secondPerson: { overrides: true } } } },
    });
    try {
      await two.drop('card', 'held.csv.ctl', 'rows=99\n');
      await two.drop('card', 'held.csv', lines([cardRow(1), cardRow(2)]));
      await two.finish();
      const browser = await two.as('approver');
      const { file_id: fileId } = await fileNamed(two, 'held.csv');
      const plan = await openAction(browser, `/files/${fileId}/do/approve`);
      expect(plan.words).toContain('Another person must confirm');
      expect(plan.words).toContain('You propose to send 2 rows, 50.00 USD.');
      const done = await doIt(browser, `/files/${fileId}/do/approve`, { reason: 'meant so' });
      expect(done.words).toContain('Proposed: 2 rows, 50.00 USD. Another person must confirm it.');
      expect(await two.states()).toEqual({ 'held.csv': 'held' });
      const again = readAction(await browser.get(`/files/${fileId}/do/approve`));
      expect([again.status, again.words]).toEqual([
        409,
        expect.stringContaining('a proposal for it is already waiting'),
      ]);
    } finally {
      await two.close();
    }
  });
});
