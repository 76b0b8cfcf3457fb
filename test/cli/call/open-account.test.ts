import { describe, expect, it } from 'vitest';
import { Config } from '../../../schemas/config.ts';
import { openAccount } from '../../../src/cli/call/make-call.ts';
import { resolveSettings } from '../../../src/config/config.ts';

const USUAL = { server: 'NA', country: 'US', currency: 'USD', agentCode: 'A', password: 'hidden' };
const ACCOUNTS = {
  live: USUAL,
  near: { ...USUAL, baseUrl: 'http://127.0.0.1:8899' },
  host: { ...USUAL, baseUrl: 'http://localhost:8899/' },
  far: { ...USUAL, baseUrl: 'https://payments.example.com' },
};
const SETTINGS = resolveSettings(
  Config.parse({ accounts: ACCOUNTS, folders: [{ path: 'drop', account: 'live', operation: 'card' }] }),
  '/nowhere',
  {},
);

describe('openAccount', () => {
  it.each([
    ['live', false],
    ['far', false],
    ['near', true],
    ['host', true],
  ])('%s: calls stay on this machine: %s', (name, isSandbox) => {
    const opened = openAccount(SETTINGS, name);
    expect(opened.isSandbox).toBe(isSandbox);
    expect(opened.account.name).toBe(name);
    expect(opened.client.processCreditCard).toBeTypeOf('function');
  });

  it('names the accounts that there are', () => {
    expect(() => openAccount(SETTINGS, 'mian')).toThrow(
      'Cannot use account "mian": it is not in the configuration. There are: live, near, host, far.',
    );
  });
});
