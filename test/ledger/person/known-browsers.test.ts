import { beforeAll, describe, expect, it } from 'vitest';
import { changePassword } from '../../../src/ledger/person/change-person.ts';
import { invitePerson } from '../../../src/ledger/person/invite-person.ts';
import { findKnownBrowser, KNOWN_DAYS, rememberBrowser } from '../../../src/ledger/person/known-browsers.ts';
import { hashSecretToken } from '../../../src/crypto/secret-token.ts';
import { openTestLedger } from '../../support/ledger-world.ts';
import { openedForTests } from '../../support/opened-for-tests.ts';

const world = openedForTests(openTestLedger);

beforeAll(async () => {
  for (const name of ['ann', 'bob']) {
    const link = { tokenHash: hashSecretToken(name), expiresAt: world.clock.now() };
    await invitePerson(world.ledger, { name, role: 'viewer' }, link, { actor: 'operator:ann', reason: 'to see' });
  }
});

const remember = (person: string, word: string, instead?: string) =>
  rememberBrowser(world.ledger, {
    person,
    tokenHash: hashSecretToken(word),
    instead: instead === undefined ? undefined : hashSecretToken(instead),
  });
const find = (word: string) => findKnownBrowser(world.ledger, hashSecretToken(word));

describe('rememberBrowser', () => {
  it('knows whose browser it is by the secret alone, for its time', async () => {
    await remember('ann', 'one');
    expect([await find('one'), await find('two')]).toEqual(['ann', undefined]);
    world.clock.advance(KNOWN_DAYS * 86_400_000);
    expect(await find('one')).toBeUndefined();
  });

  it('replaces what the browser brought along', async () => {
    await remember('ann', 'first');
    await remember('bob', 'second', 'first');
    expect([await find('first'), await find('second')]).toEqual([undefined, 'bob']);
  });

  it('keeps the ten latest of a user, so that nobody gets many counts of wrong passwords', async () => {
    for (let n = 0; n < 12; n += 1) {
      world.clock.advance(1);
      await remember('ann', `browser ${n}`);
    }
    expect([await find('browser 1'), await find('browser 2'), await find('second')]).toEqual([undefined, 'ann', 'bob']);
  });

  it('is forgotten when the password changes, because a thief may have logged in', async () => {
    await changePassword(world.ledger, 'ann', 'hash', hashSecretToken('s'));
    expect([await find('browser 11'), await find('second')]).toEqual([undefined, 'bob']);
  });
});
