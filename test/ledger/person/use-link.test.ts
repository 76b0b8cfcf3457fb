import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { invitePerson, offerSetUp, readLink, usePersonLink } from '../../../src/ledger/person/invite-person.ts';
import { beginSession, useSession } from '../../../src/ledger/person/sessions.ts';
import { listPeople, readCredentials } from '../../../src/ledger/person/people.ts';
import { hashSecretToken } from '../../../src/crypto/secret-token.ts';
import { type LedgerWorld, openTestLedger } from '../../support/ledger-world.ts';

let world: LedgerWorld;
beforeAll(async () => {
  world = await openTestLedger();
});
afterAll(() => world.close());

const BECAUSE = { actor: 'operator:ann', reason: 'to see' };
const link = (word: string) => ({
  tokenHash: hashSecretToken(word),
  expiresAt: new Date(world.clock.now().getTime() + 60_000),
});
const use = (word: string, name = '', password = 'hash') =>
  usePersonLink(world.ledger, hashSecretToken(word), { name, password });

/** The tests build on each other. */
describe('usePersonLink', () => {
  it('makes the first administrator, once, also when two follow set-up links at the same moment', async () => {
    for (const word of ['one', 'two', 'bad name']) await offerSetUp(world.ledger, link(word), BECAUSE);
    await expect(use('bad name', 'Not A Name')).rejects.toMatchObject({ code: 'USAGE' });
    const both = await Promise.allSettled([use('one', 'ann'), use('two', 'eve')]);
    expect(both.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
    expect(await listPeople(world.ledger)).toMatchObject([{ role: 'admin', hasPassword: true }]);
    await expect(use('bad name', 'mallory')).rejects.toMatchObject({ code: 'USAGE' });
    expect(await listPeople(world.ledger)).toHaveLength(1);
  });

  it('keeps the password of whom it was made for, once; the name that is said does not count', async () => {
    await invitePerson(world.ledger, { name: 'bob', role: 'operator' }, link('bob'), BECAUSE);
    const session = { person: 'bob', tokenHash: hashSecretToken('stolen'), csrf: 'c', by: 'test' };
    await beginSession(world.ledger, session);
    expect(await use('bob', 'mallory', 'his hash')).toBe('bob');
    expect(await readCredentials(world.ledger, 'bob')).toMatchObject({ password: 'his hash' });
    expect(await readLink(world.ledger, hashSecretToken('bob'))).toBeUndefined();
    await expect(use('bob', '', 'another')).rejects.toMatchObject({ code: 'USAGE' });
    expect(await readCredentials(world.ledger, 'bob')).toMatchObject({ password: 'his hash' });
    const limits = { idleMs: 60_000, longestMs: 60_000 };
    expect(await useSession(world.ledger, session.tokenHash, limits)).toBeUndefined();
  });

  it('does nothing when its time is over', async () => {
    await invitePerson(world.ledger, { name: 'late', role: 'viewer' }, link('late'), BECAUSE);
    world.clock.advance(60_000);
    await expect(use('late')).rejects.toMatchObject({ code: 'USAGE' });
    expect(await readCredentials(world.ledger, 'late')).toMatchObject({ password: null });
  });

  it('does nothing with a link that was made under a clock that was ahead', async () => {
    const day = 86_400_000;
    world.clock.advance(400 * day);
    await invitePerson(world.ledger, { name: 'ahead', role: 'viewer' }, link('ahead'), BECAUSE);
    world.clock.advance(-400 * day);
    expect(await readLink(world.ledger, hashSecretToken('ahead'))).toBeUndefined();
    await expect(use('ahead')).rejects.toMatchObject({ code: 'USAGE' });
  });
});
