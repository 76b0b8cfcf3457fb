import { dashboardForTests } from '../support/dashboard-world.ts';
import { describe, expect, it } from 'vitest';
import { pauseAccount, resumeAccount } from '../../../src/ledger/account/pause-account.ts';
import { partOf, wordsOf, draw } from '../support/page-words.ts';
import { achRow, lines } from '../../support/payment-rows.ts';
import { type Account, resolveSettings } from '../../../src/config/config.ts';
import type { AccountState, Stop, HoldingBatch } from '../../../src/ledger/account/read-holds.ts';
import { AccountStateWord, WhyItWaits } from '../../../src/web/pages/accounts.tsx';
import type { PersonRole } from '../../../schemas/actions.ts';
import { Config, type WindowConfig } from '../../../schemas/config.ts';
import { WEEKDAYS } from '../../../schemas/config-parts.ts';
import { describeWindow, Rules } from '../../../src/web/pages/account.tsx';
import { stopAccount } from '../../../src/ledger/account/stop-account.ts';

const because = { actor: 'operator:ada', reason: 'amounts look wrong' };

const world = dashboardForTests({ account: { timeZone: 'America/Toronto', limits: { rowAmount: 5_000 } } });

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

  it('says loudly that none sends, and offers to go on to those who may', async () => {
    await pauseAccount(world.app.ledger, '*', because);
    const html = await accounts('approver');
    expect(partOf(html, 'all-stopped')).toContain('No account sends All accounts were paused by operator:ada');
    expect(html).toContain('href="/accounts/all/do/resume"');
    expect(html).not.toContain('do/pause');
    expect(await accounts('operator')).not.toContain('/do/');
  });

  it('is where the stop of all accounts leads back to', async () => {
    await resumeAccount(world.app.ledger, '*', because);
    const { status, location } = await (await world.as('viewer')).get('/accounts/all');
    expect([status, location]).toEqual([302, '/accounts']);
  });
});

async function page(person: 'viewer' | 'admin', name = 'main'): Promise<{ status: number; text: string }> {
  return (await world.as(person)).get(`/accounts/${name}`);
}

/** The tests build on each other. */
describe('accountPage', () => {
  it('says what an account does, its rules and folders, and that nothing is open', async () => {
    const { text } = await page('viewer');
    expect(partOf(text, 'state')).toContain('Now sends');
    expect(partOf(text, 'open')).toContain('This account has no open files');
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
    expect(partOf(waiting, 'open')).toContain('june.csv Blocked 0 of 1');
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
    expect(text).not.toContain('/accounts/main/do/resume');
    expect(text).toContain('/accounts/all/do/resume');
  });

  it('lists calls that the ledger has forgotten, and of an account that left the configuration too', async () => {
    await world.app.ledger.pool.query(
      `WITH gone AS (INSERT INTO merchant (chain, since) VALUES ('gone', now()) RETURNING merchant_no)
       INSERT INTO forgotten_send (file_id, batch_no, attempt, account, merchant_no, sha256, at, since)
       VALUES ('g7fhpaqs00000000', 3, 1, 'gone', (SELECT merchant_no FROM gone), repeat('ab', 32), '2026-06-15T10:00:00Z', now())`,
    );
    const { text } = await page('viewer', 'gone');
    expect(partOf(text, 'state')).toContain('not in the configuration');
    expect(partOf(text, 'forgotten')).toContain('15 Jun, 06:00 g7fhpaqs00000000/3 1 not known no person yet');
    expect(partOf(text, 'forgotten')).toContain('paydrop account acknowledge gone');
    const [, anchor] = /href="\/accounts\/main#([^"]+)"/.exec(sayWhy([{ ...stop, kind: 'journal' }])) ?? [];
    expect(text).toContain(`id="${anchor}"`);
  });

  it('knows no account that never was', async () => {
    expect((await page('viewer', 'nobody')).status).toBe(404);
  });
});

const now = new Date('2026-06-15T10:00:00Z');
const quiet: AccountState = {
  account: 'main',
  ready: 0,
  onTheirWay: 0,
  forgotten: 0,
  stops: [],
  batches: [],
  isLedgerOpen: true,
};
const stop: Stop = { account: 'main', kind: 'pause', reason: 'wait', actor: 'operator:ada', since: now };
const night = { from: '22:00', to: '23:00', days: ['mon'], holidays: [] };

function sayState(state: Partial<AccountState>, account: Partial<Account> = {}, name = 'main'): string {
  const accounts = new Map([['main', { name: 'main', timeZone: 'America/Toronto', ...account } as Account]]);
  return wordsOf(draw(AccountStateWord, { state: { ...quiet, account: name, ...state }, settings: { accounts }, now }));
}

describe('AccountStateWord', () => {
  it('says whether an account sends', () => {
    expect(sayState({})).toBe('sends');
    expect(sayState({ stops: [stop] })).toBe('paused');
    expect(sayState({ stops: [stop], batches: [batch] })).toBe('in doubt');
    expect(sayState({ isLedgerOpen: false })).toBe('ledger closed');
  });

  it('says until when its window is closed, in its zone', () => {
    expect(sayState({}, { window: night as Account['window'] })).toBe('window closed until 2026-06-15 22:00:00 -04:00');
  });

  it('names the hold first, which no window lifts', () => {
    expect(sayState({ stops: [stop] }, { window: night as Account['window'] })).toBe('paused');
  });

  it('knows an account that has left the configuration', () => {
    expect(sayState({}, {}, 'gone')).toBe('not in the configuration');
  });
});

const batch: HoldingBatch = {
  fileId: 'g7fhpaqs00000000',
  name: 'june.csv',
  batchNo: 2,
  state: 'unknown',
  rows: 3,
  cents: 7_500,
  since: now,
  reason: null,
};

function sayWhy(stops: Stop[], batches: HoldingBatch[] = [], role: PersonRole = 'admin'): string {
  const viewer = { person: 'ada', role, csrf: '', actions: undefined } as const;
  return draw(WhyItWaits, { holds: { stops, batches }, timeZone: 'America/Toronto', viewer });
}

describe('WhyItWaits', () => {
  it.each([
    [{}, 'paused by operator:ada at 2026-06-15 06:00:00 -04:00: wait.', 'href="/accounts/main/do/resume"'],
    [{ kind: 'fault' }, 'It was stopped at', 'When the cause is fixed'],
    [{ kind: 'journal' }, 'The ledger may be older than what was sent.', 'href="/accounts/main#'],
    [{ account: '*' }, 'All accounts were paused', 'href="/accounts/all/do/resume"'],
  ] as [Partial<Stop>, string, string][])('says who or what stopped it and how to go on: %j', (more, says, next) => {
    const html = sayWhy([{ ...stop, ...more }]);
    expect(wordsOf(html)).toContain(says);
    expect(html).toContain(next);
  });

  it.each([
    ['unknown', 'The service may have taken it.', 'href="/files/g7fhpaqs00000000/batches/2/resolve"'],
    ['refused', 'Nothing was charged.', 'href="/files/g7fhpaqs00000000/batches/2/do/retry"'],
    ['sending', 'has been in progress', 'There is nothing to do.'],
  ] as const)('leads to a batch that is %s', (state, says, next) => {
    const html = sayWhy([], [{ ...batch, state }]);
    expect(wordsOf(html)).toContain(says);
    expect(html).toContain(next);
  });

  it('leads a person who may change nothing to the batch, and to no action', () => {
    const html = sayWhy([stop], [{ ...batch, state: 'refused' }], 'viewer');
    expect(html.match(/href="[^"]+"/g)).toEqual(['href="/files/g7fhpaqs00000000/batches/2"']);
    expect(wordsOf(html)).toContain('Fix the cause, then “Send again”, or “Withdraw”.');
  });

  it('speaks of no command line, and says nothing when nothing holds', () => {
    expect(sayWhy([stop], [batch])).not.toContain('paydrop ');
    expect(sayWhy([])).toBe('');
  });
});

function sayRules(account: Record<string, unknown> = {}, folder: Record<string, unknown> = {}): string {
  const main = { server: 'NA', country: 'CA', currency: 'CAD', agentCode: 'TEST88', password: 'a secret' };
  const folders = [{ path: 'drop/card', account: 'main', operation: 'card', ...folder }];
  const config = Config.parse({ accounts: { main: { ...main, ...account } }, folders });
  const settings = resolveSettings(config, '/srv/paydrop', {});
  return wordsOf(draw(Rules, { account: settings.accounts.get('main')!, folders: settings.folders }));
}

describe('Rules', () => {
  it('says what holds where nothing was set', () => {
    const words = sayRules();
    expect(words).toContain('Sends at any time');
    expect(words).toContain('Largest row no limit');
    expect(words).toContain('Two persons needed for nothing');
    expect(words).toContain('Originals are kept 400 days');
    expect(words).toContain('drop/card card as soon as complete');
  });

  it('says each limit in money of the account, and those of a folder where they are tighter', () => {
    const words = sayRules(
      { limits: { rowAmount: 5_000, fileRows: 20_000, fileTotal: 1_000_000.5, dayTotal: 2_000_000 } },
      { limits: { rowAmount: 100, fileRows: 10 } },
    );
    expect(words).toContain('Largest row 5,000.00 CAD');
    expect(words).toContain('Most rows of a file 20,000');
    expect(words).toContain('Largest file 1,000,000.50 CAD');
    expect(words).toContain('Most on one day 2,000,000.00 CAD');
    expect(words).toMatch(/row 100\.00 CAD 10 rows$/);
  });

  it('says who must agree and when something is expected', () => {
    const secondPerson = { refunds: true, overrides: true, resolutions: true };
    const words = sayRules({ secondPerson, retention: { days: 0 } }, { expect: { by: '18:00', days: ['mon', 'fri'] } });
    expect(words).toContain('every refund file, approving a held file, declaring the outcome of a batch in doubt');
    expect(words).toContain('by 18:00, mon fri');
    expect(words).toContain('Originals are kept forever');
  });

  it('shows no secret', () => {
    expect(sayRules()).not.toMatch(/TEST88|a secret/);
  });
});

const window: WindowConfig = { from: '09:00', to: '17:00', days: [...WEEKDAYS], holidays: [] };

describe('describeWindow', () => {
  it.each([
    [undefined, 'at any time'],
    [window, '09:00 to 17:00, every day, in Europe/London'],
    [{ ...window, days: ['mon', 'tue'] }, '09:00 to 17:00, mon tue, in Europe/London'],
    [{ ...window, from: '00:00', to: '00:00' }, 'the whole day, every day, in Europe/London'],
    [{ ...window, holidays: ['2026-12-25'] }, '09:00 to 17:00, every day, in Europe/London, not on 2026-12-25'],
  ] as [WindowConfig | undefined, string][])('of %j says "%s"', (of, words) => {
    expect(describeWindow(of, 'Europe/London')).toBe(words);
  });
});
