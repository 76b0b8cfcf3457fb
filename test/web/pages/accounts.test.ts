import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { pauseAccount, resumeAccount } from '../../../src/ledger/account/pause-account.ts';
import { type DashboardWorld, openDashboardWorld } from '../support/dashboard-world.ts';
import { partOf } from '../support/page-words.ts';

const because = { actor: 'operator:ada', reason: 'amounts look wrong' };

let world: DashboardWorld;
beforeAll(async () => {
  world = await openDashboardWorld({ account: { timeZone: 'America/Toronto' } });
});
afterAll(() => world.close());

async function accounts(person: 'viewer' | 'operator' | 'approver'): Promise<string> {
  const { status, text } = await (await world.as(person)).get('/accounts');
  expect(status).toBe(200);
  return text;
}

/** The tests build on each other. */
describe('accountsPage', () => {
  it('says that an account sends, and offers the stop of all to those who may', async () => {
    const html = await accounts('operator');
    expect(partOf(html, 'accounts')).toMatch(/main sends 0 0$/);
    expect(html).toContain('href="/accounts/all/do/pause"');
    expect(html).not.toContain('do/resume');
    expect(await accounts('viewer')).not.toContain('/do/');
  });

  it('says why an account does not send', async () => {
    await pauseAccount(world.app.ledger, 'main', because);
    expect(partOf(await accounts('viewer'), 'accounts')).toMatch(
      /main paused .* by operator:ada at .*: amounts look wrong\./,
    );
    await resumeAccount(world.app.ledger, 'main', because);
  });

  it('says loudly that none sends, and offers to go on to those who may', async () => {
    await pauseAccount(world.app.ledger, '*', because);
    const html = await accounts('approver');
    expect(partOf(html, 'all-stopped')).toContain('No account sends All accounts were paused by operator:ada');
    expect(html).toContain('href="/accounts/all/do/resume"');
    expect(html).not.toContain('do/pause');
    expect(await accounts('operator')).not.toContain('/do/');
  });

  it('is where the stop of all accounts leads back to', async () => {
    const { status, location } = await (await world.as('viewer')).get('/accounts/all');
    expect([status, location]).toEqual([302, '/accounts']);
  });
});
