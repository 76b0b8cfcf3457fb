import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { AccountConfig, Config, ENVIRONMENT } from '../../schemas/config.ts';
import { WEEKDAYS } from '../../schemas/config-parts.ts';
import { RESULT_TITLES } from '../../schemas/layouts.ts';
import type { OperationName } from '../../schemas/operations.ts';
import { parametersOf } from '../../schemas/parameters.ts';
import { sampleParameters } from '../gateway/support/call.ts';

const ACCOUNT = { server: 'NA', country: 'US', currency: 'USD', agentCode: 'env:AGENT', password: 'env:PASSWORD' };
const FOLDER = { path: 'drop/dues', account: 'main', operation: 'ach-charge' };
const SMALLEST = { accounts: { main: ACCOUNT }, folders: [FOLDER] };

describe('Config', () => {
  it.each([
    ['10.0.0.5', true],
    ['10.0.0.0/8', true],
    ['fd00::/8', true],
    ['uniquelocal', true],
    ['', false],
    ['proxy.example', false],
    ['10.0.0.0/33', false],
    ['10.0.0.0/8/8', false],
    ['::1/129', false],
  ])('takes %j for a proxy before the dashboard: %s', (network, isTaken) => {
    const dashboard = { url: 'https://pay.example', trustedProxies: [network] };
    expect(Config.safeParse({ ...SMALLEST, dashboard }).success).toBe(isTaken);
  });

  it('takes no more folders than one process can look at', () => {
    const folders = Array.from({ length: 80_000 }, (_, n) => ({ ...FOLDER, path: `drop/${n}` }));
    expect(Config.safeParse({ ...SMALLEST, folders: folders.slice(0, 1_000) }).success).toBe(true);
    expect(Config.safeParse({ ...SMALLEST, folders }).error?.issues).toHaveLength(1);
  });

  it('needs one account with its five settings and one folder with its three, and fills in the rest', () => {
    expect(Config.parse(SMALLEST)).toEqual({
      accounts: {
        main: {
          ...ACCOUNT,
          timeZone: 'UTC',
          leaseMs: 30_000,
          connectTimeoutMs: 10_000,
          answerTimeoutMs: 180_000,
          poll: { firstMs: 'auto', factor: 1.5, longestMs: 300_000, staleMs: 86_400_000 },
          recheck: { afterMs: [3_600_000, 86_400_000, 259_200_000, 604_800_000] },
          resolveWaitMs: 86_400_000,
          secondPerson: { refunds: false, overrides: false, resolutions: false },
          retention: { days: 400 },
          limits: {},
          serviceLimits: { lengths: {} },
          outputs: { bom: 'auto', delimiter: 'comma', decimal: 'point', columns: RESULT_TITLES, workbook: false },
        },
      },
      folders: [
        {
          ...FOLDER,
          site: 'main',
          complete: { by: 'quiet', quietMs: 10_000, probes: 3 },
          header: 'auto',
          charset: 'utf-8',
          finalNewline: 'warn',
          textCommas: 'replace',
          badRows: { policy: 'withhold', maxPercent: 10 },
          duplicateRows: 'hold',
          encryption: 'optional',
          sameTotals: 'warn',
          chargedBefore: 'hold',
          duplicateDays: 35,
          limits: {},
          unusualFactor: 3,
          maxBytes: 1_073_741_824,
          clearNumbers: false,
        },
      ],
      schedules: {},
      batch: { maxRows: 'auto' },
      paths: { out: 'out', quarantine: 'quarantine', data: 'data' },
      features: {},
      remotes: {},
      push: [],
      newcomerDays: 7,
      reprocess: { secondPersonAbove: { payments: 200, money: 10_000 } },
      rescanMs: 30_000,
      sweepMs: 15_000,
      watch: 'events',
      journal: {},
      concurrency: { intake: 1, deliver: 2 },
      alarms: [],
    });
  });

  it.each([
    ['file:/run/key', true],
    ['env:KEY', true],
    ['command:vault read key', true],
    ['', false],
    ['/run/key', false],
    ['file:', false],
    ['command: vault', false],
  ])('masterKey %j: %s', (masterKey, isTaken) => {
    expect(Config.safeParse({ ...SMALLEST, masterKey }).success).toBe(isTaken);
  });

  it('fills in windows, schedules and expectations', () => {
    const config = Config.parse({
      accounts: { main: { ...ACCOUNT, window: { from: '20:00' } } },
      folders: [{ ...FOLDER, schedule: 'nightly', expect: { by: '18:00', days: ['mon'] } }],
      schedules: { nightly: { does: 'take', at: '22:00' }, close: { does: 'day-close', at: '23:00', account: 'main' } },
    });
    const calendar = { days: WEEKDAYS, holidays: [] };
    const times = { timeZone: 'UTC', ...calendar, windowMinutes: 240 };
    expect(config.accounts['main']?.window).toEqual({ from: '20:00', to: '00:00', ...calendar });
    expect(config.folders[0]?.expect).toEqual({ by: '18:00', days: ['mon'], holidays: [] });
    expect(config.schedules).toEqual({
      nightly: { does: 'take', at: '22:00', ...times },
      close: { does: 'day-close', at: '23:00', account: 'main', ...times },
    });
    expect(Config.parse(config)).toEqual(config);
  });

  it('takes its own result again unchanged', () => {
    const config = Config.parse(SMALLEST);
    expect(Config.parse(config)).toEqual(config);
  });

  it.each([
    ['at the top', { ...SMALLEST, folder: [] }],
    ['in an account', { ...SMALLEST, accounts: { main: { ...ACCOUNT, agentcode: 'x' } } }],
    ['in poll', { ...SMALLEST, accounts: { main: { ...ACCOUNT, poll: { first: 1 } } } }],
    ['in a folder', { ...SMALLEST, folders: [{ ...FOLDER, headers: 'none' }] }],
    ['in complete', { ...SMALLEST, folders: [{ ...FOLDER, complete: { by: 'marker', quietMs: 5 } }] }],
    ['in badRows', { ...SMALLEST, folders: [{ ...FOLDER, badRows: { max: 5 } }] }],
    ['in batch', { ...SMALLEST, batch: { rows: 5 } }],
    ['in paths', { ...SMALLEST, paths: { outbox: 'x' } }],
    ['in a window', withAccount({ window: { open: '20:00' } })],
    ['in a schedule', withSchedule({ does: 'take', at: '22:00', account: 'main' })],
    ['in expect', withFolder({ expect: { by: '18:00', at: '18:00' } })],
    ['in concurrency', { ...SMALLEST, concurrency: { sweep: 1 } }],
  ])('refuses a setting that it does not know %s', (_where, config) => {
    expect(codesOf(config)).toContain('unrecognized_keys');
  });

  it.each([
    ['no accounts', { folders: [FOLDER] }],
    ['no folders', { accounts: { main: ACCOUNT }, folders: [] }],
    ['an account without password', withAccount({ password: undefined })],
    ['an empty password', withAccount({ password: '' })],
    ['a server that is not one', withAccount({ server: 'EU' })],
    ['a currency that is not one', withAccount({ currency: 'JPY' })],
    ['an address that is not one', withAccount({ baseUrl: 'the usual' })],
    ['a poll factor that shortens the wait', withAccount({ poll: { factor: 0.9 } })],
    ['an account name with capitals', { ...SMALLEST, accounts: { Main: ACCOUNT } }],
    ['an operation that is not one', withFolder({ operation: 'ach' })],
    ['a layout that is not one', withFolder({ layout: 'card-us' })],
    ['a share above 100', withFolder({ badRows: { maxPercent: 101 } })],
    ['a time of day that is none', withAccount({ window: { from: '24:00' } })],
    ['a time of day without its zero', withSchedule({ does: 'take', at: '9:00' })],
    ['a calendar without a day', withAccount({ window: { days: [] } })],
    ['a day of the week that is none', withAccount({ window: { days: ['monday'] } })],
    ['a holiday that is no day', withAccount({ window: { holidays: ['2026-02-30'] } })],
    ['a schedule that does nothing', withSchedule({ at: '22:00' })],
    ['a schedule that does something else', withSchedule({ does: 'pay', at: '22:00' })],
    ['a schedule without a time', withSchedule({ does: 'take' })],
    ['a close of no account', withSchedule({ does: 'day-close', at: '22:00' })],
    ['a window longer than a day', withSchedule({ does: 'take', at: '22:00', windowMinutes: 1_441 })],
    ['an expectation without a time', withFolder({ expect: {} })],
    ['a batch of no rows', { ...SMALLEST, batch: { maxRows: 0 } }],
    ['a batch of too many rows', { ...SMALLEST, batch: { maxRows: 10_001 } }],
    ['a time that is negative', { ...SMALLEST, rescanMs: -1 }],
    ['a number in quotes', { ...SMALLEST, rescanMs: '30000' }],
    ['no waiting at all', { ...SMALLEST, sweepMs: 0 }],
    ['a wait that no timer takes', { ...SMALLEST, rescanMs: 2 ** 31 }],
  ])('refuses %s', (_fault, config) => {
    expect(codesOf(config)).not.toEqual([]);
  });

  it.each([
    ['a folder that waits for a marker', withFolder({ complete: { by: 'marker' } })],
    ['the largest batch', { ...SMALLEST, batch: { maxRows: 10_000 } }],
    ['a service on loopback', withAccount({ baseUrl: 'http://127.0.0.1:8080' })],
    ['hardly any waiting', { ...SMALLEST, rescanMs: 10 }],
  ])('takes %s', (_case, config) => {
    expect(codesOf(config)).toEqual([]);
  });
});

describe('ENVIRONMENT', () => {
  it('stands in .env.example, each variable commented out below its meaning', async () => {
    const example = await readFile(new URL('../../.env.example', import.meta.url), 'utf8');
    const pairs = [...example.matchAll(/^# (.+)\n#([A-Z_]+)=/gm)].map(([, about, name]) => [name, about]);
    expect(pairs).toEqual(Object.entries(ENVIRONMENT));
  });

  it.each(Object.entries(ENVIRONMENT))('%s says what it means when it is left out', (name, about) => {
    expect(name).toMatch(/^[A-Z][A-Z_]*$/);
    expect(about).toMatch(/left out|default/);
  });
});

function withAccount(change: Record<string, unknown>) {
  return { ...SMALLEST, accounts: { main: { ...ACCOUNT, ...change } } };
}

function withFolder(change: Record<string, unknown>) {
  return { ...SMALLEST, folders: [{ ...FOLDER, ...change }] };
}

function withSchedule(schedule: Record<string, unknown>) {
  return { ...SMALLEST, schedules: { nightly: schedule } };
}

/** Returns the codes of the faults found; none when the configuration is right. */
function codesOf(config: unknown): string[] {
  return Config.safeParse(config).error?.issues.map((issue) => issue.code) ?? [];
}

describe('serviceLimits', () => {
  it('takes the limits of the account in place of our assumptions', () => {
    const limits = { lengths: { firstName: 3, comment: 200, accountNum: 30, cvv2: 6 }, amountDigits: 3 };
    const faults = (operation: OperationName, more: object) => {
      const checked = parametersOf(operation, 'NA', limits).safeParse({ ...sampleParameters(operation), ...more });
      return checked.error?.issues.map(({ path, message }) => `${path.join('.')} ${message}`) ?? [];
    };
    const within = { firstName: 'Ada', comment: 'x'.repeat(200), total: '999.99' };
    expect(faults('processCreditCard', { ...within, cvv2: '123456' })).toEqual([]);
    expect(faults('processACHEFT', { ...within, accountNum: '1'.repeat(30) })).toEqual([]);
    expect(faults('processCreditCard', { firstName: 'Adam', comment: 'x'.repeat(201), total: '1000' })).toEqual([
      'firstName must be at most 3 characters (set by serviceLimits.lengths.firstName)',
      'total must have at most 3 digits before the point (set by serviceLimits.amountDigits)',
      'comment must be at most 200 characters (set by serviceLimits.lengths.comment)',
    ]);
    const usual = parametersOf('processCreditCard', 'NA').safeParse(sampleParameters('processCreditCard'));
    expect(usual.success).toBe(true);
  });

  it('are lengths of fields that the spec leaves open, and digits', () => {
    const parse = (serviceLimits: object) => AccountConfig.shape.serviceLimits.safeParse(serviceLimits);
    expect(parse({}).data).toEqual({ lengths: {} });
    expect(parse({ lengths: { comment: 250 }, amountDigits: 12 }).success).toBe(true);
    for (const wrong of [{ total: 5 }, { customerIPAddress: 39 }, { comment: 0 }, { comment: 1_001 }]) {
      expect(parse({ lengths: wrong }).success, JSON.stringify(wrong)).toBe(false);
    }
    expect(parse({ amountDigits: 13 }).success).toBe(false);
  });
});
