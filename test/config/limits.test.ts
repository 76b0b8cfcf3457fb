import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { FolderOperation } from '../../schemas/operations.ts';
import {
  limitsOf,
  retentionDays,
  isApprovalDue,
  takesTwoToApprove,
  takesTwoToConfirm,
} from '../../src/config/account-rules.ts';
import { dataPaths, resolveSettings, type Settings } from '../../src/config/config.ts';
import { Config } from '../../schemas/config.ts';
import { schedulesHere, siteOfSchedule } from '../../src/config/schedules-here.ts';
import { findPathFaults } from '../../src/config/config-faults.ts';
import { configWith, FOLDER } from '../kernel/support/config-world.ts';

const NONE = { rowCents: undefined, fileRows: undefined, fileCents: undefined, dayCents: undefined };

describe('limitsOf', () => {
  it('has no limit where none is set', () => {
    expect(limitsOf({ limits: {} })).toEqual(NONE);
    expect(limitsOf({ limits: {} }, { limits: {} })).toEqual(NONE);
  });

  it('turns amounts into cents', () => {
    const limits = { rowAmount: 500.55, fileRows: 10, fileTotal: 0.29, dayTotal: 90_000_000_000 };
    expect(limitsOf({ limits })).toEqual({
      rowCents: 50_055,
      fileRows: 10,
      fileCents: 29,
      dayCents: 9_000_000_000_000,
    });
  });

  it.each([
    [{ fileRows: 10 }, {}, 10],
    [{}, { fileRows: 10 }, 10],
    [{ fileRows: 10 }, { fileRows: 20 }, 10],
    [{ fileRows: 20 }, { fileRows: 10 }, 10],
  ])('takes the tighter of %j and %j', (account, folder, fileRows) => {
    expect(limitsOf({ limits: account }, { limits: folder })).toEqual({ ...NONE, fileRows });
  });
});

it('retentionDays gives each account its own days, and one that is gone the usual ones', () => {
  const accounts = new Map([
    ['main', { retention: { days: 30 } }],
    ['never', { retention: { days: 0 } }],
  ]) as unknown as Settings['accounts'];
  expect(retentionDays({ accounts })).toEqual({ byAccount: { main: 30, never: 0 }, others: 400 });
});

const ACCOUNT = { server: 'NA', country: 'US', currency: 'USD', agentCode: 'A', password: 'P' };
const { schedules, folders } = Config.parse({
  accounts: { dues: ACCOUNT, rent: ACCOUNT, empty: ACCOUNT },
  folders: [
    { path: 'a', account: 'dues', operation: 'ach-charge' },
    { path: 'b', account: 'rent', operation: 'ach-charge', site: 'north', schedule: 'nightly' },
  ],
  schedules: {
    nightly: { does: 'take', at: '22:00' },
    unused: { does: 'take', at: '22:00' },
    dues: { does: 'day-close', at: '23:00', account: 'dues' },
    rent: { does: 'day-close', at: '23:00', account: 'rent' },
    empty: { does: 'day-close', at: '23:00', account: 'empty' },
  },
});

describe('siteOfSchedule', () => {
  it.each([
    ['nightly', 'north'],
    ['unused', 'main'],
    ['dues', 'main'],
    ['rent', 'north'],
    ['empty', 'main'],
    ['not in the configuration', 'main'],
  ])('%s is run at %s', (name, site) => {
    expect(siteOfSchedule({ schedules, folders: folders.map(toFolder) }, name)).toBe(site);
  });
});

it.each([
  ['north', ['nightly', 'rent']],
  ['main', ['unused', 'dues', 'empty']],
  ['south', []],
])('schedulesHere at %s there are %j', (site, names) => {
  const here = schedulesHere({ schedules, folders: folders.map(toFolder), site });
  expect(here.map(([name]) => name)).toEqual(names);
});

function toFolder(folder: (typeof folders)[number]) {
  return { ...folder, id: folder.path, work: 'work', routingCheck: false };
}

const OFF = { refunds: false, overrides: false, resolutions: false };
const rules = (part: Partial<typeof OFF> = {}) => ({ secondPerson: { ...OFF, ...part } });

it('isApprovalDue only for refunds, and only where the account asks for it', () => {
  expect(isApprovalDue(rules({ refunds: true }), 'ach-refund')).toBe(true);
  expect(isApprovalDue(rules({ refunds: true }), 'ach-charge')).toBe(false);
  expect(isApprovalDue(rules({ refunds: true }), 'card')).toBe(false);
  expect(isApprovalDue(rules({ overrides: true, resolutions: true }), 'ach-refund')).toBe(false);
});

describe('takesTwoToApprove', () => {
  it.each([
    ['nothing asked', rules(), 'ach-refund', false],
    ['refunds, a refund', rules({ refunds: true }), 'ach-refund', true],
    ['refunds, a charge', rules({ refunds: true }), 'ach-charge', false],
    ['overrides, a charge', rules({ overrides: true }), 'card', true],
    ['resolutions are not approvals', rules({ resolutions: true }), 'ach-refund', false],
    ['an account that is not configured any more', undefined, 'card', true],
  ] as const)('%s', (_, account, operation, due) => {
    expect(takesTwoToApprove(account, operation)).toBe(due);
  });
});

describe('takesTwoToConfirm', () => {
  const settingsWith = (profiles: boolean | undefined, operation: FolderOperation) => ({
    accounts: new Map([['main', { secondPerson: { ...OFF, profiles } }]]),
    folders: [{ profile: 'dues', account: 'main', operation }],
  });

  it.each<[string, boolean | undefined, FolderOperation, string, boolean]>([
    ['nothing asked, charges', undefined, 'ach-charge', 'dues', false],
    ['nothing asked, refunds', undefined, 'ach-refund', 'dues', true],
    ['asked, charges', true, 'card', 'dues', true],
    ['expressly not asked, refunds', false, 'ach-refund', 'dues', false],
    ['another profile', true, 'ach-refund', 'gifts', false],
  ])('%s', (_, profiles, operation, profile, due) => {
    const settings = settingsWith(profiles, operation) as unknown as Parameters<typeof takesTwoToConfirm>[0];
    expect(takesTwoToConfirm(settings, profile)).toBe(due);
  });
});

const ROOT = '/srv';

/** Returns the paths of the faulty settings. */
function faultsOf(parts: { folders: object[]; paths: Record<string, string> }): string[] {
  const { folders, paths } = resolveSettings(configWith({}), ROOT, {});
  const given = Object.fromEntries(Object.entries(parts.paths).map(([name, path]) => [name, resolve(ROOT, path)]));
  const data = given['data'] ?? paths.data;
  return findPathFaults({
    paths: { ...paths, ...given, ...dataPaths(data) },
    folders: parts.folders.map((folder) => {
      const { path, work = 'data/work' } = folder as { path: string; work?: string };
      return { ...folders[0]!, id: path, path: resolve(ROOT, path), work: join(ROOT, work) };
    }),
  }).map((fault) => fault.path);
}

describe('findPathFaults', () => {
  it.each<[string, object, Record<string, string>]>([
    ['folders.0.work', { work: '.' }, {}],
    ['folders.0.work', { work: 'data' }, {}],
    ['folders.0.work', { work: 'data/archive/x' }, {}],
    ['folders.0.work', { work: 'out' }, {}],
    ['folders.0.work', { work: 'quarantine/.work' }, {}],
    ['folders.1.work', { work: 'data/work/fast' }, {}],
    ['paths.out', {}, { out: 'data/archive' }],
    ['paths.quarantine', {}, { quarantine: 'data/journal' }],
    ['paths.quarantine', {}, { quarantine: 'out' }],
    ['paths.quarantine', {}, { quarantine: 'var', out: 'var/out' }],
  ])('finds at %s a folder that would be taken for a claim or a drop: %j %j', (path, folder, paths) => {
    const folders = [
      { ...FOLDER, ...folder },
      { ...FOLDER, path: 'drop/b' },
    ];
    expect(faultsOf({ folders, paths })).toContain(path);
  });

  it('takes folders of ours beside each other, also within the data folder', () => {
    const folders = [
      { ...FOLDER, work: 'data/fast' },
      { ...FOLDER, path: 'drop/b' },
    ];
    expect(faultsOf({ folders, paths: { out: 'data/out', quarantine: 'data/quarantine' } })).toEqual([]);
  });
});
