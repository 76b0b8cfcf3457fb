import { beforeAll, describe, expect, it } from 'vitest';
import { ALL_ACCOUNTS } from '../../../src/ledger/account/pause-account.ts';
import { proposeApproval } from '../../../src/ledger/file/release-held.ts';
import type { Next, Subject } from '../../../src/actions/action.ts';
import type { BatchRow, FileRow } from '../../../src/ledger/engine/records.ts';
import {
  findSubject,
  isWarning,
  linkOf,
  pathWith,
  placeOf,
  SUBJECT_PATHS,
} from '../../../src/web/actions/find-subject.ts';
import type { WebContext } from '../../../src/web/web-context.ts';
import { propose } from '../../../src/ledger/proposal/propose.ts';
import { transact } from '../../../src/ledger/engine/transaction.ts';
import { putDraft } from '../../ledger/support/put-version.ts';
import { openTestLedger } from '../../support/ledger-world.ts';
import { openedForTests } from '../../support/opened-for-tests.ts';

const world = openedForTests(openTestLedger);
let dashboard: WebContext;
beforeAll(async () => {
  const settings = { accounts: new Map([['main', {}]]), schedules: { nightly: {} } };
  dashboard = { app: { ledger: world.ledger, settings } } as unknown as WebContext;
});

describe('findSubject', () => {
  it('finds a file and a batch of it', async () => {
    const { file_id: fileId } = await world.held();
    expect(await findSubject(dashboard, 'file', { fileId })).toMatchObject({ kind: 'file', file: { file_id: fileId } });
    const batch = await findSubject(dashboard, 'batch', { fileId, batchNo: '1' });
    expect(batch).toMatchObject({ kind: 'batch', file: { file_id: fileId }, batch: { batch_no: 1 } });
  });

  it('finds an account, all of them, and one that has left the configuration with something open', async () => {
    await world.held({ account: 'of-old' });
    await world.accepted({ account: 'gone' });
    for (const name of ['main', 'gone'])
      expect(await findSubject(dashboard, 'account', { name })).toEqual({ kind: 'account', account: name });
    expect(await findSubject(dashboard, 'account', { name: 'all' })).toEqual({
      kind: 'account',
      account: ALL_ACCOUNTS,
    });
  });

  it('finds a proposal with its file, and a schedule', async () => {
    const { file_id: fileId } = await world.held();
    const no = await proposeApproval(world.ledger, fileId, { actor: 'operator:ada', reason: 'so' });
    const found = await findSubject(dashboard, 'proposal', { no: String(no) });
    expect(found).toMatchObject({ proposal: { proposal_no: no }, file: { file_id: fileId } });
    expect(await findSubject(dashboard, 'schedule', { name: 'nightly' })).toEqual({
      kind: 'schedule',
      schedule: 'nightly',
    });
  });

  it('finds a proposal about a profile without a file, and a profile that has no version yet', async () => {
    const { profile_no: profileNo } = await putDraft(world.ledger, 'dues');
    const order = { action: 'confirm-profile', profileNo, binding: {}, reason: 'so', actor: 'operator:ada' };
    const no = await transact(world.ledger, (tx) => propose(tx, order));
    expect(await findSubject(dashboard, 'proposal', { no: String(no) })).toMatchObject({ file: undefined });
    expect(await findSubject(dashboard, 'profile', { name: 'new' })).toEqual({ kind: 'profile', profile: 'new' });
  });

  it.each([
    ['file', {}],
    ['profile', { name: 'No Name' }],
    ['file', { fileId: 'nobody' }],
    ['batch', { fileId: 'nobody', batchNo: '1' }],
    ['batch', { fileId: 'nobody', batchNo: '01' }],
    ['batch', { fileId: 'nobody', batchNo: '1e3' }],
    ['account', { name: 'nobody' }],
    ['account', { name: '*' }],
    ['proposal', { no: '999999' }],
    ['proposal', { no: '9'.repeat(16) }],
    ['proposal', { no: '-1' }],
    ['schedule', { name: 'toString' }],
    ['run', { name: 'nightly', day: '2026-06-15' }],
    ['run', { name: 'nightly', day: '2026-02-30' }],
    ['selection', { no: '4711' }],
    ['selection', { no: '0' }],
  ] as const)('finds no %s for %j', async (kind, params) => {
    await expect(findSubject(dashboard, kind, params)).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });
});

describe('SUBJECT_PATHS', () => {
  it('names in each address what is looked for', () => {
    const names = Object.values(SUBJECT_PATHS).map((path) => path.match(/:\w+/g));
    expect(names).toEqual([
      [':fileId'],
      [':fileId', ':batchNo'],
      [':name'],
      [':no'],
      [':name'],
      [':name', ':day'],
      [':no'],
      [':name'],
    ]);
  });
});

describe('pathWith', () => {
  it.each([
    [SUBJECT_PATHS.file, { fileId: 'abc', batchNo: 2 }, '/files/abc'],
    [SUBJECT_PATHS.batch, { fileId: 'abc', batchNo: 2 }, '/files/abc/batches/2'],
    [SUBJECT_PATHS.account, { account: 'a b' }, '/accounts/a%20b'],
    [SUBJECT_PATHS.account, { account: ALL_ACCOUNTS }, '/accounts/all'],
    [SUBJECT_PATHS.schedule, { schedule: 'nightly' }, '/schedules/nightly'],
    [
      SUBJECT_PATHS.run,
      { schedule: 'expect:drop/dues', day: '2026-06-15' },
      '/schedules/expect%3Adrop%2Fdues/runs/2026-06-15',
    ],
    [SUBJECT_PATHS.batch, { fileId: 'abc' }, undefined],
    ['/', {}, '/'],
  ] as const)('%s with %j is %s', (pattern, ids, path) => {
    expect(pathWith(pattern, ids)).toBe(path);
  });
});

const file = { file_id: 'abc', name: 'june.csv' } as FileRow;
const batch = { batch_no: 2 } as BatchRow;

describe('placeOf', () => {
  it.each<[Subject, string, string]>([
    [{ kind: 'file', file }, 'june.csv', '/files/abc'],
    [{ kind: 'batch', file, batch }, 'batch 2 of june.csv', '/files/abc'],
    [{ kind: 'account', account: 'main' }, 'account main', '/accounts'],
    [{ kind: 'account', account: ALL_ACCOUNTS }, 'all accounts', '/accounts'],
    [{ kind: 'proposal', proposal: { proposal_no: 7 } as never, file }, 'proposal 7', '/approvals'],
    [{ kind: 'schedule', schedule: 'nightly' }, 'schedule nightly', '/'],
    [
      { kind: 'run', run: { schedule: 'nightly', business_date: '2026-06-15' } as never },
      'schedule nightly, 2026-06-15',
      '/schedules',
    ],
    [
      { kind: 'run', run: { schedule: 'expect:drop/dues', business_date: '2026-06-15' } as never },
      'expected file of folder drop/dues, 2026-06-15',
      '/schedules',
    ],
    [{ kind: 'selection', run: { run_no: 7, name: null } as never }, 'selection 7', '/queue/selections/7'],
    [{ kind: 'selection', run: { run_no: 7, name: 'Declines' } as never }, 'Declines', '/queue/selections/7'],
  ])('%#: %s', (subject, title, path) => {
    const place = placeOf(subject);
    expect([place.title, place.path]).toEqual([title, path]);
    expect(place.crumbs.at(-1)!.path).toBe(path);
  });
});

describe('linkOf', () => {
  it.each<[Next, string]>([
    [{ to: 'proposals', proposalNo: 7 }, '/approvals'],
    [{ to: 'file', file }, '/files/abc'],
    [{ to: 'run', runNo: 7 }, '/queue/selections/7'],
    [{ to: 'doubt', file, batchNo: 2 }, '/files/abc/batches/2/resolve'],
    [{ to: 'rebuild-outputs', file }, '/files/abc/do/rebuild-outputs'],
    [{ to: 'adopt', file, batchNo: 2, batchId: '10 02' }, '/files/abc/batches/2/do/adopt?batchId=10%2002'],
  ])('%#: %s', (next, path) => {
    expect(linkOf(next)).toMatchObject({ path, label: expect.stringMatching(/./) });
  });
});

describe('isWarning', () => {
  it('is what a person must look at, and no proposal', () => {
    const done = { says: '', json: {} };
    expect(isWarning(done)).toBe(false);
    expect(isWarning({ ...done, status: 'exception' })).toBe(true);
    expect(isWarning({ ...done, status: 'held', next: [{ to: 'proposals', proposalNo: 7 }] })).toBe(false);
  });
});
