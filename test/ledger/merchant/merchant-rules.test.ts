import { ask } from '../../../src/ledger/engine/ask.ts';
import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, it } from 'vitest';
import { stepText } from '../../../schemas/steps.ts';
import { describeHolds } from '../../../src/explain/describe-holds.ts';
import { readShownFile } from '../../../src/explain/read-blocks.ts';
import { acknowledgeForgotten, pauseAccount, resumeAccount } from '../../../src/ledger/account/pause-account.ts';
import { type AccountState, readAccountStates, readForgottenSends } from '../../../src/ledger/account/read-holds.ts';
import { findLastingCauses } from '../../../src/ledger/alarm/find-alarm-causes.ts';
import { recallEntries } from '../../../src/ledger/doubt/recall-batch.ts';
import { findSameContent } from '../../../src/ledger/duplicates/find-duplicate.ts';
import { transact } from '../../../src/ledger/engine/transaction.ts';
import { bindAccounts } from '../../../src/ledger/merchant/bind-accounts.ts';
import { mustBeBound } from '../../../src/ledger/merchant/bound-accounts.ts';
import { keyOf, openTestLedger, START } from '../../support/ledger-world.ts';
import { openedForTests } from '../../support/opened-for-tests.ts';
import { named } from './support.ts';
import { declareCall, declareNow } from '../../support/calls.ts';

/** What goes by the merchant and not by the name of its account, one rule at a time. */
const world = openedForTests(openTestLedger);
beforeEach(async () => {
  await world.empty();
  world.ledger.bound.clear();
});

const agent = 'agent of main';
const begin = () => bindAccounts(world.ledger, [named('main')]);

/** Lets this process mean something else by its account than the ledger does. */
function meanOther(): void {
  world.ledger.bound.set('main', { ...world.ledger.bound.get('main')!, currency: 'CAD' });
}

describe('a process whose configuration means something else', () => {
  it('takes up no batch', async () => {
    await begin();
    const batch = await world.batchIn('ready', { account: 'main' });
    meanOther();
    expect(await declareNow(world.ledger, keyOf(batch))).toBeUndefined();
  });

  it('sends no batch that it took up before', async () => {
    await begin();
    const batch = await world.call({ account: 'main' });
    meanOther();
    expect(await declareCall(world.ledger, batch)).toBe(false);
  });

  it('asks no service', async () => {
    await begin();
    const { merchantNo } = world.ledger.bound.get('main')!;
    expect(() => mustBeBound(world.ledger, { account: 'main', merchant_no: merchantNo })).not.toThrow();
    for (const charged of [
      { account: 'main', merchant_no: merchantNo + 1 },
      { account: 'main.1', merchant_no: merchantNo },
    ])
      expect(() => mustBeBound(world.ledger, charged)).toThrow('now means another merchant');
  });
});

describe('two names of one merchant', () => {
  beforeEach(() => bindAccounts(world.ledger, [named('main'), named('second', { agent })]));

  it('have one call in flight', async () => {
    await world.sending({ account: 'main' });
    const other = await world.accepted({ account: 'second' });
    const key = { fileId: other.file_id, batchNo: 1 };
    expect(await declareNow(world.ledger, key)).toBeUndefined();
    await expect(world.putBatch(key, 'sending')).rejects.toThrow('one_call_in_flight');
  });

  it('know the same bytes', async () => {
    const file = await world.accepted({ account: 'main' });
    const again = { file_id: 'another', account: 'second', sha256: file.sha256 };
    const found = (account: string) =>
      ask(world.ledger.pool, findSameContent([{ file: { ...again, account } }]))
        .then(([found]) => found)
        .then(([file]) => file);
    expect((await found('second'))?.file_id).toBe(file.file_id);
    await bindAccounts(world.ledger, [named('main'), named('second')]);
    expect(await found('second')).toBeUndefined();
  });
});

/** A call of account `main` that the ledger lacks, as a send journal has it. */
const call = () => ({
  at: START,
  account: 'main',
  merchant: named('main').mark,
  fileId: 'forgotten',
  batchNo: 1,
  attempt: 1,
  sha256: 'ab'.repeat(32),
  call: randomUUID(),
});

describe('a forgotten call', () => {
  const because = { actor: 'operator:ada', reason: 'looked it up' };
  const recall = () => transact(world.ledger, (tx) => recallEntries(tx, [call()], 'send journal'));
  const callsOf = async (account: string) => (await readForgottenSends(world.ledger, account)).length;
  const states = async () =>
    (await readAccountStates(world.ledger, ['main'])).map(({ account, forgotten, stops }) => [
      account,
      forgotten,
      stops.map((stop) => stop.account),
    ]);

  it('is that of each name of its merchant, and is acknowledged for all of them', async () => {
    await bindAccounts(world.ledger, [named('main'), named('second', { agent })]);
    await recall();
    expect(await states()).toEqual([
      ['main', 1, ['main']],
      ['second', 1, ['main']],
    ]);
    expect(await callsOf('second')).toBe(1);
    await pauseAccount(world.ledger, 'second', because);
    await expect(resumeAccount(world.ledger, 'main', because)).rejects.toThrow('account forgotten main');
    expect(await acknowledgeForgotten(world.ledger, 'second', because)).toBe(1);
    expect(await resumeAccount(world.ledger, 'main', because)).toEqual(['journal']);
    expect(await states()).toEqual([
      ['main', 0, ['second']],
      ['second', 0, ['second']],
    ]);
  });

  it('is listed under the new name, and not of an account that now means another merchant', async () => {
    await begin();
    await recall();
    await bindAccounts(world.ledger, [named('cards', { agent }), named('main', { agent: 'another' })]);
    expect(await states()).toEqual([
      ['main', 0, []],
      ['cards', 1, ['cards']],
    ]);
    expect([await callsOf('cards'), await callsOf('main')]).toEqual([1, 0]);
    expect(await acknowledgeForgotten(world.ledger, 'main', because)).toBe(0);
  });

  it('is found by its name while no account means its merchant', async () => {
    const entry = { ...call(), merchant: 'mark of a merchant that nobody knows' };
    await begin();
    await transact(world.ledger, (tx) => recallEntries(tx, [entry], 'send journal'));
    expect(await callsOf('main')).toBe(1);
    await expect(resumeAccount(world.ledger, 'main', because)).rejects.toThrow('1 call');
  });

  it('says by which name a merchant is stopped', async () => {
    await bindAccounts(world.ledger, [named('main'), named('second', { agent })]);
    await recall();
    const [state] = (await readAccountStates(world.ledger, ['second'])) as [AccountState];
    expect(describeHolds(state, 'UTC').map(stepText)).toEqual([
      expect.stringMatching(
        /^Account main, another name of the same merchant, was stopped at .*account forgotten main/,
      ),
    ]);
    const [cause] = await findLastingCauses(world.ledger);
    expect(cause).toMatchObject({ kind: 'account_stopped', figures: { batches: 0 } });
    const file = await world.accepted({ account: 'second' });
    expect(await findLastingCauses(world.ledger)).toMatchObject([{ subject: 'main', figures: { batches: 1 } }]);
    const settings = { accounts: new Map() };
    const { blockedBy } = await readShownFile(world.ledger, settings, file);
    expect(blockedBy).toMatchObject([{ kind: 'stopped', account: 'main' }]);
  });
});

describe('a call of a send journal', () => {
  it('stops the merchant that it was made to, whatever its name means now', async () => {
    await begin();
    await bindAccounts(world.ledger, [named('cards', { agent }), named('main', { agent: 'another' })]);
    const done = await transact(world.ledger, (tx) => recallEntries(tx, [call()], 'send journal'));
    expect(done.map(({ account }) => account)).toEqual(['cards']);
    const { rows } = await world.ledger.pool.query('SELECT account FROM account_stop');
    expect(rows).toEqual([{ account: 'cards' }]);
  });
});
