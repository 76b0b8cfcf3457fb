import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readHolds } from '../../../src/ledger/account/read-holds.ts';
import { cardRow, lines } from '../../support/payment-rows.ts';
import { doIt, openAction } from '../support/action-page.ts';
import { type DashboardWorld, openDashboardWorld, type TestBrowser } from '../support/dashboard-world.ts';

let world: DashboardWorld;
let operator: TestBrowser;
let approver: TestBrowser;
beforeAll(async () => {
  world = await openDashboardWorld();
  [operator, approver] = [await world.as('operator'), await world.as('approver')];
});
afterAll(() => world.close());

async function stops(): Promise<string[]> {
  const { stops: found } = await readHolds(world.app.ledger, 'main');
  return found.map(({ account, kind, actor, reason }) => `${account} ${kind} ${actor}: ${reason}`);
}

describe('pause and resume', () => {
  it('pause one account, once, and nothing of it is sent', async () => {
    const done = await doIt(operator, '/accounts/main/do/pause', { reason: 'the bank is closed' });
    expect([done.status, done.words]).toEqual([200, expect.stringContaining('Paused: account main.')]);
    expect(await stops()).toEqual(['main pause operator:operator: the bank is closed']);
    await world.drop('card', 'waits.csv', lines([cardRow(1)]));
    await world.finish();
    expect(world.sandbox.books()).toEqual([]);
    const again = await openAction(operator, '/accounts/main/do/pause');
    expect([again.status, again.words]).toEqual([
      409,
      expect.stringContaining('It was paused before by operator:operator: the bank is closed'),
    ]);
  });

  it('let it send again, by whoever may check, and only when something stops it', async () => {
    expect((await operator.get('/accounts/main/do/resume')).status).toBe(403);
    const plan = await openAction(approver, '/accounts/main/do/resume');
    expect(plan.words).toContain('It was paused by operator:operator: the bank is closed.');
    expect(plan.words).toContain('Batches waiting 1');
    const done = await doIt(approver, '/accounts/main/do/resume', { reason: 'the bank is open' });
    expect(done.words).toContain('Resumed: account main.');
    expect(await stops()).toEqual([]);
    await world.finish();
    expect(world.sandbox.books()).toHaveLength(1);
    expect((await doIt(approver, '/accounts/main/do/resume')).status).toBe(409);
  });

  it('stop all accounts at once, apart from the stops of single ones', async () => {
    await doIt(operator, '/accounts/main/do/pause', { reason: 'this one' });
    const all = await openAction(operator, '/accounts/all/do/pause');
    expect(all.words).toContain('All accounts send nothing until a user resumes.');
    expect((await doIt(operator, '/accounts/all/do/pause', { reason: 'amounts look wrong' })).status).toBe(200);
    expect(await stops()).toEqual([
      '* pause operator:operator: amounts look wrong',
      'main pause operator:operator: this one',
    ]);
    const done = await doIt(approver, '/accounts/all/do/resume', { reason: 'amounts are right' });
    expect(done.words).toContain('Resumed: all accounts.');
    expect(done.words).toContain('Still held, main:');
    expect(await stops()).toEqual(['main pause operator:operator: this one']);
  });

  it('do not resume an account of which the send journal knows calls that nobody has looked at', async () => {
    const { pool } = world.app.ledger;
    await pool.query(
      `INSERT INTO account_stop (account, kind, reason, actor, since) VALUES ('main', 'journal', 'it knows more', 'worker:sweep', now())`,
    );
    await pool.query(
      `INSERT INTO forgotten_send (file_id, batch_no, attempt, account, sha256, at, since)
       VALUES ('nobody', 1, 1, 'main', 'x', now(), now())`,
    );
    const { status, words } = await openAction(approver, '/accounts/main/do/resume');
    expect([status, words]).toEqual([409, expect.stringContaining('the send journal knows 1 call that')]);
    expect(await stops()).toHaveLength(2);
  });
});
