import { beforeEach, describe, expect, it } from 'vitest';
import { bindAccounts } from '../../../src/ledger/merchant/bind-accounts.ts';
import { answerAddress, listAddressQuestions } from '../../../src/ledger/merchant/answer-address.ts';
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
