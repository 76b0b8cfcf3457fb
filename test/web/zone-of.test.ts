import { describe, expect, it } from 'vitest';
import type { Account } from '../../src/config/config.ts';
import { sharedZone, zoneOf } from '../../src/web/zone-of.ts';

function accountsIn(zones: Readonly<Record<string, string>>) {
  return { accounts: new Map(Object.entries(zones).map(([name, timeZone]) => [name, { timeZone } as Account])) };
}

describe('zoneOf', () => {
  it('is that of the account, and UTC for one that is not there any more', () => {
    const settings = accountsIn({ main: 'America/Toronto' });
    expect([zoneOf(settings, 'main'), zoneOf(settings, 'gone')]).toEqual(['America/Toronto', 'UTC']);
  });
});

describe('sharedZone', () => {
  it.each([
    [{ main: 'America/Toronto', spare: 'America/Toronto' }, 'America/Toronto'],
    [{ main: 'America/Toronto', uk: 'Europe/London' }, 'UTC'],
    [{}, 'UTC'],
  ])('of %j is %s', (zones, zone) => {
    expect(sharedZone(accountsIn(zones))).toBe(zone);
  });
});
