import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { AccountConfig, DashboardConfig } from '../../schemas/config.ts';
import { readDashboard, readListenAddress } from '../../src/config/config-dashboard.ts';
import type { ConfigFault } from '../../src/config/config-faults.ts';
import { readOpenPgp, readSecret, runSecretCommand, SECRET_COMMAND_MS } from '../../src/config/config-secret.ts';
import { ACCOUNT } from '../kernel/support/config-world.ts';

let root: string;

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'paydrop-config-'));
  await writeFile(join(root, 'dashboard.pem'), 'THE CERTIFICATE');
  await writeFile(join(root, 'dashboard.key'), 'THE KEY', { mode: 0o600 });
  await writeFile(join(root, 'open.key'), 'THE KEY', { mode: 0o644 });
  await writeFile(join(root, 'own.asc'), 'our key\n', { mode: 0o600 });
  await writeFile(join(root, 'open.asc'), 'our key\n', { mode: 0o644 });
  await writeFile(join(root, 'sender.asc'), 'their key\n', { mode: 0o644 });
});
afterAll(() => rm(root, { recursive: true }));

const TLS = { cert: 'file:dashboard.pem', key: 'file:dashboard.key' };

describe('readDashboard', () => {
  function read(dashboard: object | undefined, env: NodeJS.ProcessEnv = {}) {
    const faults: ConfigFault[] = [];
    const settings = readDashboard(dashboard && DashboardConfig.parse(dashboard), { root, env, faults });
    return { settings, faults };
  }

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
      secondFactor: 'optional',
      proofMs: 600_000,
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
        { path: 'dashboard.listen', reason: expect.stringContaining('is reachable from other hosts') },
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

describe('readListenAddress', () => {
  it.each([
    ['127.0.0.1:9464', { host: '127.0.0.1', port: 9464 }],
    ['localhost:0', { host: 'localhost', port: 0 }],
    ['[::1]:65535', { host: '::1', port: 65_535 }],
    ['0.0.0.0:80', { host: '0.0.0.0', port: 80 }],
  ])('reads %s', (text, address) => {
    expect(readListenAddress(text)).toEqual(address);
  });

  it.each(['9464', ':9464', '127.0.0.1', '127.0.0.1:', '127.0.0.1:65536', '::1:9464', 'a b:1', 'http://a:1', ''])(
    'does not take %j, which may not be what was meant',
    (text) => {
      expect(readListenAddress(text)).toBeUndefined();
    },
  );
});

describe('readOpenPgp', () => {
  function read(openpgp: Record<string, unknown>) {
    const faults: ConfigFault[] = [];
    const config = AccountConfig.parse({ ...ACCOUNT, openpgp }).openpgp!;
    const env = { WORD: 'open sesame' };
    return { texts: readOpenPgp(config, 'accounts.main.openpgp', { root, env, faults }), faults };
  }

  it('reads keys and passphrase from where they are', () => {
    const { texts, faults } = read({ key: 'file:own.asc', passphrase: 'env:WORD', senders: ['file:sender.asc'] });
    expect(texts).toEqual({ key: 'our key', passphrase: 'open sesame', senders: ['their key'] });
    expect(faults).toEqual([]);
  });

  it('takes what a command prints, with its words and without its line end', () => {
    const command = `command:${process.execPath} -p 'a'+1`;
    expect(read({ key: command }).texts).toEqual({ key: 'a1', senders: [] });
  });

  it('names what cannot be read, and of a command the program only', () => {
    const { faults } = read({
      key: 'file:open.asc',
      passphrase: 'command:/nowhere/vault --token=secret',
      senders: ['file:sender.asc', 'file:gone.asc', 'env:NONE'],
    });
    expect(faults).toEqual([
      { path: 'accounts.main.openpgp.key', reason: expect.stringContaining('is readable by other users') },
      {
        path: 'accounts.main.openpgp.passphrase',
        reason: 'the command "/nowhere/vault" failed: it cannot be run (ENOENT)',
      },
      { path: 'accounts.main.openpgp.senders.1', reason: 'the file "gone.asc" cannot be read (ENOENT)' },
      { path: 'accounts.main.openpgp.senders.2', reason: 'the environment variable "NONE" is empty or missing' },
    ]);
    expect(JSON.stringify(read({ key: `command:${process.execPath} -e 0` }).faults)).toContain('printed nothing');
  });

  it.each([
    ['a key in the configuration itself', { key: '-----BEGIN PGP PRIVATE KEY BLOCK-----' }],
    ['a required signature of nobody', { key: 'env:X', signature: 'required' }],
    ['a public key from a command', { key: 'env:X', senders: ['command:x'] }],
  ])('is not asked for %s', (_what, openpgp) => {
    expect(AccountConfig.safeParse({ ...ACCOUNT, openpgp }).success).toBe(false);
  });
});

const CANARY = 'hunter2';

describe('readSecret', () => {
  it.each(['TEST88', 'envy', 'ENV:X', 'a env:X', 'http://x', ''])('takes %j as it is', (text) => {
    expect(readSecret(text, root, { X: CANARY })).toEqual({ value: text });
  });

  it('reads the environment, and changes nothing in it', () => {
    expect(readSecret('env:X', root, { X: ` ${CANARY} ` })).toEqual({ value: ` ${CANARY} ` });
  });

  it.each([{}, { X: '' }, { Y: CANARY }])('names the variable that is not set in %j', (env) => {
    expect(readSecret('env:X', root, env)).toEqual({ fault: 'the environment variable "X" is empty or missing' });
  });

  it.each(['env', 'file'])('finds nothing behind "%s:"', (kind) => {
    expect(readSecret(`${kind}:`, root, {})).toEqual({ fault: `nothing follows "${kind}:"` });
  });

  it.each([0o600, 0o400])('reads a file of mode %o, without the end of its line', async (mode) => {
    await writeSecret('key', `${CANARY}\r\n`, mode);
    expect(readSecret('file:key', root, {})).toEqual({ value: CANARY });
    expect(readSecret(`file:${join(root, 'key')}`, '/elsewhere', {})).toEqual({ value: CANARY });
  });

  it.each([0o640, 0o604, 0o620, 0o610, 0o644, 0o666, 0o777])('refuses a file of mode %o', async (mode) => {
    await writeSecret('key', CANARY, mode);
    expect(readSecret('file:key', root, {})).toEqual({
      fault: 'the file "key" is readable by other users (set its mode to 0600)',
    });
  });

  it.each(['', '\n', '  '])('refuses a file that holds %j', async (text) => {
    await writeSecret('key', text, 0o600);
    expect(readSecret('file:key', root, {})).toEqual({ fault: 'the file "key" is empty' });
  });

  it('says what kept it from reading', async () => {
    await mkdir(join(root, 'folder'), { mode: 0o700 });
    expect(readSecret('file:gone', root, {})).toEqual({ fault: 'the file "gone" cannot be read (ENOENT)' });
    expect(readSecret('file:folder', root, {})).toEqual({ fault: 'the file "folder" cannot be read (EISDIR)' });
  });
});

/** Writes a file, then sets its mode, because the umask narrows a mode given at creation. */
async function writeSecret(name: string, text: string, mode: number): Promise<void> {
  await rm(join(root, name), { force: true });
  await writeFile(join(root, name), text);
  await chmod(join(root, name), mode);
}

describe('runSecretCommand', () => {
  const ENV = { GREETING: 'hello' };
  const node = (script: string) => [process.execPath, '-e', script];

  it('gives what the command prints, with the environment it was given', () => {
    expect(runSecretCommand(node('process.stdout.write(process.env.GREETING)'), ENV)).toEqual({ value: 'hello' });
  });

  it.each([
    ['fails', node("console.error('the-secret'); process.exit(3)"), 120_000, 'it exited with status 3'],
    ['is not there', ['/nowhere/program'], 120_000, 'it cannot be run (ENOENT)'],
    ['takes too long', node('setInterval(() => {}, 1000)'), 500, 'it did not end within 500 ms'],
  ])('says when it %s, and nothing of what it said itself', (_what, words, limitMs, fault) => {
    expect(runSecretCommand(words, ENV, limitMs)).toEqual({ fault });
    expect(SECRET_COMMAND_MS).toBeGreaterThan(500);
  });
});
