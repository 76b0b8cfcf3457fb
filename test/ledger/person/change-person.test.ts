import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { PersonRole } from '../../../schemas/actions.ts';
import { addApiToken, useApiToken } from '../../../src/ledger/person/api-tokens.ts';
import { changePassword, changeRole, disablePerson, enablePerson } from '../../../src/ledger/person/change-person.ts';
import { inviteAgain, invitePerson, readLink, usePersonLink } from '../../../src/ledger/person/invite-person.ts';
import { beginSession, useSession } from '../../../src/ledger/person/sessions.ts';
import { readCredentials } from '../../../src/ledger/person/people.ts';
import { hashSecretToken } from '../../../src/crypto/secret-token.ts';
import { type LedgerWorld, openTestLedger } from '../../support/ledger-world.ts';

let world: LedgerWorld;
beforeAll(async () => {
  world = await openTestLedger();
  for (const [name, role] of [
    ['ann', 'admin'],
    ['zoe', 'admin'],
    ['bob', 'operator'],
  ] as [string, PersonRole][]) {
    await invitePerson(world.ledger, { name, role }, link(name), BECAUSE);
    await usePersonLink(world.ledger, hashSecretToken(name), { name, password: `hash of ${name}` });
  }
});
afterAll(() => world.close());

const BECAUSE = { actor: 'operator:ann', reason: 'to see' };
const LIMITS = { idleMs: 3_600_000, longestMs: 3_600_000 };
const link = (word: string) => ({ tokenHash: hashSecretToken(word), expiresAt: later() });
const later = () => new Date(world.clock.now().getTime() + 3_600_000);
const begin = (person: string, word: string) =>
  beginSession(world.ledger, { person, tokenHash: hashSecretToken(word), csrf: 'c', by: 'test' });
const session = (word: string) => useSession(world.ledger, hashSecretToken(word), LIMITS);

/** The tests build on each other. */
describe('changeRole', () => {
  it('holds at the next click of a session that is open', async () => {
    await begin('bob', 'open');
    await changeRole(world.ledger, 'bob', 'viewer', BECAUSE);
    expect(await session('open')).toMatchObject({ person: 'bob', role: 'viewer' });
  });

  it('leaves an administrator, also when two take the role from each other at once', async () => {
    const both = await Promise.allSettled([
      changeRole(world.ledger, 'ann', 'viewer', BECAUSE),
      changeRole(world.ledger, 'zoe', 'viewer', BECAUSE),
    ]);
    const failed = both.filter((one) => one.status === 'rejected');
    expect(failed).toMatchObject([{ reason: { code: 'MOVE_REFUSED' } }]);
  });
});

describe('disablePerson', () => {
  it('ends sessions, links and tokens at once', async () => {
    await inviteAgain(world.ledger, 'bob', link('new link'), BECAUSE);
    const token = { person: 'bob', name: 'cron', actions: ['look'] as const, tokenHash: hashSecretToken('t') };
    await addApiToken(world.ledger, { ...token, expiresAt: later() }, BECAUSE);
    expect(await useApiToken(world.ledger, token.tokenHash)).toMatchObject({ person: 'bob' });
    await disablePerson(world.ledger, 'bob', BECAUSE);
    expect(await session('open')).toBeUndefined();
    expect(await readLink(world.ledger, hashSecretToken('new link'))).toBeUndefined();
    expect(await useApiToken(world.ledger, token.tokenHash)).toBeUndefined();
    expect(await readCredentials(world.ledger, 'bob')).toBeUndefined();
  });

  it('does not shut out the last administrator', async () => {
    const admins = await Promise.allSettled(['ann', 'zoe'].map((name) => disablePerson(world.ledger, name, BECAUSE)));
    expect(admins.filter(({ status }) => status === 'rejected')).toHaveLength(1);
  });
});

describe('enablePerson', () => {
  it('lets somebody in again without the password that he had', async () => {
    await enablePerson(world.ledger, 'bob', BECAUSE);
    expect(await readCredentials(world.ledger, 'bob')).toMatchObject({ password: null });
    await expect(enablePerson(world.ledger, 'bob', BECAUSE)).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });
});

describe('changePassword', () => {
  it('ends the sessions of his other browsers', async () => {
    await begin('bob', 'here');
    await begin('bob', 'there');
    await changePassword(world.ledger, 'bob', 'new hash', hashSecretToken('here'));
    expect([await session('here'), await session('there')]).toMatchObject([{ person: 'bob' }, undefined]);
    expect(await readCredentials(world.ledger, 'bob')).toMatchObject({ password: 'new hash' });
  });
});
