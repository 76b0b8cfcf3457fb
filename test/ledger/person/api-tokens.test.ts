import { createHash, randomBytes } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import type { ActionName, PersonRole } from '../../../schemas/actions.ts';
import { addApiToken, listApiTokens, revokeApiToken, useApiToken } from '../../../src/ledger/person/api-tokens.ts';
import { changePassword, changeRole, disablePerson } from '../../../src/ledger/person/change-person.ts';
import { invitePerson, usePersonLink } from '../../../src/ledger/person/invite-person.ts';
import { verifyAudit } from '../../../src/ledger/overview/verify-audit.ts';
import { openTestLedger, START } from '../../support/ledger-world.ts';
import { openedForTests } from '../../support/opened-for-tests.ts';
import { findKnownBrowser, KNOWN_DAYS, rememberBrowser } from '../../../src/ledger/person/log-in-failures.ts';
import { hashSecretToken } from '../../../src/crypto/secret-token.ts';

const world = openedForTests(openTestLedger);

describe('api tokens', () => {
  beforeAll(async () => {
    await person('root', 'admin');
  });

  const because = { actor: 'operator:ada', reason: 'for the test' };

  const HOUR_MS = 3_600_000;

  async function person(name: string, role: PersonRole): Promise<void> {
    const tokenHash = randomBytes(32);
    const link = { tokenHash, expiresAt: new Date(world.clock.now().getTime() + HOUR_MS) };
    await invitePerson(world.ledger, { name, role }, link, because);
    await usePersonLink(world.ledger, tokenHash, { name, password: 'hash' });
  }

  async function token(owner: string, actions: ActionName[], name = 'report') {
    const tokenHash = createHash('sha256').update(randomBytes(8)).digest();
    const expiresAt = new Date(world.clock.now().getTime() + HOUR_MS);
    const tokenNo = await addApiToken(world.ledger, { person: owner, name, actions, tokenHash, expiresAt }, because);
    return { tokenHash, tokenNo };
  }

  async function lastLink() {
    const { rows } = await world.ledger.pool.query('SELECT actor, move, evidence FROM audit ORDER BY seq DESC LIMIT 1');
    return rows[0];
  }

  describe('addApiToken', () => {
    it('leaves a link of the audit trail that says whose it is and what for, and not the token', async () => {
      await person('ada', 'operator');
      const { tokenNo, tokenHash } = await token('ada', ['look', 'pause']);
      const link = await lastLink();
      expect(link).toMatchObject({
        actor: 'operator:ada',
        move: 'add-api-token',
        evidence: { tokenNo, person: 'ada', name: 'report', actions: ['look', 'pause'] },
      });
      expect(JSON.stringify(link)).not.toContain(tokenHash.toString('hex'));
      expect((await verifyAudit(world.ledger)).brokenAt).toBeUndefined();
    });

    it('belongs to a user who is there', async () => {
      await expect(token('nobody', ['look'])).rejects.toThrow(/foreign key/);
    });
  });

  describe('useApiToken', () => {
    it('says whose it is, what they may do now and what the token is good for, and notes the use', async () => {
      await person('bob', 'operator');
      const { tokenHash } = await token('bob', ['look', 'retry']);
      expect((await listApiTokens(world.ledger, 'bob'))[0]?.seenAt).toBeNull();
      expect(await useApiToken(world.ledger, tokenHash)).toEqual({
        person: 'bob',
        role: 'operator',
        actions: ['look', 'retry'],
      });
      expect((await listApiTokens(world.ledger, 'bob'))[0]?.seenAt).toEqual(world.clock.now());
      await changeRole(world.ledger, 'bob', 'viewer', because);
      expect(await useApiToken(world.ledger, tokenHash)).toMatchObject({ role: 'viewer' });
    });

    it('notes a later use to the minute, so that a program that asks often does not write often', async () => {
      await person('hal', 'viewer');
      const { tokenHash } = await token('hal', ['look']);
      const seenAt = async () => (await listApiTokens(world.ledger, 'hal'))[0]!.seenAt;
      await useApiToken(world.ledger, tokenHash);
      const first = world.clock.now();
      world.clock.advance(60_000);
      await useApiToken(world.ledger, tokenHash);
      expect(await seenAt()).toEqual(first);
      world.clock.advance(1);
      await useApiToken(world.ledger, tokenHash);
      expect(await seenAt()).toEqual(world.clock.now());
    });

    it('knows no other token', async () => {
      expect(await useApiToken(world.ledger, randomBytes(32))).toBeUndefined();
    });

    it('ends at its end and not before', async () => {
      await person('cora', 'viewer');
      const { tokenHash } = await token('cora', ['look']);
      world.clock.advance(HOUR_MS - 1);
      expect(await useApiToken(world.ledger, tokenHash)).toBeDefined();
      world.clock.advance(1);
      expect(await useApiToken(world.ledger, tokenHash)).toBeUndefined();
    });

    it('ends when the clock of the database says so, although the host went back', async () => {
      await person('cleo', 'viewer');
      const { tokenHash } = await token('cleo', ['look']);
      world.wrongBy.database = HOUR_MS;
      expect(await useApiToken(world.ledger, tokenHash)).toBeUndefined();
      world.wrongBy.database = 0;
      expect(await useApiToken(world.ledger, tokenHash)).toBeDefined();
    });

    it('is of no use when it was made while the clock was ahead', async () => {
      await person('cyd', 'viewer');
      const now = world.clock.now();
      world.clock.advance(400 * 24 * HOUR_MS);
      const { tokenHash } = await token('cyd', ['look']);
      expect(await useApiToken(world.ledger, tokenHash)).toBeDefined();
      world.clock.set(now);
      expect(await useApiToken(world.ledger, tokenHash)).toBeUndefined();
    });

    it('ends with its person', async () => {
      await person('dan', 'viewer');
      const { tokenHash } = await token('dan', ['look']);
      await disablePerson(world.ledger, 'dan', because);
      expect(await useApiToken(world.ledger, tokenHash)).toBeUndefined();
      expect((await listApiTokens(world.ledger, 'dan'))[0]?.revokedAt).toEqual(world.clock.now());
    });
  });

  describe('revokeApiToken', () => {
    it('ends a token at once and for good, with a link', async () => {
      await person('eve', 'viewer');
      const { tokenHash, tokenNo } = await token('eve', ['look']);
      await revokeApiToken(world.ledger, { tokenNo, person: 'eve' }, because);
      expect(await useApiToken(world.ledger, tokenHash)).toBeUndefined();
      expect(await lastLink()).toMatchObject({ move: 'revoke-api-token', evidence: { tokenNo, person: 'eve' } });
      const again = revokeApiToken(world.ledger, { tokenNo, person: 'eve' }, because);
      await expect(again).rejects.toMatchObject({ code: 'NOT_FOUND' });
    });

    it("ends nobody else's", async () => {
      await person('fay', 'viewer');
      const { tokenHash, tokenNo } = await token('fay', ['look']);
      const strange = revokeApiToken(world.ledger, { tokenNo, person: 'root' }, because);
      await expect(strange).rejects.toMatchObject({ code: 'NOT_FOUND' });
      expect(await useApiToken(world.ledger, tokenHash)).toBeDefined();
    });
  });

  describe('listApiTokens', () => {
    it("lists a person's own, the newest first, without their hashes", async () => {
      await person('gus', 'viewer');
      const [first, second] = [await token('gus', ['look'], 'first'), await token('gus', ['look'], 'second')];
      const listed = await listApiTokens(world.ledger, 'gus');
      expect(listed.map(({ tokenNo, name }) => [tokenNo, name])).toEqual([
        [second.tokenNo, 'second'],
        [first.tokenNo, 'first'],
      ]);
      expect(Object.keys(listed[0]!)).not.toContain('tokenHash');
      expect(listed[0]!.madeAt.getTime()).toBeGreaterThanOrEqual(Date.parse(START));
    });
  });
});

beforeAll(async () => {
  for (const name of ['ann', 'ben']) {
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
    await remember('ben', 'second', 'first');
    expect([await find('first'), await find('second')]).toEqual([undefined, 'ben']);
  });

  it('keeps the ten latest of a user, so that nobody gets many counts of wrong passwords', async () => {
    for (let n = 0; n < 12; n += 1) {
      world.clock.advance(1);
      await remember('ann', `browser ${n}`);
    }
    expect([await find('browser 1'), await find('browser 2'), await find('second')]).toEqual([undefined, 'ann', 'ben']);
  });

  it('is forgotten when the password changes, because a thief may have logged in', async () => {
    await changePassword(world.ledger, 'ann', 'hash', hashSecretToken('s'));
    expect([await find('browser 11'), await find('second')]).toEqual([undefined, 'ben']);
  });
});
