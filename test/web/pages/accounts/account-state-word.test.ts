import { describe, expect, it } from 'vitest';
import type { Account } from '../../../../src/config/config.ts';
import type { AccountState, Stop } from '../../../../src/ledger/account/read-holds.ts';
import { AccountStateWord } from '../../../../src/web/pages/accounts.tsx';
import { draw, wordsOf } from '../../support/page-words.ts';

const now = new Date('2026-06-15T10:00:00Z');
const quiet: AccountState = { account: 'main', ready: 0, onTheirWay: 0, forgotten: 0, stops: [], batches: [] };
const stop: Stop = { account: 'main', kind: 'pause', reason: 'wait', actor: 'operator:ada', since: now };
const night = { from: '22:00', to: '23:00', days: ['mon'], holidays: [] };

function say(state: Partial<AccountState>, account: Partial<Account> = {}, name = 'main'): string {
  const accounts = new Map([['main', { name: 'main', timeZone: 'America/Toronto', ...account } as Account]]);
  return wordsOf(draw(AccountStateWord, { state: { ...quiet, account: name, ...state }, settings: { accounts }, now }));
}

describe('AccountStateWord', () => {
  it('says whether an account sends', () => {
    expect(say({})).toBe('sends');
    expect(say({ stops: [stop] })).toBe('paused');
  });

  it('says until when its window is closed, in its zone', () => {
    expect(say({}, { window: night as Account['window'] })).toBe('window closed until 2026-06-15 22:00:00 -04:00');
  });

  it('names the hold first, which no window lifts', () => {
    expect(say({ stops: [stop] }, { window: night as Account['window'] })).toBe('paused');
  });

  it('knows an account that has left the configuration', () => {
    expect(say({}, {}, 'gone')).toBe('not in the configuration');
  });
});
