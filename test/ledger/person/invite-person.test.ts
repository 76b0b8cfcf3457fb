import { beforeAll, describe, expect, it } from 'vitest';
import {
  inviteAgain,
  invitePerson,
  offerSetUp,
  readLink,
  usePersonLink,
} from '../../../src/ledger/person/invite-person.ts';
import { isDashboardNew, listPeople, readCredentials } from '../../../src/ledger/person/people.ts';
import { listAudit } from '../../../src/ledger/overview/list-audit.ts';
import { hashSecretToken } from '../../../src/crypto/secret-token.ts';
import { openTestLedger } from '../../support/ledger-world.ts';
import { beginSession, useSession } from '../../../src/ledger/person/sessions.ts';
import type { PersonRole } from '../../../schemas/actions.ts';
import { addApiToken, useApiToken } from '../../../src/ledger/person/api-tokens.ts';
import { changePassword, changeRole, disablePerson, enablePerson } from '../../../src/ledger/person/change-person.ts';
import { openedForTests } from '../../support/opened-for-tests.ts';

const world = openedForTests(openTestLedger);

const BECAUSE = { actor: 'operator:ann', reason: 'joins the accounting' };
const FROM = { address: '10.0.0.9', browser: 'Firefox on Windows' };

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
  it('makes a user who cannot log in before following the link', async () => {
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
    ['bob', /a user with that name exists/],
    ['Bob', /not a valid user name/],
    ['', /not a valid user name/],
    ['bob hill', /not a valid user name/],
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

const use = (word: string, name = '', password = 'hash') =>
  usePersonLink(world.ledger, hashSecretToken(word), { name, password });

/** The tests build on each other. */
describe('usePersonLink', () => {
  beforeAll(() => world.empty());

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
    const session = { person: 'bob', tokenHash: hashSecretToken('stolen'), csrf: 'c', by: 'test', ...FROM };
    await beginSession(world.ledger, session);
    const token = {
      person: 'bob',
      name: 'cron',
      actions: ['look'] as const,
      tokenHash: hashSecretToken('made by a thief'),
    };
    await addApiToken(world.ledger, { ...token, expiresAt: link('').expiresAt }, BECAUSE);
    expect(await use('bob', 'mallory', 'his hash')).toBe('bob');
    expect(await readCredentials(world.ledger, 'bob')).toMatchObject({ password: 'his hash' });
    expect(await readLink(world.ledger, hashSecretToken('bob'))).toBeUndefined();
    await expect(use('bob', '', 'another')).rejects.toMatchObject({ code: 'USAGE' });
    expect(await readCredentials(world.ledger, 'bob')).toMatchObject({ password: 'his hash' });
    const limits = { idleMs: 60_000, longestMs: 60_000 };
    expect(await useSession(world.ledger, session.tokenHash, limits)).toBeUndefined();
    expect(await useApiToken(world.ledger, token.tokenHash)).toBeUndefined();
    const trail = await listAudit(world.ledger, { actor: 'operator:bob', limit: 1 });
    expect(trail).toMatchObject([{ move: 'choose-password', evidence: { tokens: 1 } }]);
  });

  it('ends the old password when its user goes by an OpenID provider instead', async () => {
    await inviteAgain(world.ledger, 'bob', link('elsewhere'), BECAUSE);
    await usePersonLink(world.ledger, hashSecretToken('elsewhere'), { subject: 'https://login.example.com bob' });
    expect(await readCredentials(world.ledger, 'bob')).toMatchObject({ password: null });
    const [bob] = (await listPeople(world.ledger)).filter(({ name }) => name === 'bob');
    expect(bob).toMatchObject({ hasPassword: false, subject: 'https://login.example.com bob' });
    const [chosen] = await listAudit(world.ledger, { actor: 'operator:bob', limit: 1 });
    expect(chosen).toMatchObject({ move: 'choose-subject' });
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

describe('change person', () => {
  beforeAll(async () => {
    await world.empty();
    for (const [name, role] of [
      ['ann', 'admin'],
      ['zoe', 'admin'],
      ['bob', 'operator'],
    ] as [string, PersonRole][]) {
      await invitePerson(world.ledger, { name, role }, link(name), BECAUSE);
      await usePersonLink(world.ledger, hashSecretToken(name), { name, password: `hash of ${name}` });
    }
  });

  const LIMITS = { idleMs: 3_600_000, longestMs: 3_600_000 };

  const link = (word: string) => ({ tokenHash: hashSecretToken(word), expiresAt: later() });

  const later = () => new Date(world.clock.now().getTime() + 3_600_000);

  const begin = (person: string, word: string) =>
    beginSession(world.ledger, { person, tokenHash: hashSecretToken(word), csrf: 'c', by: 'test', ...FROM });

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
    it('ends the sessions in other browsers of the user, and their tokens, and tells how many', async () => {
      await begin('bob', 'here');
      await begin('bob', 'there');
      for (const [word, expiresAt] of [
        ['works', later()],
        ['expired', world.clock.now()],
      ] as const) {
        const tokenHash = hashSecretToken(word);
        await addApiToken(
          world.ledger,
          { person: 'bob', name: 'cron', actions: ['look'], tokenHash, expiresAt },
          BECAUSE,
        );
      }
      expect(await changePassword(world.ledger, 'bob', 'new hash', hashSecretToken('here'))).toBe(1);
      expect(await useApiToken(world.ledger, hashSecretToken('works'))).toBeUndefined();
      expect([await session('here'), await session('there')]).toMatchObject([{ person: 'bob' }, undefined]);
      expect(await readCredentials(world.ledger, 'bob')).toMatchObject({ password: 'new hash' });
    });
  });
});

describe('listPeople', () => {
  beforeAll(() => world.empty());

  it('says who may log in and who was seen, and nothing that identifies them', async () => {
    expect(await isDashboardNew(world.ledger)).toBe(true);
    for (const name of ['cid', 'bob', 'ann']) {
      const link = { tokenHash: hashSecretToken(name), expiresAt: new Date(world.clock.now().getTime() + 1_000) };
      await invitePerson(world.ledger, { name, role: 'admin' }, link, BECAUSE);
    }
    await usePersonLink(world.ledger, hashSecretToken('bob'), { name: '', password: 'secret hash' });
    await beginSession(world.ledger, {
      person: 'bob',
      tokenHash: hashSecretToken('s'),
      csrf: 'c',
      by: 'password',
      ...FROM,
    });
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
    });
    expect(await readCredentials(world.ledger, 'ann')).toBeUndefined();
    expect(await readCredentials(world.ledger, 'eve')).toBeUndefined();
  });
});
