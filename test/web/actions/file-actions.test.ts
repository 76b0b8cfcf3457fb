import { beforeAll, describe, expect, it } from 'vitest';
import { pauseAccount } from '../../../src/ledger/account/pause-account.ts';
import { noteUpload } from '../../../src/ledger/transfer/note-upload.ts';
import { sha256Of } from '../../../src/kernel/hash.ts';
import { cardRow, lines } from '../../support/payment-rows.ts';
import { doIt, fileNamed, openAction } from '../support/action-page.ts';
import { openDashboardWorld, type TestBrowser } from '../support/dashboard-world.ts';
import { openedForTests } from '../../support/opened-for-tests.ts';

const because = { actor: 'operator:ada', reason: 'wait' };

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
  await world.drop('card', 'own.csv.ctl', 'rows=99\n');
  await world.drop('card', 'own.csv', mine);
  await world.finish();
});

async function path(name: string, action: string): Promise<string> {
  return `/files/${(await fileNamed(world, name)).file_id}/do/${action}`;
}

describe('approve', () => {
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
