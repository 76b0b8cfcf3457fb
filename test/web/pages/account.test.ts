import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { pauseAccount, resumeAccount } from '../../../src/ledger/account/pause-account.ts';
import { stopAccount } from '../../../src/ledger/batch/prepare-batch.ts';
import { achRow, lines } from '../../support/payment-rows.ts';
import { type DashboardWorld, openDashboardWorld } from '../support/dashboard-world.ts';
import { partOf, wordsOf } from '../support/page-words.ts';

const because = { actor: 'operator:ada', reason: 'the bank is closed' };

let world: DashboardWorld;
beforeAll(async () => {
  world = await openDashboardWorld({ account: { timeZone: 'America/Toronto', limits: { rowAmount: 5_000 } } });
});
afterAll(() => world.close());

async function page(person: 'viewer' | 'admin', name = 'main'): Promise<{ status: number; text: string }> {
  return (await world.as(person)).get(`/accounts/${name}`);
}

/** The tests build on each other. */
describe('accountPage', () => {
  it('says what an account does, its rules and folders, and that nothing is open', async () => {
    const { text } = await page('viewer');
    expect(partOf(text, 'state')).toContain('Now sends');
    expect(partOf(text, 'open')).toContain('Nothing of this account is open');
    expect(wordsOf(text)).toContain('Largest row 5,000.00 USD');
    expect(wordsOf(text)).toContain('drop/ach-refund');
    expect(text).not.toContain('TEST88');
  });

  it('offers the pause, and once paused the way back, to those who may', async () => {
    expect((await page('admin')).text).toContain('href="/accounts/main/do/pause"');
    await pauseAccount(world.app.ledger, 'main', because);
    const { text } = await page('admin');
    expect(partOf(text, 'state')).toContain('paused by operator:ada');
    expect(text).toContain('href="/accounts/main/do/resume"');
    expect(text).not.toContain('do/pause');
    expect((await page('viewer')).text).not.toContain('/do/');
  });

  it('lists what waits meanwhile, and afterwards what was paid today', async () => {
    await world.drop('ach-charge', 'june.csv', lines([achRow(1), achRow(2)]));
    const workers = await world.start();
    await expect.poll(() => world.states()).toEqual({ 'june.csv': 'accepted' });
    await workers.stop();
    const waiting = (await page('viewer')).text;
    expect(partOf(waiting, 'open')).toContain('june.csv accepted 0 of 1');
    expect(partOf(waiting, 'state')).toContain('Batches waiting 1');
    expect(partOf(waiting, 'today')).toContain('Still open: 2 rows, 50.00 USD');
    await resumeAccount(world.app.ledger, 'main', because);
    await world.finish();
    expect(partOf((await page('viewer')).text, 'today')).toContain('pending 2 · 50.00 USD');
  });

  it('offers a pause beside a stop of another kind, and no way back where all accounts are stopped', async () => {
    await stopAccount(world.app.ledger, 'main', 'restricted');
    expect((await page('admin')).text).toMatch(/do\/pause.*do\/resume/s);
    await resumeAccount(world.app.ledger, 'main', because);
    await pauseAccount(world.app.ledger, '*', because);
    const { text } = await page('admin');
    expect(text).not.toContain('do/resume');
    expect(text).toContain('See the stop of all accounts.');
  });

  it('lists calls that the ledger has forgotten, and of an account that left the configuration too', async () => {
    await world.app.ledger.pool.query(
      `INSERT INTO forgotten_send (file_id, batch_no, attempt, account, sha256, at, since)
       VALUES ('g7fhpaqs00000000', 3, 1, 'gone', repeat('ab', 32), '2026-06-15T10:00:00Z', now())`,
    );
    const { text } = await page('viewer', 'gone');
    expect(partOf(text, 'state')).toContain('not in the configuration');
    expect(partOf(text, 'forgotten')).toContain('2026-06-15 10:00:00 +00:00 g7fhpaqs00000000/3 1 not known nobody yet');
    expect(partOf(text, 'forgotten')).toContain('paydrop account acknowledge gone');
  });

  it('knows no account that never was', async () => {
    expect((await page('viewer', 'nobody')).status).toBe(404);
  });
});
