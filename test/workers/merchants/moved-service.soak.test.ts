import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import { Config } from '../../../schemas/config.ts';
import { openApp } from '../../../src/app.ts';
import { resolveSettings } from '../../../src/config/config.ts';
import { silentLog } from '../../../src/kernel/log.ts';
import { resumeAccount } from '../../../src/ledger/account/pause-account.ts';
import { readFileRow } from '../../../src/ledger/file/read-file.ts';
import { findFile } from '../../../src/ledger/file/search.ts';
import { answerAddress, listAddressQuestions } from '../../../src/ledger/merchant/answer-address.ts';
import { type Sandbox, startSandbox } from '../../../src/sandbox/start-sandbox.ts';
import { bindAnswered, bindHere } from '../../../workers/bind-here.ts';
import { achRow, lines } from '../../support/payment-rows.ts';
import {
  accept,
  accountsOf,
  because,
  become,
  booked,
  drop,
  live,
  openForEach,
  settle,
  world,
} from '../support/merchant-world.ts';

openForEach();

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
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'paydrop-instance' AND datname = current_database()`,
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
