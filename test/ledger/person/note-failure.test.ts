import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { invitePerson } from '../../../src/ledger/person/invite-person.ts';
import { beginSession, noteFailure, waitAfter } from '../../../src/ledger/person/sessions.ts';
import { readCredentials } from '../../../src/ledger/person/people.ts';
import { hashSecretToken } from '../../../src/crypto/secret-token.ts';
import { type LedgerWorld, openTestLedger } from '../../support/ledger-world.ts';

let world: LedgerWorld;
beforeAll(async () => {
  world = await openTestLedger();
  const link = { tokenHash: hashSecretToken('x'), expiresAt: world.clock.now() };
  await invitePerson(world.ledger, { name: 'bob', role: 'viewer' }, link, { actor: 'operator:ann', reason: 'to see' });
});
afterAll(() => world.close());

describe('waitAfter', () => {
  it.each([
    [1, 0],
    [4, 0],
    [5, 30],
    [6, 60],
    [9, 480],
    [10, 900],
    [1_000, 900],
  ])('after %i wrong passwords is %i s', (failures, seconds) => {
    expect(waitAfter(failures)).toBe(seconds * 1_000);
  });
});

describe('noteFailure', () => {
  it('makes a person wait after the fifth, and a right password begins anew', async () => {
    for (let tries = 0; tries < 4; tries += 1) await noteFailure(world.ledger, 'bob', '10.0.0.9');
    expect(await readCredentials(world.ledger, 'bob')).toMatchObject({ lockedUntil: null });
    await noteFailure(world.ledger, 'bob', '10.0.0.9');
    const until = new Date(world.clock.now().getTime() + 30_000);
    expect(await readCredentials(world.ledger, 'bob')).toMatchObject({ lockedUntil: until });
    await beginSession(world.ledger, { person: 'bob', tokenHash: hashSecretToken('s'), csrf: 'c', by: 'password' });
    expect(await readCredentials(world.ledger, 'bob')).toMatchObject({ lockedUntil: null });
    await noteFailure(world.ledger, 'bob', '10.0.0.9');
    expect(await readCredentials(world.ledger, 'bob')).toMatchObject({ lockedUntil: null });
  });

  it('writes nothing of a name that there is not', async () => {
    const count = async () => (await world.ledger.pool.query('SELECT 1 FROM audit')).rowCount;
    const before = await count();
    await noteFailure(world.ledger, 'nobody', '10.0.0.9');
    expect(await count()).toBe(before);
  });
});
