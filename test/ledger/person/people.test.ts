import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { disablePerson } from '../../../src/ledger/person/change-person.ts';
import { invitePerson, usePersonLink } from '../../../src/ledger/person/invite-person.ts';
import { beginSession } from '../../../src/ledger/person/sessions.ts';
import { isDashboardNew, listPeople, readCredentials } from '../../../src/ledger/person/people.ts';
import { hashSecretToken } from '../../../src/crypto/secret-token.ts';
import { type LedgerWorld, openTestLedger } from '../../support/ledger-world.ts';

let world: LedgerWorld;
beforeAll(async () => {
  world = await openTestLedger();
});
afterAll(() => world.close());

const BECAUSE = { actor: 'operator:ann', reason: 'to see' };

describe('listPeople', () => {
  it('says who may log in and who was seen, and nothing that he is recognised by', async () => {
    expect(await isDashboardNew(world.ledger)).toBe(true);
    for (const name of ['cid', 'bob', 'ann']) {
      const link = { tokenHash: hashSecretToken(name), expiresAt: new Date(world.clock.now().getTime() + 1_000) };
      await invitePerson(world.ledger, { name, role: 'admin' }, link, BECAUSE);
    }
    await usePersonLink(world.ledger, hashSecretToken('bob'), { name: '', password: 'secret hash' });
    await beginSession(world.ledger, { person: 'bob', tokenHash: hashSecretToken('s'), csrf: 'c', by: 'password' });
    await disablePerson(world.ledger, 'ann', BECAUSE);
    const people = await listPeople(world.ledger);
    expect(
      people.map(({ name, hasPassword, seenAt, disabledAt }) => [name, hasPassword, !!seenAt, !!disabledAt]),
    ).toEqual([
      ['bob', true, true, false],
      ['cid', false, false, false],
      ['ann', false, false, true],
    ]);
    expect(JSON.stringify(people)).not.toContain('secret hash');
    expect(await isDashboardNew(world.ledger)).toBe(false);
  });
});

describe('readCredentials', () => {
  it('knows nobody who was shut out', async () => {
    expect(await readCredentials(world.ledger, 'bob')).toEqual({
      name: 'bob',
      password: 'secret hash',
      lockedUntil: null,
    });
    expect(await readCredentials(world.ledger, 'ann')).toBeUndefined();
    expect(await readCredentials(world.ledger, 'eve')).toBeUndefined();
  });
});
