import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ERRORS } from '../../schemas/errors.ts';
import { Config } from '../../schemas/config.ts';
import { CONFIG_FILE, loadSettings, resolveSettings } from '../../src/config/config.ts';
import { configWith, failureOf, FOLDER, UK_ACCOUNT } from '../kernel/support/config-world.ts';
import { upTo } from '../support/payment-rows.ts';

const CANARY = 'hunter2';

const YAML = `accounts:
  main:
    server: NA
    country: US
    currency: USD
    agentCode: TEST88
    password: env:SECRET
folders:
  - path: drop/dues
    account: main
    operation: ach-charge
`;

let root: string;

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'paydrop-config-'));
});

afterEach(() => rm(root, { recursive: true }));

describe('loadSettings', () => {
  it('reads the file and the environment', async () => {
    await writeConfig(YAML);
    const settings = loadSettings(root, { SECRET: CANARY, DATABASE_URL: 'postgres://db', PAYDROP_LOG_LEVEL: 'debug' });
    expect(settings.accounts.get('main')).toMatchObject({ name: 'main', agentCode: 'TEST88', password: CANARY });
    expect(settings).toMatchObject({
      root,
      databaseUrl: 'postgres://db',
      redisUrl: undefined,
      logLevel: 'debug',
      batch: { maxRows: 'auto' },
      rescanMs: 30_000,
    });
  });

  it('has a second place for the send journal where one is named, in a file of this host', async () => {
    const read = async (text: string) => {
      await writeConfig(text);
      return loadSettings(root, { SECRET: CANARY, PAYDROP_HOST: 'host/a' }).paths.mirror;
    };
    expect(await read(YAML)).toBeUndefined();
    expect(await read(`${YAML}journal: { mirror: second }\n`)).toBe(join(root, 'second', 'host%2Fa.jsonl'));
  });

  it('checks routing numbers of accounts in the US, unless the folder says otherwise', async () => {
    const check = async (text: string) => {
      await writeConfig(text);
      return loadSettings(root, { SECRET: CANARY }).folders[0]!.routingCheck;
    };
    expect(await check(YAML)).toBe(true);
    expect(await check(YAML.replace('country: US', 'country: CA').replace('USD', 'CAD'))).toBe(false);
    expect(await check(`${YAML}    routingCheck: false\n`)).toBe(false);
  });

  it.each([
    [1, {}, 8],
    [9, {}, 9],
    [50, {}, 50],
    [500, {}, 100],
    [50, { submit: 3, poll: 2 }, 3],
  ])('with %i accounts and %j sends %i calls at a time', (count, concurrency, submit) => {
    const account = { server: 'NA', country: 'US', currency: 'USD', agentCode: 'TEST88', password: 'TEST88' };
    const accounts = Object.fromEntries(upTo(count).map((n) => [`a${n}`, { ...account, agentCode: `TEST${n}` }]));
    const folders = [{ path: 'drop', account: Object.keys(accounts)[0], operation: 'ach-charge' }];
    const settings = resolveSettings(Config.parse({ accounts, folders, concurrency }), root, {});
    expect(settings.concurrency).toEqual({ intake: 1, submit, poll: submit, deliver: 2, ...concurrency });
  });

  it('names the profile of a folder', async () => {
    await writeConfig(`${YAML}    profile: quickbooks-dues\n`);
    expect(loadSettings(root, { SECRET: CANARY }).folders[0]!.profile).toBe('quickbooks-dues');
    await writeConfig(`${YAML}    profile: Dues of June\n`);
    expect(() => loadSettings(root, { SECRET: CANARY })).toThrow(
      'profile of folder "drop/dues": use lower-case letters',
    );
  });

  it.each(['header: auto', 'charset: utf-8', 'layout: ach'])(
    'does not take %s beside a profile, even where it is the default',
    async (setting) => {
      await writeConfig(`${YAML}    ${setting}\n`);
      expect(loadSettings(root, { SECRET: CANARY }).folders).toHaveLength(1);
      await writeConfig(`${YAML}    ${setting}\n    profile: quickbooks-dues\n`);
      const [name] = setting.split(':');
      expect(() => loadSettings(root, { SECRET: CANARY })).toThrow(
        `${name} of folder "drop/dues": the profile of this folder says it, so take it out here`,
      );
    },
  );

  it.each([
    ['not at all', undefined, undefined, undefined],
    ['where the file says', '127.0.0.1:9464', undefined, { host: '127.0.0.1', port: 9464 }],
    ['where the environment says', undefined, 'localhost:1', { host: 'localhost', port: 1 }],
    ['where the environment says before the file', '127.0.0.1:9464', '[::1]:2', { host: '::1', port: 2 }],
  ])('lets the monitor listen %s', (_where, listen, env, monitor) => {
    const config = { ...configWith({}), ...(listen && { monitor: { listen } }) };
    expect(resolveSettings(config, '/srv', { PAYDROP_MONITOR: env }).monitor).toEqual(monitor);
  });

  it.each([
    ['monitor.listen', { monitor: { listen: '9464' } }, {}],
    ['PAYDROP_MONITOR', {}, { PAYDROP_MONITOR: '9464' }],
  ])('names %s when it is no address', (path, part, env) => {
    expect(failureOf(() => resolveSettings({ ...configWith({}), ...part }, '/srv', env)).message).toContain(
      `${path}: "9464" is not host:port`,
    );
  });

  it.each([
    [undefined, 1],
    ['0.1', 0.1],
  ])('reads %s as the share of files that are traced', (text, share) => {
    expect(resolveSettings(configWith({}), '/srv', { PAYDROP_OTLP_SHARE: text }).otlpShare).toBe(share);
  });

  it.each(['1.5', '-1', 'half'])('does not take %s for a share of the files', (text) => {
    expect(failureOf(() => resolveSettings(configWith({}), '/srv', { PAYDROP_OTLP_SHARE: text })).message).toContain(
      'PAYDROP_OTLP_SHARE: it is not a number from 0 to 1',
    );
  });

  it('reads the secrets of those who are told of alarms, and names those that are missing', () => {
    const hook = { by: 'webhook', url: 'env:URL', secret: 'env:KEY' } as const;
    const config = { ...configWith({}), alarms: [hook] };
    const env = { URL: 'https://hooks.test/x', KEY: CANARY };
    expect(resolveSettings(config, '/srv', env).alarms).toEqual([{ ...hook, url: env.URL, secret: CANARY }]);
    const { message } = failureOf(() => resolveSettings(config, '/srv', { URL: env.URL }));
    expect(message).toContain('secret of alarm 1: the environment variable "KEY" is empty or missing');
  });

  it('takes a relative root, and a byte order mark', async () => {
    await writeConfig(`\ufeff${YAML}`);
    const here = process.cwd();
    process.chdir(root);
    try {
      expect(loadSettings('.', { SECRET: CANARY }).paths.data).toBe(join(process.cwd(), 'data'));
    } finally {
      process.chdir(here);
    }
  });

  it('says when there is no file', () => {
    const error = failureOf(() => loadSettings(root, {}));
    expect(error).toMatchObject({ code: 'CONFIG_MISSING' });
    expect(error.message).toContain(`Cannot read "${join(root, CONFIG_FILE)}"`);
  });

  it('says when the file cannot be read', async () => {
    await mkdir(join(root, CONFIG_FILE));
    expect(failureOf(() => loadSettings(root, {}))).toMatchObject({ code: 'CONFIG_INVALID' });
  });

  it.each([
    ['a quote that is not closed', 'a: "x\nb: 1', 'line 2, column 5: missing char'],
    ['a tab', '\tx: 1', 'line 1, column 1: tab as indent'],
    ['a key twice', 'a: 1\na: 2', 'line 2, column 1: duplicate key'],
    ['a sign in front', 'a: @x', 'line 1, column 4: bad scalar start'],
    ['two faults', 'a: @x\na: "y"', 'line 1, column 4: bad scalar start; line 2, column 1: duplicate key'],
    ['two documents', '--- 1\n--- 2', 'line 2, column 1: multiple docs'],
    ['an unknown tag', 'a: !secret x', 'line 1, column 4: tag resolve failed'],
  ])('names the place of %s', async (_, text, faults) => {
    expect(await refusalOf(text)).toContain(`: ${faults}. `);
  });

  it.each(['|', '>', '*', '!', '@', '`', '%', '"', "'", '&', '[', '{', '? ', '- '])(
    'does not quote a password that begins with %j',
    async (sign) => {
      expect(await refusalOf(YAML.replace('env:SECRET', `${sign}${CANARY}`))).not.toContain(CANARY);
    },
  );

  it('takes no file that would take minutes to parse', async () => {
    expect(await refusalOf(YAML + '#'.repeat(2_000_000))).toContain('larger than 2 MB');
  });

  it('takes no alias that stands within what it names', async () => {
    expect(await refusalOf('a: &a [*a]\n')).toContain('is undefined, contains itself');
  });

  it('takes a part of the file that hundreds of accounts share, and no alias that multiplies itself', async () => {
    const shared = `x: [&a {one: 1}${', *a'.repeat(500)}]\n`;
    expect(await refusalOf(`${YAML}${shared}`)).not.toContain('alias');
    const levels = upTo(6).map((level) => `x${level}: &a${level} [${`*a${level - 1}, `.repeat(9)}]\n`);
    expect(await refusalOf(`x0: &a0 [${'1, '.repeat(9)}]\n${levels.join('')}`)).toContain('used too often');
  });

  it.each(['latin1', 'utf16le'] as const)('takes no text in %s, whose passwords would be others', async (encoding) => {
    await writeFile(join(root, CONFIG_FILE), Buffer.from(YAML.replace('env:SECRET', 'caf\u00e9\ud900'), encoding));
    expect(failureOf(() => loadSettings(root, {})).message).toContain('it is not text in UTF-8');
  });

  it('takes no NUL in any text, and says only where it stands', async () => {
    const message = await refusalOf(`${YAML}masterKey: "command:${CANARY}\\0 x"\npush: ["\\0"]\n`);
    expect(message).toContain('masterKey: it contains a NUL');
    expect(message).toContain('push target 1: it contains a NUL');
    expect(message).not.toContain(CANARY);
  });
});

describe('resolveSettings', () => {
  it('makes every path absolute and keeps that of the folder as its id', () => {
    const folders = [FOLDER, { ...FOLDER, path: '/mnt/cards', operation: 'card', work: '/mnt/work' }];
    const settings = resolveSettings(configWith({ folders, paths: { out: '../out', data: 'd' } }), '/srv/pay', {});
    expect(settings.folders).toMatchObject([
      { id: 'drop/dues', path: '/srv/pay/drop/dues', work: '/srv/pay/d/work' },
      { id: '/mnt/cards', path: '/mnt/cards', work: '/mnt/work' },
    ]);
    expect(settings.paths).toEqual({
      out: '/srv/out',
      quarantine: '/srv/pay/quarantine',
      data: '/srv/pay/d',
      archive: '/srv/pay/d/archive',
      journal: '/srv/pay/d/journal/sends.jsonl',
      masterKey: '/srv/pay/d/master.key',
    });
  });

  it.each([{}, { DATABASE_URL: '', REDIS_URL: '', PAYDROP_LOG_LEVEL: '' }])(
    'takes the defaults for the environment %j',
    (env) => {
      expect(resolveSettings(configWith({}), root, env)).toMatchObject({
        databaseUrl: undefined,
        redisUrl: undefined,
        logLevel: 'info',
      });
    },
  );

  it('reads secrets from the environment, from closed files and as they stand', async () => {
    await writeFile(join(root, 'password'), `${CANARY}\n`, { mode: 0o600 });
    const account = { agentCode: 'env:AGENT', password: 'file:password' };
    const settings = resolveSettings(configWith({ account }), root, { AGENT: 'A1' });
    expect(settings.accounts.get('main')).toMatchObject({ agentCode: 'A1', password: CANARY });
  });

  it('names every fault at once, with its path and without secrets', async () => {
    await writeFile(join(root, 'open'), CANARY, { mode: 0o600 });
    await chmod(join(root, 'open'), 0o640);
    const config = configWith({
      account: { timeZone: 'Mars', agentCode: 'env:NOT_SET', password: 'file:open' },
      folders: [FOLDER, FOLDER, { ...FOLDER, path: 'drop/x', account: 'other' }],
    });
    const { code, message } = failureOf(() => resolveSettings(config, root, { PAYDROP_LOG_LEVEL: 'loud' }));
    expect(code).toBe('CONFIG_INVALID');
    expect(message).not.toContain(CANARY);
    const faults = [
      'accounts.main.agentCode: the environment variable "NOT_SET" is empty or missing',
      'accounts.main.password: the file "open" is readable by other users (set its mode to 0600)',
      'PAYDROP_LOG_LEVEL: "loud" is none of debug, info, warn, error, silent',
      'accounts.main.timeZone: "Mars" is not a time zone',
      'account of folder "drop/x": there is no account "other"',
      'path of folder "drop/dues": "drop/dues" is configured twice',
    ];
    expect(message).toBe(
      `Cannot use "${join(root, CONFIG_FILE)}": it has 6 faults:\n  ${faults.join('\n  ')}. ${ERRORS.CONFIG_INVALID.remedy}`,
    );
  });

  it('answers with the words of the service where that is all that is wrong', () => {
    const config = configWith({ accounts: { main: UK_ACCOUNT } });
    const { code, message } = failureOf(() => resolveSettings(config, root, {}));
    expect(code).toBe('RESTRICTED');
    expect(message).toContain('operation of folder "drop/dues": Service cannot be used on this server');
  });

  it('answers CONFIG_INVALID where something else is wrong as well', () => {
    const config = configWith({ accounts: { main: { ...UK_ACCOUNT, timeZone: 'Mars' } } });
    const { code, message } = failureOf(() => resolveSettings(config, root, {}));
    expect(code).toBe('CONFIG_INVALID');
    expect(message).toContain('Service cannot be used on this server');
  });
});

async function writeConfig(text: string): Promise<void> {
  await writeFile(join(root, CONFIG_FILE), text);
}

/** Returns why such a file is refused as invalid. */
async function refusalOf(text: string): Promise<string> {
  await writeConfig(text);
  const { code, message } = failureOf(() => loadSettings(root, { SECRET: CANARY }));
  expect(code).toBe('CONFIG_INVALID');
  return message;
}
