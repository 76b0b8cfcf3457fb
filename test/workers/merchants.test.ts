import { readFileSync } from 'node:fs';
import { mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { Config } from '../../schemas/config.ts';
import { openApp } from '../../src/app.ts';
import { resolveSettings } from '../../src/config/config.ts';
import { silentLog } from '../../src/kernel/log.ts';
import { runAction } from '../../src/actions/run-action.ts';
import { planResubmission, resubmitRows } from '../../src/actions/resubmit.ts';
import { cancelFile } from '../../src/ledger/file/cancel-file.ts';
import { approveFile, declineFile } from '../../src/ledger/file/release-held.ts';
import type { JournalEntry } from '../../src/ledger/admission/send-journal.ts';
import { pauseAccount, resumeAccount } from '../../src/ledger/account/pause-account.ts';
import { findDueWork } from '../support/due-work.ts';
import { isMoving } from '../../src/ledger/overview/overview.ts';
import { readFileRow, readBatches } from '../../src/ledger/file/read-file.ts';
import { findFile } from '../../src/ledger/file/search.ts';
import { answerAddress, listAddressQuestions } from '../../src/ledger/merchant/answer-address.ts';
import { boundKeys, meaningKey } from '../../src/ledger/merchant/bound-accounts.ts';
import { type Sandbox, startSandbox } from '../../src/sandbox/start-sandbox.ts';
import { bindAnswered, bindHere } from '../../workers/bind-here.ts';
import { rebuildOutputs } from '../../workers/deliver/rebuild-outputs.ts';
import { askForResult } from '../../workers/poll/poll.ts';
import { submitBatch } from '../../workers/submit/submit.ts';
import { sweep } from '../../workers/upkeep/sweep.ts';
import { claimContent } from './support/story.ts';
import { achRow, cardRow, lines, MAGIC_CARD, upTo } from '../support/payment-rows.ts';
import { openPipelineWorld, type PipelineWorld } from '../support/pipeline-world.ts';

/** Who is charged is an agent code at a service, whatever paydrop.yaml calls it and whatever it means by a name later. */

let world: PipelineWorld;
beforeEach(async () => {
  const accounts = ['TEST88', 'OTHER'].map((agentCode) => ({ agentCode, password: 'TEST88' }));
  world = await openPipelineWorld({ sandbox: { accounts } });
});
afterEach(() => world.close());

const because = { actor: 'operator:ada', reason: 'looked at it' };
const MAIN = { server: 'NA', country: 'US', currency: 'USD', agentCode: 'TEST88', password: 'TEST88' } as const;

type Named = Record<string, Partial<Config['accounts'][string]>>;

/** Starts paydrop anew with these accounts; the folder for bank payments is that of `taker`. */
async function become(named: Named, taker = Object.keys(named)[0]!): Promise<void> {
  const { main: before } = world.config.accounts;
  const accounts = Object.fromEntries(Object.entries(named).map(([name, own]) => [name, { ...before, ...own }]));
  const folders = world.config.folders.map((folder) => ({ ...folder, account: taker }));
  const settings = resolveSettings(Config.parse({ ...world.config, accounts, folders }), world.root, world.env);
  await world.app.close();
  world.app = await openApp(settings, { log: silentLog(), env: world.env });
}

const rowsOf = (first: number, last: number) => upTo(last - first + 1).map((n) => achRow(first + n - 1));

/** Drops rows from `first` to `last`, and works until nothing is left that can go on. */
async function drop(name: string, first = 1, last = first + 2): Promise<void> {
  await world.drop('ach-charge', name, lines(rowsOf(first, last)));
  await settle();
}

/** Works until the files in the folder are taken and what may be sent is done. Stopped work stays. */
async function settle(): Promise<void> {
  const workers = await world.start();
  await expect
    .poll(
      async () => {
        const settling = await workers.look();
        const { rows } = await world.app.ledger.pool.query<{ open: number }>(
          `SELECT count(*)::int AS open FROM file f
           WHERE state IN ('claimed', 'in_progress') OR (state = 'accepted' AND EXISTS (
             SELECT FROM batch b WHERE b.file_id = f.file_id AND is_bound(b.account, $1) AND may_leave(b.account, b.file_id, b.body_sha256)))`,
          [boundKeys(world.app.ledger)],
        );
        return settling + rows[0]!.open;
      },
      { timeout: 120_000 },
    )
    .toBe(0);
  await workers.stop();
}

/** Takes a file to its verdict without sending anything. */
async function accept(name: string, first = 1): Promise<void> {
  await pauseAccount(world.app.ledger, 'main', because);
  await drop(name, first);
}

const booked = ({ books }: Pick<Sandbox, 'books'> = world.sandbox) => books().length;

const accountsOf = async () => {
  const { rows } = await world.app.ledger.pool.query('SELECT name, account FROM file ORDER BY file_no');
  return rows.map(({ name, account }: { name: string; account: string }) => [name, account]);
};

async function live(): Promise<Sandbox> {
  const service = await startSandbox({
    batchDelayMs: 10,
    accounts: ['TEST88', 'LIVE'].map((agentCode) => ({ agentCode, password: 'TEST88' })),
  });
  onTestFinished(() => service.close());
  return service;
}

describe('one merchant under two names', () => {
  it.each([
    ['renamed', () => become({ cards: {} })],
    ['entered a second time', () => become({ main: {}, second: {} }, 'second')],
  ])('%s: a file that was sent is known', async (_how, change) => {
    await drop('june.csv');
    await change();
    await drop('june.csv');
    await drop('june-again.csv', 1, 4);
    expect(booked()).toBe(3);
    const { rows } = await world.app.ledger.pool.query('SELECT state, reason_code FROM file ORDER BY file_no');
    expect(rows).toEqual([
      { state: 'completed', reason_code: null },
      { state: 'rejected', reason_code: 'DUPLICATE_FILE' },
      { state: 'held', reason_code: 'CHARGED_BEFORE' },
    ]);
  });

  it('a renamed account keeps its history, its stops and its work under the new name', async () => {
    await drop('june.csv');
    await accept('july.csv', 11);
    await become({ cards: {} });
    await settle();
    expect(await accountsOf()).toEqual([
      ['june.csv', 'cards'],
      ['july.csv', 'cards'],
    ]);
    expect(booked()).toBe(3);
    await resumeAccount(world.app.ledger, 'cards', because);
    await settle();
    expect(booked()).toBe(6);
  });

  it('outputs come out as the same bytes once the account is renamed, in another time zone', async () => {
    await drop('june.csv');
    const { file_id: fileId } = await findFile(world.app.ledger, 'june.csv');
    await become({ cards: { timeZone: 'Asia/Tokyo' } });
    await settle();
    const checks = await rebuildOutputs(world.app, await readFileRow(world.app.ledger, fileId));
    expect(checks.map(({ kind }) => kind)).toEqual(expect.arrayContaining(['ack', 'result', 'summary-txt']));
    expect(checks.filter(({ onDisk, rebuilt }) => onDisk !== 'same' || rebuilt !== 'same')).toEqual([]);
  });

  it('a line of the send journal tells the mark of the merchant', async () => {
    await drop('june.csv');
    const lines = readFileSync(world.app.settings.paths.journal, 'utf8').split('\n').filter(Boolean);
    const calls = lines.map((line) => JSON.parse(line) as JournalEntry).filter(({ batchNo }) => batchNo !== undefined);
    expect(calls[0]).toMatchObject({ account: 'main', merchant: world.app.ledger.bound.get('main')!.mark });
  });

  it('a pause of one name stops both', async () => {
    await pauseAccount(world.app.ledger, 'main', because);
    await become({ main: {}, second: {} }, 'second');
    await drop('june.csv');
    expect(booked()).toBe(0);
  });
});

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

/** The same service at another address, with its books. */
async function moved(): Promise<Sandbox> {
  await world.sandbox.close();
  const accounts = [{ agentCode: 'TEST88', password: 'TEST88' }];
  const service = await startSandbox({ batchDelayMs: 10, dataDir: join(world.root, 'sandbox'), accounts });
  onTestFinished(() => service.close());
  return service;
}

describe('an agent code at another address', () => {
  /** The service of `at` stands at the new address. */
  const before = async (at: () => Promise<Sandbox>) => {
    await drop('june.csv');
    await accept('july.csv', 11);
    const service = await at();
    await become({ main: { baseUrl: service.url } });
    await resumeAccount(world.app.ledger, 'main', because);
    await world.drop('ach-charge', 'august.csv', lines([achRow(9)]));
    const workers = await world.start();
    while ((await workers.look()) > 0) await sleep(20);
    await workers.stop();
    return service;
  };

  it('is asked about, and until then nothing is taken or sent', async () => {
    const service = await before(live);
    expect([booked(), booked(service)]).toEqual([3, 0]);
    expect(await listAddressQuestions(world.app.ledger)).toMatchObject([
      { account: 'main', before: expect.stringContaining(world.sandbox.url), files: 2, unsent: 1, wasSandbox: true },
    ]);
    expect(await accountsOf()).toEqual([
      ['june.csv', 'main'],
      ['july.csv', 'main'],
    ]);
    // Not even into the work folder: no claim could say for whom it is, and the account may be renamed before the answer.
    const { path, work } = world.settings.folders.find((folder) => folder.path.endsWith('ach-charge'))!;
    expect([await readdir(path), await readdir(work)]).toEqual([['august.csv'], ['.retired']]);
  });

  it('when the service moved, goes on with its history', async () => {
    const service = await before(moved);
    expect(await answerAddress(world.app.ledger, 'main', true, because)).toEqual(['main']);
    await drop('june.csv');
    expect(booked(service)).toBe(3 + 3 + 1);
    expect((await accountsOf()).every(([, account]) => account === 'main')).toBe(true);
  });

  it('renamed at the same time: its work follows the answer without a start, and is not given back to an old name', async () => {
    await accept('june.csv');
    const service = await moved();
    await become({ cards: { baseUrl: service.url } });
    await bindHere(world.app);
    const [renamed] = await answerAddress(world.app.ledger, 'cards', true, because);
    await bindAnswered(world.app);
    expect([renamed, await accountsOf()]).toEqual(['cards', [['june.csv', 'cards']]]);
    await settle();
    await resumeAccount(world.app.ledger, 'cards', because);
    await settle();
    expect(booked(service)).toBe(3);
  });

  it('stays with the name that a newer process gave it, also once the older one was cut off from the ledger', async () => {
    await accept('june.csv');
    const service = await moved();
    await become({ cards: { baseUrl: service.url } });
    const older = world.app;
    await bindHere(older);
    const { main } = world.config.accounts;
    const accounts = { bills: { ...main!, baseUrl: service.url } };
    const folders = world.config.folders.map((folder) => ({ ...folder, account: 'bills' }));
    const settings = resolveSettings(Config.parse({ ...world.config, accounts, folders }), world.root, world.env);
    const newer = await openApp(settings, { log: silentLog(), env: world.env });
    onTestFinished(() => newer.close());
    await bindHere(newer);
    await answerAddress(newer.ledger, 'bills', true, because);
    await bindAnswered(newer);
    expect(await accountsOf()).toEqual([['june.csv', 'bills']]);

    const joinedAt = older.ledger.instance.joinedAt();
    await newer.ledger.pool.query(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'paydrop-instance'`,
    );
    await expect.poll(() => older.ledger.instance.joinedAt()).not.toEqual(joinedAt);
    await bindAnswered(older);
    expect(older.ledger.bound.has('cards')).toBe(true);
    expect(await accountsOf()).toEqual([['june.csv', 'bills']]);
  });

  it('when it is another service, begins anew and leaves the old work stopped', async () => {
    const service = await before(live);
    await answerAddress(world.app.ledger, 'main', false, because);
    await drop('june.csv');
    expect([booked(), booked(service)]).toEqual([3, 1 + 3]);
    expect(await accountsOf()).toEqual(
      expect.arrayContaining([
        ['july.csv', 'main.1'],
        ['june.csv', 'main'],
      ]),
    );
    expect((await readFileRow(world.app.ledger, (await findFile(world.app.ledger, 'july.csv')).file_id)).state).toBe(
      'accepted',
    );
    await expect(answerAddress(world.app.ledger, 'main', true, because)).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });
});
