import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DashboardConfig } from '../../schemas/config.ts';
import { readDashboard } from '../../src/config/config-dashboard.ts';
import type { ConfigFault } from '../../src/config/config-faults.ts';

let root: string;
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'paydrop-dashboard-'));
  await writeFile(join(root, 'dashboard.pem'), 'THE CERTIFICATE');
  await writeFile(join(root, 'dashboard.key'), 'THE KEY', { mode: 0o600 });
  await writeFile(join(root, 'open.key'), 'THE KEY', { mode: 0o644 });
});
afterAll(() => rm(root, { recursive: true }));

function read(dashboard: object | undefined, env: NodeJS.ProcessEnv = {}) {
  const faults: ConfigFault[] = [];
  const settings = readDashboard(dashboard && DashboardConfig.parse(dashboard), { root, env, faults });
  return { settings, faults };
}

const TLS = { cert: 'file:dashboard.pem', key: 'file:dashboard.key' };

describe('readDashboard', () => {
  it('answers this host alone when nothing is said, and gives way there', () => {
    const { settings, faults } = read(undefined);
    expect(faults).toEqual([]);
    expect(settings).toEqual({
      listen: { host: '127.0.0.1', port: 8420 },
      isWanted: false,
      url: undefined,
      tls: undefined,
      openid: undefined,
      trustedProxies: [],
      idleMs: 900_000,
      longestMs: 43_200_000,
    });
  });

  it.each([
    ['by the file', { listen: 'off' }, {}],
    ['by the environment', { listen: '127.0.0.1:1' }, { PAYDROP_DASHBOARD: 'off' }],
  ])('is off %s', (_, dashboard, env) => {
    expect(read(dashboard, env)).toEqual({ settings: undefined, faults: [] });
  });

  it('takes the address of the environment before that of the file', () => {
    const { settings } = read({ listen: '127.0.0.1:1' }, { PAYDROP_DASHBOARD: '[::1]:2' });
    expect(settings).toMatchObject({ listen: { host: '::1', port: 2 }, isWanted: true });
  });

  it.each(['0.0.0.0:8420', '10.0.0.7:8420', 'pay.example.com:443', '[::]:8420'])(
    'does not listen on %s without encryption',
    (listen) => {
      expect(read({ listen }).faults).toEqual([
        { path: 'dashboard.listen', reason: expect.stringContaining('can be reached from elsewhere') },
      ]);
      expect(read({ listen, tls: TLS }).faults).toEqual([]);
      expect(read({ listen, trustedProxies: ['10.0.0.5'] }).faults).toEqual([]);
    },
  );

  it('reads the certificate and its key, and refuses a key that others may read', () => {
    expect(read({ tls: TLS }).settings?.tls).toEqual({ cert: 'THE CERTIFICATE', key: 'THE KEY' });
    const { faults } = read({ tls: { cert: 'file:gone.pem', key: 'file:open.key' } });
    expect(faults.map(({ path }) => path).toSorted()).toEqual(['dashboard.tls.cert', 'dashboard.tls.key']);
  });

  it('reads another place to log in, with its secret, over https only', () => {
    const openid = {
      issuer: 'https://login.example.com',
      clientId: 'paydrop',
      clientSecret: 'env:SECRET',
      label: 'Example',
    };
    expect(read({ openid }, { SECRET: 'hunter2' }).settings?.openid).toEqual({ ...openid, clientSecret: 'hunter2' });
    expect(read({ openid }, {}).faults.map(({ path }) => path)).toEqual(['dashboard.openid.clientSecret']);
    const plain = { issuer: 'http://login.example.com', clientId: 'paydrop' };
    expect(read({ openid: plain }).faults.map(({ path }) => path)).toEqual(['dashboard.openid.issuer']);
    expect(read({ openid: { ...plain, issuer: 'http://127.0.0.1:9' } }).faults).toEqual([]);
  });

  it('keeps of the address that people type what a link begins with', () => {
    expect(read({ url: 'https://pay.example.com/dashboard' }).settings?.url).toBe('https://pay.example.com');
  });

  it('names what is no address', () => {
    expect(read({ listen: '8420' })).toEqual({
      settings: undefined,
      faults: [{ path: 'dashboard.listen', reason: '"8420" is neither "off" nor host:port, such as 127.0.0.1:8420' }],
    });
  });
});
