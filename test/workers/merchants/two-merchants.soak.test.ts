import { mkdir } from 'node:fs/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openApp } from '../../../src/app.ts';
import { silentLog } from '../../../src/kernel/log.ts';
import { runAction } from '../../../src/actions/run-action.ts';
import { planResubmission, resubmitRows } from '../../../src/actions/resubmit.ts';
import { cancelFile } from '../../../src/ledger/file/cancel-file.ts';
import { approveFile, declineFile } from '../../../src/ledger/file/release-held.ts';
import { pauseAccount, resumeAccount } from '../../../src/ledger/account/pause-account.ts';
import { findDueWork } from '../../support/due-work.ts';
import { isMoving } from '../../../src/ledger/overview/overview.ts';
import { readFileRow, readBatches } from '../../../src/ledger/file/read-file.ts';
import { findFile } from '../../../src/ledger/file/search.ts';
import { meaningKey } from '../../../src/ledger/merchant/bound-accounts.ts';
import { bindHere } from '../../../workers/bind-here.ts';
import { askForResult } from '../../../workers/poll/poll.ts';
import { sweep } from '../../../workers/upkeep/sweep.ts';
import { claimContent } from '../support/story.ts';
import { cardRow, lines, MAGIC_CARD } from '../../support/payment-rows.ts';
import {
  accept,
  accountsOf,
  because,
  become,
  booked,
  drop,
  live,
  MAIN,
  openForEach,
  rowsOf,
  settle,
  world,
} from '../support/merchant-world.ts';
import { submitBatch } from '../../support/work-alone.ts';

openForEach();

describe('two merchants under one name', () => {
  it('a trial in the sandbox is not charged when the live service is set, and the same file may then come for real', async () => {
    await accept('trial.csv');
    const service = await live();
    await become({ main: { baseUrl: service.url, agentCode: 'LIVE' } });
    await resumeAccount(world.app.ledger, 'main', because);
    await settle();
    expect([booked(), booked(service)]).toEqual([0, 0]);
    expect(await accountsOf()).toEqual([['trial.csv', 'main.1']]);

    await drop('trial.csv');
    expect([booked(), booked(service)]).toEqual([0, 3]);
    expect(await accountsOf()).toEqual([
      ['trial.csv', 'main.1'],
      ['trial.csv', 'main'],
    ]);
  });

  it('what the trial left held cannot be approved, and comes again as a new file when it is moved', async () => {
    await world.drop('ach-charge', 'trial.csv.ctl', 'rows=99\n');
    await drop('trial.csv');
    const service = await live();
    await become({ main: { baseUrl: service.url, agentCode: 'LIVE' } });
    await settle();
    const held = await findFile(world.app.ledger, 'trial.csv');
    expect([held.state, held.account]).toEqual(['held', 'main.1']);
    await expect(approveFile(world.app.ledger, held.file_id, because)).rejects.toThrow('paydrop move FILE');
    const find = async () => ({ kind: 'file', file: held }) as const;
    const moved = await runAction(world.app, 'move', find, { actor: 'operator:ada', reason: 'for real', filled: {} });
    expect(moved).toMatchObject({ result: 'done', done: { json: { account: 'main', rows: 3 } } });
    await settle();
    expect([booked(), booked(service)]).toEqual([0, 3]);
    expect((await accountsOf()).map(([, account]) => account)).toEqual(['main.1', 'main']);
    expect(Object.keys(await world.outputs('cancelled'))).toHaveLength(1);
  });

  it('agent codes that changed places take their work with them', async () => {
    await accept('june.csv');
    await become({ main: { agentCode: 'OTHER' }, other: {} }, 'main');
    await resumeAccount(world.app.ledger, 'other', because);
    await resumeAccount(world.app.ledger, 'main', because);
    await settle();
    expect(await accountsOf()).toEqual([['june.csv', 'other']]);
    expect(world.sandbox.books().map(({ account }) => account)).toEqual(['TEST88', 'TEST88', 'TEST88']);
  });

  it('rows of a finished file do not go again through a folder that charges another merchant by now', async () => {
    const declined = cardRow(2, { amount: '2.00', card: MAGIC_CARD });
    await world.drop('card', 'june.csv', lines([cardRow(1), declined]));
    await settle();
    await become({ main: { agentCode: 'OTHER' }, other: {} }, 'main');
    await settle();
    const file = await readFileRow(world.app.ledger, (await findFile(world.app.ledger, 'june.csv')).file_id);
    expect(file.account).toBe('other');
    await expect(planResubmission(world.app, file)).rejects.toThrow('which means another merchant');
    // Its own folder again: they may go.
    await become({ main: { agentCode: 'OTHER' }, other: {} }, 'other');
    await settle();
    expect((await planResubmission(world.app, file)).lines).toEqual([2]);
  });

  it('a file of rows that were to go again is held when its folder charges another merchant by then', async () => {
    await accept('june.csv');
    const file = await findFile(world.app.ledger, 'june.csv');
    await cancelFile(world.app.ledger, file.file_id, because);
    const ended = await readFileRow(world.app.ledger, file.file_id);
    await resubmitRows(world.app, ended, await planResubmission(world.app, ended), because);
    await become({ main: { agentCode: 'OTHER' }, other: {} }, 'main');
    await resumeAccount(world.app.ledger, 'main', because);
    await settle();
    const [, again] = (await world.app.ledger.pool.query('SELECT * FROM file ORDER BY file_no')).rows;
    expect(again).toMatchObject({ account: 'main', state: 'held', reason_code: 'OTHER_MERCHANT', meant_for: 'other' });
    expect(again.reason).toContain('it was for account "other"');
    expect(booked()).toBe(0);
  });

  it.each([
    ['goes to the account that means it', { other: {} }, { account: 'other', state: 'completed', meant_for: null }],
    [
      'is held when none does',
      {},
      { account: 'main', state: 'held', reason_code: 'OTHER_MERCHANT', meant_for: 'main' },
    ],
  ])('a drop whose taking was cut short %s', async (_what, more, found) => {
    const { app } = world;
    const folder = app.settings.folders.find(({ operation }) => operation === 'ach-charge')!;
    await mkdir(folder.work, { recursive: true });
    await claimContent(app, folder.id, 'june.csv', lines(rowsOf(1, 3)), meaningKey(app.ledger, 'main'));
    await become({ main: { agentCode: 'OTHER' }, ...more }, 'main');
    await sweep(world.app);
    await settle();
    expect((await world.app.ledger.pool.query('SELECT * FROM file')).rows).toMatchObject([found]);
    expect(new Set(world.sandbox.books().map(({ account }) => account))).toEqual(
      new Set(found.state === 'held' ? [] : ['TEST88']),
    );
  });

  it('a drop whose taking was cut short is held under the account of its folder when its own was renamed and means another', async () => {
    const folder = world.app.settings.folders.find(({ operation }) => operation === 'ach-charge')!;
    await mkdir(folder.work, { recursive: true });
    await claimContent(world.app, folder.id, 'june.csv', lines(rowsOf(1, 3)), meaningKey(world.app.ledger, 'main'));
    await become({ cards: {} });
    await bindHere(world.app);
    await become({ cards: { agentCode: 'OTHER' }, bills: { agentCode: 'THIRD' } }, 'bills');
    await settle();
    const { rows } = await world.app.ledger.pool.query('SELECT * FROM file');
    expect(rows).toMatchObject([{ account: 'bills', meant_for: 'main', state: 'held', reason_code: 'OTHER_MERCHANT' }]);
    expect(booked()).toBe(0);
  });

  it('a file that was taken and not read before the change is held unread; it is declined, and comes again', async () => {
    await mkdir(world.app.settings.folders.find(({ operation }) => operation === 'ach-charge')!.work, {
      recursive: true,
    });
    const { id } = world.app.settings.folders.find(({ operation }) => operation === 'ach-charge')!;
    for (const name of ['june.csv', 'june-again.csv']) {
      await claimContent(world.app, id, name, lines(rowsOf(1, 3)), meaningKey(world.app.ledger, 'main'));
      // Claims are taken in the order of their times.
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    await sweep(world.app);
    await become({ main: { ...MAIN, currency: 'CAD' } });
    await settle();
    const files = async () => (await world.app.ledger.pool.query('SELECT * FROM file ORDER BY file_no')).rows;
    const [held] = await files();
    expect(await files()).toMatchObject([
      { account: 'main.1', state: 'held', reason_code: 'OTHER_MERCHANT', layout: null },
      { account: 'main.1', state: 'rejected', reason_code: 'DUPLICATE_FILE' },
    ]);
    const find = async () => ({ kind: 'file', file: held }) as const;
    await expect(runAction(world.app, 'move', find, { ...because, filled: {} })).rejects.toThrow('it was never read');
    await expect(approveFile(world.app.ledger, held.file_id, because)).rejects.toThrow();
    await declineFile(world.app.ledger, held.file_id, because);
    await drop('june.csv');
    expect((await files()).map(({ state }) => state)).toEqual(['cancelled', 'rejected', 'completed']);
    expect(booked()).toBe(3);
  });

  it('what was sent, or is to be sent, for a former meaning keeps no process busy, and its old jobs do nothing', async () => {
    world.sandbox.faults.plan({ kind: 'result-still-running', times: 'always' });
    await world.drop('ach-charge', 'june.csv', lines(rowsOf(1, 3)));
    const workers = await world.start();
    const becomes = (...states: string[]) =>
      expect
        .poll(
          async () => {
            await workers.look();
            const { rows } = await world.app.ledger.pool.query('SELECT state FROM batch ORDER BY state');
            return rows.map(({ state }) => state);
          },
          { timeout: 120_000 },
        )
        .toEqual(states);
    await becomes('submitted');
    await pauseAccount(world.app.ledger, 'main', because);
    await world.drop('ach-charge', 'july.csv', lines(rowsOf(11, 13)));
    await becomes('ready', 'submitted');
    await expect.poll(async () => (await findDueWork(world.app.ledger)).deliver, { timeout: 120_000 }).toEqual([]);
    await workers.stop();
    expect(await isMoving(world.app.ledger)).toBe(true);
    await become({ main: { ...MAIN, currency: 'CAD' } });
    await bindHere(world.app);
    for (const name of ['main', 'main.1']) await resumeAccount(world.app.ledger, name, because);
    expect(await isMoving(world.app.ledger)).toBe(false);
    expect(await findDueWork(world.app.ledger)).toMatchObject({ intake: [], submit: [], poll: [] });
    const { rows } = await world.app.ledger.pool.query<{ fileId: string; batchNo: number; state: string }>(
      'SELECT file_id AS "fileId", batch_no AS "batchNo", state FROM batch ORDER BY state',
    );
    const [unsent, sent] = rows;
    expect([unsent!.state, sent!.state]).toEqual(['ready', 'submitted']);
    await expect(submitBatch(world.app, unsent!)).resolves.toBeUndefined();
    expect(await askForResult(world.app, sent!)).toBe('no account of the configuration means its merchant');
    expect(booked()).toBe(3);
  });

  it('the unsent rows of a file whose other rows were sent and have no result yet are moved', async () => {
    world.sandbox.faults.plan({ kind: 'result-still-running', times: 'always' });
    world.config.batch.maxRows = 2;
    await become({ main: {} });
    await accept('june.csv');
    await resumeAccount(world.app.ledger, 'main', because);
    const file = await findFile(world.app.ledger, 'june.csv');
    await submitBatch(world.app, { fileId: file.file_id, batchNo: 1 });
    await become({ main: { ...MAIN, currency: 'CAD' } });
    await bindHere(world.app);
    expect(booked()).toBe(2);

    const find = async () => ({ kind: 'file', file: await readFileRow(world.app.ledger, file.file_id) }) as const;
    const move = () => runAction(world.app, 'move', find, { ...because, filled: {} });
    expect(await move()).toMatchObject({ result: 'done', done: { json: { account: 'main', rows: 1 } } });
    const states = (await readBatches(world.app.ledger, file.file_id)).map(({ state }) => state);
    expect(states).toEqual(['submitted', 'cancelled']);
    await expect(move()).rejects.toThrow('no row of it is left that was not sent');
  });

  it.each([
    ['currency', { currency: 'CAD' }],
    ['country', { country: 'CA' }],
  ] as const)('work of another %s stays stopped, and what was sent is still known', async (_what, change) => {
    await drop('june.csv');
    await accept('july.csv', 11);
    await become({ main: { ...MAIN, ...change } });
    await resumeAccount(world.app.ledger, 'main', because);
    await settle();
    expect(booked()).toBe(3);
    expect(await accountsOf()).toEqual([
      ['june.csv', 'main.1'],
      ['july.csv', 'main.1'],
    ]);
    await drop('june.csv');
    expect(booked()).toBe(3);
  });

  it('a batch in doubt is asked about at its own service, or not at all', async () => {
    await accept('june.csv');
    const file = await findFile(world.app.ledger, 'june.csv');
    const [batch] = await readBatches(world.app.ledger, file.file_id);
    expect(() => world.app.gateway(batch!)).not.toThrow();
    await become({ main: { agentCode: 'OTHER' } });
    // Before the ledger follows the configuration, and after.
    expect(() => world.app.gateway(batch!)).toThrow('Cannot use account "main": the configuration now means another');
    await settle();
    const now = (await readBatches(world.app.ledger, file.file_id))[0]!;
    expect(() => world.app.gateway(now)).toThrow('Cannot use account "main.1"');
    expect(() => world.app.gateway({ ...now, account: 'main' })).toThrow('the configuration now means another');
    expect(() => world.app.reports({ ...now, account: 'main' })).toThrow('the configuration now means another');
  });

  it('a process that still has the old configuration sends and takes nothing', async () => {
    await accept('june.csv');
    const old = world.app;
    const accounts = new Map(old.settings.accounts);
    accounts.set('main', { ...accounts.get('main')!, agentCode: 'OTHER' });
    const working = await world.start();
    onTestFinished(() => working.stop());
    const present = await openApp({ ...old.settings, accounts }, { log: silentLog(), env: world.env });
    onTestFinished(() => present.close());
    await bindHere(present);
    for (const name of ['main', 'main.1']) await resumeAccount(old.ledger, name, because);
    await world.drop('ach-charge', 'july.csv', lines(rowsOf(9, 9)));
    const failing = async () => (await old.ledger.pool.query('SELECT work FROM failing_work')).rows;
    await expect.poll(failing, { timeout: 120_000 }).toContainEqual({ work: 'watch' });
    expect(booked()).toBe(0);
    expect(await accountsOf()).toEqual([['june.csv', 'main.1']]);
  });
});
