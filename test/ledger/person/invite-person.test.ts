import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { inviteAgain, invitePerson, offerSetUp, readLink } from '../../../src/ledger/person/invite-person.ts';
import { isDashboardNew, listPeople } from '../../../src/ledger/person/people.ts';
import { listAudit } from '../../../src/ledger/overview/list-audit.ts';
import { hashSecretToken } from '../../../src/crypto/secret-token.ts';
import { type LedgerWorld, openTestLedger } from '../../support/ledger-world.ts';

let world: LedgerWorld;
beforeAll(async () => {
  world = await openTestLedger();
});
afterAll(() => world.close());

const BECAUSE = { actor: 'operator:ann', reason: 'joins the accounting' };
const link = (word: string) => ({
  tokenHash: hashSecretToken(word),
  expiresAt: new Date(world.clock.now().getTime() + 60_000),
});
const leads = async (word: string) => (await readLink(world.ledger, hashSecretToken(word)))?.person;

/** The tests build on each other. */
describe('offerSetUp', () => {
  it('leads to nobody yet, until its time is over; two starts each have a link that works', async () => {
    expect(await isDashboardNew(world.ledger)).toBe(true);
    await offerSetUp(world.ledger, link('one'), BECAUSE);
    await offerSetUp(world.ledger, link('two'), BECAUSE);
    expect([await leads('one'), await leads('two'), await leads('three')]).toEqual([null, null, undefined]);
    world.clock.advance(60_000);
    expect(await leads('one')).toBeUndefined();
  });
});

describe('invitePerson', () => {
  it('makes a person who cannot log in before he has followed his link', async () => {
    await invitePerson(world.ledger, { name: 'bob', role: 'approver' }, link('bob'), BECAUSE);
    expect(await leads('bob')).toBe('bob');
    expect(await listPeople(world.ledger)).toMatchObject([{ name: 'bob', role: 'approver', hasPassword: false }]);
    expect(await isDashboardNew(world.ledger)).toBe(false);
    const trail = await listAudit(world.ledger, { actor: 'operator:ann', limit: 1 });
    expect(trail).toMatchObject([
      { move: 'invite-person', reason: BECAUSE.reason, evidence: { person: 'bob', role: 'approver' } },
    ]);
  });

  it.each([
    ['bob', /there is one of that name/],
    ['Bob', /no name for a person/],
    ['', /no name for a person/],
    ['bob hill', /no name for a person/],
  ])('refuses %j', async (name, message) => {
    const invited = invitePerson(world.ledger, { name, role: 'viewer' }, link('x'), BECAUSE);
    await expect(invited).rejects.toMatchObject({ code: 'USAGE', message: expect.stringMatching(message) });
    expect(await leads('x')).toBeUndefined();
  });
});

describe('inviteAgain', () => {
  it('replaces the link that was sent before', async () => {
    await inviteAgain(world.ledger, 'bob', link('bob again'), BECAUSE);
    expect([await leads('bob'), await leads('bob again')]).toEqual([undefined, 'bob']);
  });

  it('knows nobody else', async () => {
    await expect(inviteAgain(world.ledger, 'eve', link('eve'), BECAUSE)).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });
});
