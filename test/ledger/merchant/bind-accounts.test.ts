import { ask } from '../../../src/ledger/engine/ask.ts';
import { beforeEach, describe, expect, it } from 'vitest';
import { bindAccounts } from '../../../src/ledger/merchant/bind-accounts.ts';
import { answerAddress, listAddressQuestions } from '../../../src/ledger/merchant/answer-address.ts';
import { findSendable } from '../../support/due-work.ts';
import { findSameContent } from '../../../src/ledger/duplicates/find-duplicate.ts';
import { openTestLedger } from '../../support/ledger-world.ts';
import { openedForTests } from '../../support/opened-for-tests.ts';
import { accountsOfFiles, meanings, named } from './support.ts';

/** When an agent code at another address is asked about, and what each answer does. */
const world = openedForTests(openTestLedger);
beforeEach(async () => {
  await world.empty();
  world.ledger.bound.clear();
});

const NEW = 'https://new.test/';
const agent = 'agent of main';

/** Takes a file at the first address, of a service that says this about itself; then uses the other address. */
async function move(saysBefore: boolean | undefined, saysNow: boolean | undefined): Promise<void> {
  await bindAccounts(world.ledger, [named('main', { saysSandbox: async () => saysBefore })]);
  await world.accepted({ account: 'main' });
  await bindAccounts(world.ledger, [named('main', { address: NEW, saysSandbox: async () => saysNow })]);
}

describe('an agent code at another address', () => {
  it.each([
    ['of a service', false, false, true],
    ['of a sandbox after a sandbox', true, true, true],
    ['that does not answer', true, undefined, true],
    ['of a service after a sandbox', true, false, false],
    ['of a sandbox after a service', false, true, false],
  ])('%s', async (_what, saysBefore, saysNow, isAsked) => {
    await move(saysBefore, saysNow);
    expect((await listAddressQuestions(world.ledger)).map(({ account }) => account)).toEqual(isAsked ? ['main'] : []);
    expect([...world.ledger.bound.keys()]).toEqual(isAsked ? [] : ['main']);
    expect(await accountsOfFiles(world.ledger)).toEqual([isAsked ? 'main' : 'main.1']);
  });

  it.each([
    ['of a service after one that never answered', undefined, false],
    ['of a sandbox after a service that never answered', undefined, true],
  ])('%s is asked about', async (_what, saysBefore, saysNow) => {
    await move(saysBefore, saysNow);
    expect(await listAddressQuestions(world.ledger)).toHaveLength(1);
  });

  it('is one question for all names, answered once for all', async () => {
    await move(false, false);
    const both = ['main', 'second'].map((name) => named(name, { agent, address: NEW }));
    await bindAccounts(world.ledger, both);
    expect((await listAddressQuestions(world.ledger)).map(({ account }) => account)).toEqual(['main', 'second']);
    const because = { actor: 'operator:ada', reason: 'the service moved' };
    expect((await answerAddress(world.ledger, 'second', true, because)).sort()).toEqual(['main', 'second']);
    await bindAccounts(world.ledger, both);
    const [main, second] = ['main', 'second'].map((name) => world.ledger.bound.get(name)?.merchantNo);
    expect(main).toBe(second);
    expect(await accountsOfFiles(world.ledger)).toEqual(['main']);
  });

  it('is another merchant after that answer, and the work stays with the former one', async () => {
    await move(false, false);
    await answerAddress(world.ledger, 'main', false, { actor: 'operator:ada', reason: 'another service' });
    expect(await accountsOfFiles(world.ledger)).toEqual(['main.1']);
    expect(await meanings(world.ledger)).toEqual({ main: `${agent} USD`, 'main.1': `${agent} USD` });
  });
});

describe('a service that says otherwise at the same address', () => {
  const because = { actor: 'operator:ada', reason: 'it was the sandbox all the time' };
  const start = (saysSandbox: boolean | undefined) =>
    bindAccounts(world.ledger, [named('main', { saysSandbox: async () => saysSandbox })]);
  const isSandbox = async () =>
    (await world.ledger.pool.query('SELECT is_sandbox FROM merchant ORDER BY merchant_no')).rows.map(
      (row: { is_sandbox: boolean | null }) => row.is_sandbox,
    );
  const content = { file_id: 'again', account: 'main' };
  const isKnown = (sha256: string) =>
    ask(world.ledger.pool, findSameContent([{ file: { ...content, sha256 } }]))
      .then(([found]) => found)
      .then(([file]) => file !== undefined);

  it.each([
    ['a sandbox that is a service now', true, false, 'what is sent now is charged'],
    ['a service that is a sandbox now', false, true, 'what it was sent before may have been charged'],
  ])(
    '%s: nothing of before is sent there, and all of it is known again when it turns back',
    async (_, first, then, says) => {
      await start(first);
      const { sha256 } = await world.accepted({ account: 'main' });
      const merchant = world.ledger.bound.get('main');
      expect(await start(then)).toEqual([
        { account: 'main', says: expect.stringContaining(says) },
        { account: 'main.1', says: expect.stringContaining('stays stopped as "main.1"') },
      ]);
      expect(await accountsOfFiles(world.ledger)).toEqual(['main.1']);
      expect(await isKnown(sha256)).toBe(false);
      expect(await findSendable(world.ledger)).toEqual([]);
      expect(await isSandbox()).toEqual([first, then]);
      const { rows } = await world.ledger.pool.query(
        `SELECT FROM audit WHERE move = 'bind-account' AND reason LIKE '%' || $1`,
        [says],
      );
      expect(rows).toHaveLength(1);
      expect(await start(undefined), 'who does not answer says nothing').toEqual([]);
      expect(world.ledger.bound.get('main')).not.toEqual(merchant);
      await start(first);
      expect(await accountsOfFiles(world.ledger)).toEqual(['main']);
      expect(await isKnown(sha256)).toBe(true);
      expect(world.ledger.bound.get('main')).toEqual(merchant);
      expect(await start(first)).toEqual([]);
    },
  );

  it.each([true, false])('that did not answer at first is learned before anything is sent: %s', async (says) => {
    await start(undefined);
    expect(await isSandbox()).toEqual([null]);
    await world.accepted({ account: 'main' });
    expect(await start(says)).toEqual([{ account: 'main', says: expect.stringContaining('for the first time') }]);
    expect(await isSandbox()).toEqual([says]);
    expect(await accountsOfFiles(world.ledger)).toEqual(['main']);
    expect(await start(says)).toEqual([]);
  });

  it('that was sent something before it said that it is a sandbox is asked about', async () => {
    await start(undefined);
    await world.sending({ account: 'main' });
    const [asked] = await start(true);
    expect(asked!.says).toContain('is now to be used at the sandbox');
    expect(await isSandbox()).toEqual([null]);
    await answerAddress(world.ledger, 'main', true, because);
    await start(true);
    expect([await isSandbox(), await accountsOfFiles(world.ledger)]).toEqual([[true], ['main']]);
    await start(false);
    expect([await isSandbox(), await accountsOfFiles(world.ledger)]).toEqual([[true, false], ['main.1']]);
  });
});
