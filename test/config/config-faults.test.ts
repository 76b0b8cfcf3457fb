import { describe, expect, it } from 'vitest';
import { COUNTRIES, LAYOUTS } from '../../schemas/layouts.ts';
import { FOLDER_OPERATIONS } from '../../schemas/operations.ts';
import { type ConfigFault, findConfigFaults } from '../../src/config/config-faults.ts';
import { type AlarmTarget, resolveSettings, type Settings } from '../../src/config/config.ts';
import { ACCOUNT, configWith, FOLDER, UK_ACCOUNT } from '../kernel/support/config-world.ts';

const RIGHT = resolveSettings(configWith({}), '/srv', {});

describe('findConfigFaults', () => {
  it('finds none in a right configuration', () => {
    expect(findConfigFaults(RIGHT)).toEqual([]);
  });

  it.each(['debug', 'info', 'warn', 'error', 'silent'])('takes the log level %s', (logLevel) => {
    expect(findConfigFaults({ ...RIGHT, logLevel })).toEqual([]);
  });

  it.each(['loud', 'INFO', 'trace', ''])('does not take the log level %j', (logLevel) => {
    expect(findConfigFaults({ ...RIGHT, logLevel })).toEqual([
      { path: 'PAYDROP_LOG_LEVEL', reason: `"${logLevel}" is none of debug, info, warn, error, silent` },
    ]);
  });

  it.each([
    ['smtpUrl', { by: 'mail', smtpUrl: 'hunter2', from: 'a@b.test', to: ['c@d.test'] }, 'smtp:// or smtps://'],
    ['url', { by: 'webhook', url: 'ftp://hunter2@x', secret: 's' }, 'http:// or https://'],
  ] as const)('finds an alarm whose %s is no address, without saying it', (name, target, protocols) => {
    const alarms = [target as AlarmTarget];
    const faults = findConfigFaults({ ...RIGHT, alarms });
    expect(faults).toEqual([
      { path: `alarms.0.${name}`, reason: `it is not an address that begins with ${protocols}` },
    ]);
  });

  it.each(['smtp://mail.test:25', 'smtps://ann:x@mail.test'])('takes %s for mails', (smtpUrl) => {
    const alarms: AlarmTarget[] = [{ by: 'mail', smtpUrl, from: 'a@b.test', to: ['c@d.test'] }];
    expect(findConfigFaults({ ...RIGHT, alarms })).toEqual([]);
  });

  it('finds options in the address of a mail server, which would win over TLS', () => {
    const smtpUrl = 'smtp://ann:hunter2@mail.test:25?requireTLS=false';
    const alarms: AlarmTarget[] = [{ by: 'mail', smtpUrl, from: 'a@b.test', to: ['c@d.test'] }];
    const fault = { path: 'alarms.0.smtpUrl', reason: 'it must not have a query (?)' };
    expect(findConfigFaults({ ...RIGHT, alarms })).toEqual([fault]);
  });

  it.each(['http://127.0.0.1:4318', 'https://otlp.test/v1/traces', undefined])('takes %s for traces', (otlpUrl) => {
    expect(findConfigFaults({ ...RIGHT, otlpUrl })).toEqual([]);
  });

  it.each(['127.0.0.1:4318', 'grpc://hunter2@x'])('does not take %s for traces, and does not say it', (otlpUrl) => {
    expect(findConfigFaults({ ...RIGHT, otlpUrl })).toEqual([
      { path: 'PAYDROP_OTLP_URL', reason: 'it is not an address that begins with http:// or https://' },
    ]);
  });

  it.each<[string, boolean]>([
    ['http://payments.example.com', false],
    ['http://127.0.0.1.example.com/', false],
    ['http://127.0.0.1:8899', true],
    ['http://[::1]:8899', true],
    ['https://payments.example.com', true],
    ['ftp://payments.example.com', false],
    ['https://ann:x@payments.example.com', false],
    ['https://payments.example.com/?to=a', false],
  ])('lets card numbers go to %s: %s', (baseUrl, isFine) => {
    const faults = faultsOf({ account: { baseUrl } });
    expect(faults.map(({ path }) => path)).toEqual(isFine ? [] : ['accounts.main.baseUrl']);
  });

  it('finds a time zone that does not exist', () => {
    expect(faultsOf({ account: { timeZone: 'America/Springfield' } })).toEqual([
      { path: 'accounts.main.timeZone', reason: '"America/Springfield" is not a time zone' },
    ]);
  });

  it('finds a folder that would refuse every file, because its account has no key', () => {
    const folders = [{ ...FOLDER, encryption: 'required' }];
    expect(faultsOf({ folders })).toEqual([
      { path: 'folders.0.encryption', reason: 'it is required, and account "main" has no openpgp' },
    ]);
    expect(faultsOf({ folders, account: { openpgp: { key: 'env:KEY' } } })).toEqual([]);
  });

  it('finds a folder of an account that does not exist, by its own place', () => {
    const folders = [FOLDER, { ...FOLDER, path: 'drop/b', account: 'other' }];
    expect(faultsOf({ folders })).toEqual([{ path: 'folders.1.account', reason: 'there is no account "other"' }]);
  });

  it.each([
    [{}, 35, []],
    [{}, 36, ['folders.0.duplicateDays']],
    [{ chargedBefore: 'off' }, 36, []],
  ])('a folder %j that looks %i days back, where files are kept for 35', (folder, duplicateDays, paths) => {
    const folders = [{ ...FOLDER, ...folder, duplicateDays }];
    expect(faultsOf({ account: { retention: { days: 35 } }, folders }).map((fault) => fault.path)).toEqual(paths);
    expect(faultsOf({ account: { retention: { days: 0 } }, folders })).toEqual([]);
  });

  describe('schedules', () => {
    const take = { does: 'take', at: '22:00' };
    const close = { does: 'day-close', at: '22:00', account: 'main' };

    it('finds none in a folder that names a schedule which takes', () => {
      const folders = [{ ...FOLDER, schedule: 'nightly' }];
      expect(faultsOf({ folders, schedules: { nightly: take, close } })).toEqual([]);
    });

    it.each([
      ['that is not there', {}],
      ['that does not take', { nightly: close }],
      ['of another name', { weekly: take }],
    ])('finds a folder that names a schedule %s', (_what, schedules) => {
      const folders = [FOLDER, { ...FOLDER, path: 'drop/b', schedule: 'nightly' }];
      expect(faultsOf({ folders, schedules })).toEqual([
        { path: 'folders.1.schedule', reason: 'no schedule "nightly" takes files' },
      ]);
    });

    it('finds a schedule whose folders lie at several sites', () => {
      const folders = ['main', 'north'].map((site) => ({ ...FOLDER, path: `drop/${site}`, site, schedule: 'nightly' }));
      expect(faultsOf({ folders, schedules: { nightly: take } })).toEqual([
        { path: 'schedules.nightly', reason: 'its folders are at several sites; give each site its own schedule' },
      ]);
    });

    it('finds a zone and an account that do not exist, and a day that two schedules close', () => {
      const schedules = {
        nightly: { ...take, timeZone: 'Mars' },
        one: close,
        other: { ...close, at: '23:00' },
        strange: { ...close, account: 'other' },
      };
      expect(faultsOf({ schedules })).toEqual([
        { path: 'schedules.nightly.timeZone', reason: '"Mars" is not a time zone' },
        { path: 'schedules.other.account', reason: 'another schedule closes the day of "main"' },
        { path: 'schedules.strange.account', reason: 'there is no account "other"' },
      ]);
    });
  });

  describe('restrictions of the service', () => {
    it.each(['ach-charge', 'ach-refund'])('refuses a folder for %s on a UK account', (operation) => {
      const folders = [{ ...FOLDER, operation }];
      const reason = `Service cannot be used on this server (${operation} with account "main": UK, GBP)`;
      expect(faultsOf({ accounts: { main: UK_ACCOUNT }, folders })).toEqual([
        { path: 'folders.0.operation', reason, restricted: true },
      ]);
    });

    it('does not ask for a method of payment where none is used', () => {
      expect(faultsOf({ account: { currency: 'GBP' }, folders: [FOLDER] })).toEqual([]);
    });

    it.each([
      ['NA', 'USD', true],
      ['NA', 'CAD', true],
      ['NA', 'GBP', false],
      ['NA', 'EUR', false],
      ['UK', 'GBP', true],
      ['UK', 'EUR', true],
      ['UK', 'USD', false],
      ['UK', 'CAD', false],
    ])('cards on %s in %s: %s', (server, currency, isOffered) => {
      const folders = [{ ...FOLDER, operation: 'card' }];
      const faults = faultsOf({ account: { server, currency }, folders });
      if (isOffered) return expect(faults).toEqual([]);
      expect(faults).toEqual([
        {
          path: 'folders.0.operation',
          reason: `Service cannot be used with this Method of Payment or Currency (card with account "main": ${server}, ${currency})`,
          restricted: true,
        },
      ]);
    });
  });

  describe('layouts', () => {
    const cases = Object.keys(FOLDER_OPERATIONS).flatMap((operation) =>
      Object.keys(LAYOUTS).flatMap((layout) => COUNTRIES.map((country) => ({ operation, layout, country }))),
    );
    const FITTING = [
      ...['ach-charge', 'ach-refund'].flatMap((operation) =>
        ['ach', 'ach-code'].flatMap((layout) => COUNTRIES.map((country) => `${operation} ${layout} ${country}`)),
      ),
      ...COUNTRIES.map((country) => `card card-code ${country}`),
      'card card US',
      'card card UK',
      'card card-ca CA',
    ];

    it.each(cases)('$layout for $operation in $country', ({ operation, layout, country }) => {
      const faults = faultsOf({ account: { country }, folders: [{ ...FOLDER, operation, layout }] });
      const fits = FITTING.includes(`${operation} ${layout} ${country}`);
      expect(faults.map(({ path }) => path)).toEqual(fits ? [] : ['folders.0.layout']);
      if (!fits) expect(faults[0]?.reason).toContain(`is not for ${operation} in ${country}`);
    });
  });

  describe('paths', () => {
    it.each([
      ['drop/dues', 'drop/dues'],
      ['drop/dues', './drop//dues/'],
      ['drop/dues', '/srv/drop/dues'],
      ['drop/dues', 'drop/x/../dues'],
    ])('finds %s twice, also written %s', (first, second) => {
      expect(faultsOf({ folders: [first, second].map(folderAt) })).toEqual([
        { path: 'folders.1.path', reason: `"${second}" is configured twice` },
      ]);
    });

    it('lets the folders of another site have the same paths, and lie in the work folder of this one', () => {
      const folders = [folderAt('drop/dues'), { ...folderAt('drop/dues'), site: 'north' }];
      expect(faultsOf({ folders })).toEqual([]);
      const inside = { ...folderAt('drop'), work: 'elsewhere/dues/work' };
      expect(faultsOf({ folders: [inside, { ...folderAt('elsewhere/dues'), site: 'north' }] })).toEqual([]);
    });

    it('finds a drop folder in another, whichever comes first', () => {
      const reason = 'it is inside the drop folder "drop"';
      expect(faultsOf({ folders: ['drop', 'drop/dues'].map(folderAt) })).toEqual([{ path: 'folders.1.path', reason }]);
      expect(faultsOf({ folders: ['drop/dues', 'drop'].map(folderAt) })).toEqual([{ path: 'folders.0.path', reason }]);
    });

    it.each([
      ['out', { paths: { out: 'drop/dues' } }, 'paths.out'],
      ['out', { paths: { out: 'drop/dues/out' } }, 'paths.out'],
      ['quarantine', { paths: { quarantine: 'drop/dues/odd' } }, 'paths.quarantine'],
      ['work', { folders: [{ ...FOLDER, work: 'drop/dues/work' }] }, 'folders.0.work'],
    ])('keeps %s out of a drop folder', (_, parts, path) => {
      expect(faultsOf(parts)).toEqual([{ path, reason: 'it is inside the drop folder "drop/dues"' }]);
    });

    it.each(['out', 'data', 'quarantine'] as const)('keeps a drop folder out of paths.%s', (name) => {
      const faults = faultsOf({ paths: { [name]: 'drop' } }).filter(({ path }) => path === 'folders.0.path');
      expect(faults).toEqual([{ path: 'folders.0.path', reason: `it is inside the folder of paths.${name}` }]);
    });

    it('keeps the outputs out of the folder of the keys, and odd characters out of paths', () => {
      expect(faultsOf({ paths: { out: 'same', data: 'same' } })).toEqual([
        { path: 'paths.out', reason: 'it is the folder of paths.data, which contains keys' },
      ]);
      expect(faultsOf({ folders: [folderAt('drop/a\0b')] })).toContainEqual({
        path: 'folders.0.path',
        reason: 'it contains a character that paths cannot have',
      });
    });

    it.each(['/proc/x', '/sys', '/dev/null/out'])('takes no %s, where no files are kept', (out) => {
      expect(faultsOf({ paths: { out } })).toContainEqual({
        path: 'paths.out',
        reason: 'the operating system reserves this place',
      });
      expect(faultsOf({ paths: { out: '/dev/shm/out' } })).toEqual([]);
    });

    it('keeps the data out of a drop folder, and with it the work', () => {
      const paths = faultsOf({ paths: { data: 'drop/dues/data' } }).map(({ path }) => path);
      expect(paths).toEqual(['paths.data', 'folders.0.work']);
    });

    it.each([
      { paths: { out: 'drop/dues-out' } },
      { paths: { out: 'drop/dues/../out' } },
      // Scans skip names with a dot. A drop folder may be the root of its file system.
      { folders: [{ ...FOLDER, work: 'drop/dues/.work' }] },
    ])('takes %j', (parts) => {
      expect(faultsOf(parts)).toEqual([]);
    });
  });
});

function folderAt(path: string) {
  return { ...FOLDER, path };
}

function faultsOf(parts: Parameters<typeof configWith>[0]): ConfigFault[] {
  const { accounts, folders, schedules, paths } = configWith(parts);
  const settings: Settings = {
    ...RIGHT,
    schedules,
    accounts: new Map(Object.entries(accounts).map(([name, account]) => [name, { ...ACCOUNT, ...account, name }])),
    folders: folders.map((folder) => ({
      ...folder,
      id: folder.path,
      path: at(folder.path),
      work: at(folder.work ?? `${paths.data}/work`),
      routingCheck: folder.routingCheck ?? false,
    })),
    paths: { ...RIGHT.paths, out: at(paths.out), quarantine: at(paths.quarantine), data: at(paths.data) },
  };
  return findConfigFaults(settings);
}

function at(path: string): string {
  return decodeURIComponent(new URL(path.replace(/\/\/+/g, '/').replace(/\/$/, ''), 'file:///srv/').pathname);
}
