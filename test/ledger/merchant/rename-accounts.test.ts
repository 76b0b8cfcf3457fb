import { beforeEach, describe, expect, it } from 'vitest';
import { pauseAccount } from '../../../src/ledger/account/pause-account.ts';
import { bindAccounts } from '../../../src/ledger/merchant/bind-accounts.ts';
import { findRenamed } from '../../../src/ledger/merchant/read-merchants.ts';
import { openTestLedger } from '../../support/ledger-world.ts';
import { openedForTests } from '../../support/opened-for-tests.ts';
import { accountsOfFiles, meanings, named } from './support.ts';
import { stopAccount } from '../../../src/ledger/account/stop-account.ts';

/** What was taken under a name follows its merchant, whatever the configuration calls it. */
const world = openedForTests(openTestLedger);
beforeEach(async () => {
  await world.empty();
  world.ledger.bound.clear();
});

/** Binds these accounts, then takes a file for each. */
async function begin(...names: string[]): Promise<void> {
  await bindAccounts(
    world.ledger,
    names.map((name) => named(name)),
  );
  for (const account of names) await world.accepted({ account });
}

async function stops(): Promise<string[]> {
  const { rows } = await world.ledger.pool.query<{ stop: string }>(
    `SELECT account || ' ' || kind AS stop FROM account_stop ORDER BY stop`,
  );
  return rows.map(({ stop }) => stop);
}

const because = { actor: 'operator:ada', reason: 'looked at it' };

describe('renameAccounts', () => {
  it('exchanges two names in one start', async () => {
    await begin('main', 'side');
    await bindAccounts(world.ledger, [
      named('main', { agent: 'agent of side' }),
      named('side', { agent: 'agent of main' }),
    ]);
    expect(await accountsOfFiles(world.ledger)).toEqual(['side', 'main']);
    expect(await meanings(world.ledger)).toEqual({ main: 'agent of side USD', side: 'agent of main USD' });
  });

  it('is known by the former name, among the names of the configuration', async () => {
    await begin('main');
    await bindAccounts(world.ledger, [named('cards', { agent: 'agent of main' })]);
    expect(await findRenamed(world.ledger, 'main', ['cards', 'side'])).toBe('cards');
    expect(await findRenamed(world.ledger, 'main', ['side'])).toBeUndefined();
    expect(await findRenamed(world.ledger, 'cards', ['cards'])).toBeUndefined();
  });

  it('turns three names around', async () => {
    await begin('one', 'two', 'three');
    await bindAccounts(world.ledger, [
      named('one', { agent: 'agent of three' }),
      named('two', { agent: 'agent of one' }),
      named('three', { agent: 'agent of two' }),
    ]);
    expect(await accountsOfFiles(world.ledger)).toEqual(['two', 'three', 'one']);
  });

  it('gives the work of a changed meaning a former name, and a number that is free', async () => {
    await begin('main');
    await bindAccounts(world.ledger, [named('main', { currency: 'CAD' })]);
    await world.accepted({ account: 'main' });
    await bindAccounts(world.ledger, [named('main', { agent: 'another' })]);
    expect(await accountsOfFiles(world.ledger)).toEqual(['main.1', 'main.2']);
    expect(await meanings(world.ledger)).toEqual({
      main: 'another USD',
      'main.1': 'agent of main USD',
      'main.2': 'agent of main CAD',
    });
  });

  it('frees a former name when its merchant gets a name again', async () => {
    await begin('main');
    await bindAccounts(world.ledger, [named('main', { agent: 'another' })]);
    expect(await accountsOfFiles(world.ledger)).toEqual(['main.1']);
    await bindAccounts(world.ledger, [named('main', { agent: 'another' }), named('old', { agent: 'agent of main' })]);
    expect(await accountsOfFiles(world.ledger)).toEqual(['old']);
    await bindAccounts(world.ledger, [named('main', { agent: 'third' }), named('old', { agent: 'agent of main' })]);
    expect(await meanings(world.ledger)).toEqual({
      main: 'third USD',
      'main.1': 'another USD',
      old: 'agent of main USD',
    });
  });

  it('lets two hosts that name one merchant differently rename it in turn, and only one of them use it', async () => {
    await begin('main');
    const other = { ...(await world.openAgain()), bound: new Map() };
    await bindAccounts(other, [named('cards', { agent: 'agent of main' })]);
    expect([await accountsOfFiles(world.ledger), [...other.bound.keys()]]).toEqual([['cards'], ['cards']]);
    await bindAccounts(world.ledger, [named('main')]);
    expect([await accountsOfFiles(world.ledger), [...world.ledger.bound.keys()]]).toEqual([['main'], ['main']]);
    expect(await meanings(world.ledger)).toEqual({ main: 'agent of main USD' });
  });

  it.each([
    ['another name', () => [named('cards', { agent: 'agent of main' })], ['cards fault', 'cards pause', 'main pause']],
    ['a former name', () => [named('main', { agent: 'another' })], ['main pause', 'main.1 fault', 'main.1 pause']],
  ])('takes stops along to %s, and leaves a pause with the name', async (_what, next, left) => {
    await begin('main');
    await pauseAccount(world.ledger, 'main', because);
    await stopAccount(world.ledger, 'main', 'a body does not match its rows');
    await bindAccounts(world.ledger, next());
    expect(await stops()).toEqual(left);
  });
});
